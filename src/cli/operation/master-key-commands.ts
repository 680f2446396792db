import type { Command } from 'commander';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { listWithoutKey, nameProcesses } from '../../health/list-processes.ts';
import { SEALED_KINDS } from '../../health/sealed-kinds.ts';
import { endHandoversOfOldKey } from '../../payment-services/hand-over-tokens.ts';
import { countSeals, reseal } from '../../sealing/reseal.ts';
import { deleteSnapshot } from '../../travel/snapshot.ts';
import { CommandError, countOf, invalidOption, print, table } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';

/** `master-key rotate`. */
export function addMasterKeyCommands(program: Command): void {
  const group = program.command('master-key').description('manage the master key that encrypts secrets in the store');
  acting(group.command('rotate'))
    .description(
      're-encrypt with MASTER_KEY what MASTER_KEY_PREVIOUS encrypted, while the service runs; run it again if it is interrupted',
    )
    .option('--json', 'print one JSON object')
    .action(rotate);
}

async function rotate(options: ActingOptions): Promise<void> {
  const { kinds, links } = await withActor(options, async (app, by) => {
    if (app.config.masterKeyPrevious === null)
      throw invalidOption('Set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the one so far: docs/operation.md');
    const without = await listWithoutKey(app);
    if (without.length > 0)
      throw new CommandError(`MASTER_KEY is not known to ${nameProcesses(without)}. ${STILL_OLD} ${KILLED}`);
    // Its secrets need the previous key.
    await deleteSnapshot(app);
    return { kinds: await rotateKinds(app, by), links: await endHandoversOfOldKey(app, by) };
  });
  const left = kinds.reduce((sum, { previous }) => sum + previous, 0);
  const unknown = kinds.reduce((sum, { unknown }) => sum + unknown, 0);
  const broken = kinds.filter((kind) => kind.broken > 0);
  const meanwhile = broken.reduce((sum, kind) => sum - kind.broken, left);
  if (meanwhile > 0)
    throw new CommandError(`${meanwhile} more were sealed with the previous key meanwhile. ${STILL_OLD}`);
  if (unknown > 0)
    throw new CommandError(`${unknown} secrets were encrypted with neither of the two keys: bin/rubrica doctor`);
  if (broken.length > 0) throw new CommandError(`${broken.map(sayBroken).join(', ')}: ${CHANGED}`);
  const resealed = Object.fromEntries(kinds.map(({ name, resealed }) => [name, resealed]));
  print(options, { resealed, previous_key_needed: false, token_links_ended: links }, [
    ...table(kinds.map(({ name, resealed }) => [name, String(resealed)])),
    ...(links === 0
      ? []
      : [
          `${countOf(links, 'link')} to tokens had the previous key and ended. Make new ones: bin/rubrica payment-service hand-over`,
        ]),
    kinds.some((kind) => kind.resealed > 0) ? DONE : `${NOTHING} ${DONE}`,
  ]);
}

const DONE = 'Every secret is encrypted with MASTER_KEY: start every process without MASTER_KEY_PREVIOUS.';

const NOTHING =
  'Nothing was encrypted with MASTER_KEY_PREVIOUS: if this is the first run, the two keys are swapped, and MASTER_KEY must be the new one.';

const STILL_OLD = 'Give every process both keys, MASTER_KEY being the new one, and run this again.';

const KILLED = 'For a process that was killed: bin/rubrica process-ended HOST PID.';

const CHANGED =
  'they open with no key, because somebody changed or moved them in the store. Everything else is sealed with MASTER_KEY. Find out who writes into the database. In the place of a Secret Token make another, with bin/rubrica payment-service rotate, before the previous key goes.';

function sayBroken({ name, broken }: RotatedKind): string {
  return `${broken} of ${name}`;
}

type RotatedKind = { name: string; resealed: number; broken: number; previous: number; unknown: number };

async function rotateKinds(app: App, by: Actor): Promise<RotatedKind[]> {
  const rotated: RotatedKind[] = [];
  for (const kind of SEALED_KINDS) {
    const before = await countSeals(app, kind);
    const outcome = await reseal(app, kind, by, (done) => {
      process.stderr.write(`${kind.name}: ${done} of ${before.previous}\n`);
    });
    rotated.push({ name: kind.name, ...outcome, ...(await countSeals(app, kind)) });
  }
  return rotated;
}
