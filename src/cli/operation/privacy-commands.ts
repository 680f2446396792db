import type { Command } from 'commander';
import type { Erasure } from '../../privacy/erase-person.ts';
import { type SaidKept, sayKept } from '../../privacy/kept.ts';
import { type Person, personOfEmail, personOfRut } from '../../privacy/person.ts';
import { invalidOption, missingOption, print, table } from '../print.ts';
import { progressLine } from '../progress-line.ts';
import { type ActingOptions, acting, actOnWholeStore } from '../with-actor.ts';

type Whom = { rut?: string; email?: string };

/** `privacy export | erase`. */
export function addPrivacyCommands(program: Command): void {
  const privacy = program.command('privacy').description('export or erase personal data (Law 21.719)');
  acting(addWhom(privacy.command('export').description('print all data about a person as JSON')))
    .option('--json', 'accepted for consistency: the output is always JSON')
    .action(exportWhom);
  acting(addWhom(privacy.command('erase').description('erase the data about a person; the books stay unchanged')))
    .option('--dry-run', 'show what would be erased and what would stay; change nothing')
    .option('--json', 'print one JSON object')
    .action(eraseWhom);
}

function addWhom(command: Command): Command {
  return command
    .option('--rut <rut>', 'RUT, such as 12345678-5, in any format')
    .option('--email <email>', 'e-mail address, in any case');
}

function personOf({ rut, email }: Whom): Person {
  if ((rut === undefined) === (email === undefined)) throw missingOption('Say whom: --rut RUT or --email EMAIL.');
  const person = rut === undefined ? personOfEmail(email as string) : personOfRut(rut);
  if (person !== null) return person;
  throw invalidOption(
    rut === undefined ? 'This is not an e-mail address.' : 'This is not a RUT: write it as 12345678-5.',
  );
}

async function exportWhom(options: Whom & ActingOptions): Promise<void> {
  const person = personOf(options);
  const { exportPerson } = await import('../../privacy/export-person.ts');
  const line = progressLine();
  const exported = await actOnWholeStore(options, (app, by) => exportPerson(app, person, by, line.say)).finally(
    line.clear,
  );
  process.stdout.write(`${JSON.stringify(exported, null, 2)}\n`);
}

async function eraseWhom(options: Whom & ActingOptions & { dryRun?: boolean }): Promise<void> {
  const person = personOf(options);
  const dryRun = options.dryRun === true;
  const { erasePerson } = await import('../../privacy/erase-person.ts');
  const line = progressLine();
  const erasure = await actOnWholeStore(options, (app, by) =>
    erasePerson(app, person, by, { dryRun, onProgress: line.say }),
  ).finally(line.clear);
  const kept = erasure.kept.map((one) => sayKept(one, 'en'));
  print(options, { [person.kind]: person.name, dry_run: dryRun, ...erasure, kept }, linesOf(erasure, kept, dryRun));
}

/** Names the first rows. */
function rowsText(rows: readonly unknown[]): string {
  return rows.length === 0 ? '' : `rows ${rows.slice(0, 5).join(' ')}${rows.length > 5 ? ' …' : ''}`;
}

function linesOf({ records, waiting }: Erasure, kept: readonly SaidKept[], dryRun: boolean): string[] {
  const waits = 'are still paid or sent and keep their addresses: run it again when they have ended.';
  return [
    dryRun ? 'This would go; nothing was changed:' : 'This went:',
    ...table(Object.entries(records).map(([kind, count]) => [`  ${kind}`, String(count)])),
    ...(waiting === 0 ? [] : [`${waiting} ${waits}`]),
    ...(kept.length === 0 ? [] : ['This stays:']),
    ...table(kept.map(({ kind, why, rows }) => [`  ${kind}`, String(rows.length), why, rowsText(rows)])),
  ];
}
