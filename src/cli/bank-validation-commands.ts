import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Language } from '../bank-validation/check-messages.ts';
import { erasePrivacy } from '../bank-validation/erase-privacy.ts';
import { exportPrivacy } from '../bank-validation/export-privacy.ts';
import type { CsvSummary } from '../bank-validation/validate-csv.ts';
import { type Output, openOutput, realPath } from './output-file.ts';
import { CommandError, invalidOption, print, table, unusableFile } from './print.ts';
import { withApp } from './with-app.ts';

/** `validate`, `banks import` and `privacy export | erase`. */
export function addBankValidationCommands(program: Command): void {
  program
    .command('validate')
    .description('validate the bank accounts of a table; columns rut, bank, account in any order and most spellings')
    .argument('<file>', 'CSV or .xlsx with a row of names; zeros are kept')
    .option('--out <file>', 'where to write the rows with their verdicts; standard output unless given')
    .addOption(
      program.createOption('--lang <language>', 'of the sentences in the rows').choices(['en', 'es']).default('en'),
    )
    .option('--json', 'print the summary as one JSON object (needs --out)')
    .addHelpText(
      'after',
      '\nStatus: 0 nothing is wrong, 1 a row is invalid or a mismatch, 2 the file cannot be used, 3 some rows could not be checked.',
    )
    .action(validate);
  program
    .command('banks')
    .description('the list of bank codes')
    .command('import')
    .description(
      'make a newer list serve, on every running replica within a second; nothing changes where it cannot be believed',
    )
    .argument('<file>', 'JSON in the form of src/bank-validation/bank-directory.json')
    .option('--json', 'print one JSON object')
    .action(importBanks);
  const privacy = program.command('privacy').description('what is kept about a person, as Law 21.719 asks');
  privacy
    .command('export')
    .description('print everything that is kept about a RUT, as JSON')
    .requiredOption('--rut <rut>', 'such as 12345678-5, in any spelling')
    .option('--json', 'the same: it is JSON always')
    .action(exportRut);
  privacy
    .command('erase')
    .description('remove everything that is kept about a RUT')
    .requiredOption('--rut <rut>', 'such as 12345678-5, in any spelling')
    .option('--json', 'print one JSON object')
    .action(eraseRut);
}

type ValidateOptions = { out?: string; lang: Language; json?: boolean };

async function validate(file: string, options: ValidateOptions): Promise<void> {
  const { out } = options;
  if (options.json === true && out === undefined)
    throw unusable('--json needs --out: standard output holds one of them.');
  if (out !== undefined && (await realPath(out)) === (await realPath(file)))
    throw unusable('--out must be another file.');
  requireFile(file);
  const progress = showProgress();
  // Here and below: what reads CSV and checks schemas is loaded by the commands that need it, not by every start.
  const { CsvError, validateCsv } = await import('../bank-validation/validate-csv.ts');
  let output: Output | null = null;
  try {
    output = await openOutput(out);
    const { stream } = output;
    // What goes wrong with it comes out of the next write.
    stream.on('error', () => {});
    const onRows = progress.show;
    const summary = await withApp((app) => validateCsv(app, file, stream, { language: options.lang, onRows }));
    await output.keep();
    progress.clear();
    report(options, summary);
  } catch (error) {
    progress.clear();
    await output?.discard();
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof CsvError) throw unusable(error.message);
    if (FILE_FAILURES.has(code ?? '')) throw unusable(`Reading ${file} or writing the rows failed: ${code}.`);
    throw error;
  }
}

const FILE_FAILURES: ReadonlySet<string> = new Set([
  'EACCES',
  'EISDIR',
  'ENOENT',
  'ENOSPC',
  'ENOTDIR',
  'EPIPE',
  'EROFS',
]);

/** Status 1 says that a row is wrong, so what keeps the rows from being looked at has another. */
function unusable(message: string): CommandError {
  return new CommandError(message, 2, 'FILE_UNUSABLE');
}

function requireFile(file: string): void {
  if (!existsSync(file)) throw unusable(`${file} cannot be read: see that it is there, and whose it is.`);
}

/** The summary goes where the rows do not. */
function report(options: ValidateOptions, summary: CsvSummary): void {
  const { rows, refused, ...verdicts } = summary;
  const counted = Object.entries({ ...verdicts, refused }).filter(([name, count]) => name !== 'refused' || count > 0);
  const lines = table([...counted, ['rows', rows] as const].map(([name, count]) => [name, String(count).padStart(9)]));
  if (options.out === undefined) process.stderr.write(`${lines.join('\n')}\n`);
  else print(options, { ...summary, out: options.out }, [...lines, `Written to ${options.out}.`]);
  process.exitCode = exitStatus(summary);
}

function exitStatus({ invalid, mismatch, undetermined, refused }: CsvSummary): number {
  if (invalid + mismatch > 0) return 1;
  return undetermined + refused > 0 ? 3 : 0;
}

const BAR_WIDTH = 30;

/** One line on a terminal, drawn over again; nothing where nobody looks. */
function showProgress(): { show: (rows: number, done: number) => void; clear: () => void } {
  if (!process.stderr.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (rows, done) => {
      const bar = '█'.repeat(Math.round(done * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
      process.stderr.write(`\r${bar} ${String(Math.floor(done * 100)).padStart(3)} %  ${rows} rows`);
    },
    clear: () => void process.stderr.write('\r\x1b[K'),
  };
}

async function importBanks(file: string, options: { json?: boolean }): Promise<void> {
  const { importBankDirectory } = await import('../bank-validation/import-bank-directory.ts');
  const outcome = await withApp(async (app) => importBankDirectory(app, readJson(file)));
  if ('problems' in outcome) {
    const lines = outcome.problems.map(({ code, pointer, message }) => `  ${code} ${pointer}: ${message}`);
    if (options.json === true) print(options, outcome, []);
    throw unusableFile(`${file} was not imported; nothing has changed.\n${lines.join('\n')}`);
  }
  const { version, added, removed, changed } = outcome;
  const listed = (codes: readonly string[]) => (codes.length === 0 ? 'none' : codes.join(' '));
  print(options, outcome, [
    `The list ${version} serves from now on.`,
    ...table([
      ['  added', listed(added)],
      ['  removed', listed(removed)],
      ['  changed', listed(changed)],
    ]),
  ]);
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw unusableFile(`${file} cannot be read: see that it is there, and whose it is.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw unusableFile(`${file} is not JSON.`);
  }
}

async function exportRut(options: { rut: string }): Promise<void> {
  const exported = await withApp((app) => exportPrivacy(app, options.rut));
  if (exported === null) throw invalidOption('This is no RUT: write it as 12345678-5.');
  process.stdout.write(`${JSON.stringify(exported, null, 2)}\n`);
}

async function eraseRut(options: { rut: string; json?: boolean }): Promise<void> {
  const erased = await withApp((app) => erasePrivacy(app, options.rut));
  if (erased === null) throw invalidOption('This is no RUT: write it as 12345678-5.');
  print(options, erased, [`${erased.erased} validations were removed, and what was counted for this RUT.`]);
}
