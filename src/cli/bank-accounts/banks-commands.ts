import { basename } from 'node:path';
import type { Command } from 'commander';
import { type ListedBanks, listBanks, listShippedBanks } from '../../bank-validation/directory/list-banks.ts';
import { SchemaError } from '../../db/database.ts';
import { isDay } from '../../lib/calendar-day.ts';
import { readNamedFile } from '../options.ts';
import { invalidOption, listTable, print, table, unusableFile } from '../print.ts';
import { type ActingOptions, acting, BEGINS, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

/** `banks list | import`. */
export function addBanksCommands(program: Command): void {
  const banks = program.command('banks').description('list or update the bank directory');
  banks
    .command('list')
    .description('list the institutions in use, with names, state and the date of the list')
    .option('--json', 'print one JSON object, with the verdicts of their accounts')
    .action(listBanksCommand);
  acting(banks.command('import'))
    .description(
      'import a newer bank list; every running process uses it within a second; an implausible list changes nothing',
    )
    .argument(
      '<file>',
      "the regulator's list as downloaded (.xlsx, CSV or HTML), or JSON like src/bank-validation/directory/bank-directory.json",
    )
    .option('--as-of <day>', "date of the regulator's list, if the file does not say it (default: today)")
    .option('--accept <codes>', 'codes whose institution was renamed, such as 027,504')
    .option('--json', 'print one JSON object')
    .action(importBanks);
}

async function listBanksCommand(options: { json?: boolean }): Promise<void> {
  const list = await withApp(listBanks).catch(withoutStore);
  const rows = list.banks.map(({ code, name, status, successor, aliases }) => ({
    CODE: code,
    NAME: name,
    STATE: successor === null ? status : `${status} into ${successor}`,
    'ALSO KNOWN AS': aliases.join(', '),
  }));
  const origin = list.origin === 'release' ? 'part of this release' : 'imported';
  print(options, list, [
    ...listTable(rows),
    '',
    `The list ${list.version}, as of ${list.asOf}, ${origin}: ${list.source}.`,
  ]);
}

/** Without a store, none was imported. Throws any other error. */
function withoutStore(error: unknown): ListedBanks {
  if (error instanceof SchemaError && error.code === 'NO_STORE') return listShippedBanks();
  throw error;
}

type ImportOptions = ActingOptions & { asOf?: string; accept?: string };

async function importBanks(file: string, options: ImportOptions): Promise<void> {
  const { importBankDirectory, importRegulatorList } = await import(
    '../../bank-validation/directory/import-bank-directory.ts'
  );
  const asOf = readDay(options.asOf);
  const bytes = readNamedFile(file);
  const isJson = /^(\xef\xbb\xbf)?\s*[{[]/.test(bytes.toString('latin1', 0, 64));
  if (isJson && (asOf !== null || options.accept !== undefined))
    throw invalidOption(
      "--as-of and --accept are for the regulator's list: a list in JSON says its date in meta.asOf.",
    );
  const outcome = await withActor(
    options,
    async (app, by) => {
      if (isJson) return importBankDirectory(app, readJson(file, bytes), by);
      const accepted = (options.accept ?? '').split(',').map((code) => code.trim());
      return importRegulatorList(app, { file: basename(file), bytes, asOf, accepted }, by);
    },
    BEGINS,
  );
  if ('problems' in outcome) {
    const lines = outcome.problems.map(
      ({ code, pointer, message }) => `  ${[code, pointer].join(' ').trim()}: ${message}`,
    );
    throw unusableFile(`${file} was not imported; nothing has changed.\n${lines.join('\n')}`);
  }
  const { version, changes, missing } = outcome;
  const rows = changes.map(({ code, member, before, after }) => [
    `  ${code}`,
    member,
    `${before ?? '—'} → ${after ?? '—'}`,
  ]);
  print(options, outcome, [
    `The list ${version} is in use.`,
    ...(rows.length === 0 ? ['  Nothing in it is new.'] : table(rows)),
    ...(missing.length === 0
      ? []
      : [`Not in the file, and left as they are: ${missing.join(' ')}. See whether they still operate.`]),
  ]);
}

function readDay(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.startsWith('20') && isDay(text)) return text;
  throw invalidOption('--as-of is a day, such as 2026-09-30.');
}

function readJson(file: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
  } catch {
    throw unusableFile(`${file} is not JSON.`);
  }
}
