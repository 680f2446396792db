import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { SEALED_KINDS } from '../health/sealed-kinds.ts';
import { countSeals, reseal } from '../sealing/reseal.ts';
import { CommandError, invalidOption, print, table } from './print.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';

/** `master-key rotate`. */
export function addMasterKeyCommands(program: Command): void {
  const group = program.command('master-key').description('the key that everything secret in the store is sealed with');
  acting(group.command('rotate'))
    .description(
      'seal with MASTER_KEY what MASTER_KEY_PREVIOUS has sealed; while the service runs; run it again if it ends',
    )
    .option('--json', 'print one JSON object')
    .action(rotate);
}

async function rotate(options: ActingOptions & { json?: boolean }): Promise<void> {
  const kinds = await withActor(options, async (app, by) => {
    if (app.config.masterKeyPrevious === null)
      throw invalidOption('Set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the one so far: docs/operation.md');
    return rotateKinds(app, by);
  });
  const left = kinds.reduce((sum, { previous }) => sum + previous, 0);
  const unknown = kinds.reduce((sum, { unknown }) => sum + unknown, 0);
  if (left > 0) throw new CommandError(`${left} more were sealed with the previous key meanwhile. ${STILL_OLD}`);
  if (unknown > 0) throw new CommandError(`Neither of the two keys has sealed ${unknown} texts: bin/rubrica doctor`);
  const resealed = Object.fromEntries(kinds.map(({ name, resealed }) => [name, resealed]));
  print(options, { resealed, previous_key_needed: false }, [
    ...table(kinds.map(({ name, resealed }) => [name, String(resealed)])),
    'Nothing is sealed with the previous key any more: start every process without MASTER_KEY_PREVIOUS.',
  ]);
}

const STILL_OLD = 'Give every process both keys, MASTER_KEY being the new one, and run this again.';

type RotatedKind = { name: string; resealed: number; previous: number; unknown: number };

async function rotateKinds(app: App, by: Actor): Promise<RotatedKind[]> {
  const rotated: RotatedKind[] = [];
  for (const kind of SEALED_KINDS) {
    const before = await countSeals(app, kind);
    const resealed = await reseal(app, kind, by, (done) => {
      process.stderr.write(`${kind.name}: ${done} of ${before.previous}\n`);
    });
    rotated.push({ name: kind.name, resealed, ...(await countSeals(app, kind)) });
  }
  return rotated;
}
