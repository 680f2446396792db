import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { RUT_FORMATS, type RutFormat } from '../../bank-validation/rut.ts';
import type { CsvSummary } from '../../bank-validation/tables/csv-summary.ts';
import type { CsvOptions } from '../../bank-validation/tables/validate-csv.ts';
import type { Language } from '../../lib/language.ts';
import { type Output, openOutput, realPath } from '../output-file.ts';
import { CommandError, EXIT_NOT_READ, invalidOption, missingOption, print, table } from '../print.ts';
import { redrawLine } from '../progress-line.ts';
import { terminalLanguage } from '../terminal-language.ts';
import { withApp } from '../with-app.ts';

/** `validate FILE`. */
export function addValidateCommand(program: Command): void {
  program
    .command('validate')
    .description('validate the bank accounts of a file with columns rut, bank and account, in any order')
    .argument('<file>', 'CSV or .xlsx with a header row, or - for standard input; keeps leading zeros')
    .option('--out <file>', 'file for the rows with their verdicts (default: standard output)')
    .option(
      '--repair <file>',
      'write a copy of the table with known mistakes repaired; the verdicts are about the repaired rows',
    )
    .option('--changes <file>', 'with --repair: file for the changes and proposals, with reasons')
    .option('--columns <names>', 'for a table without a header: the order of its columns, such as rut,bank,-,account')
    .addOption(
      program
        .createOption(
          '--rut-format <format>',
          'whether RUTs without a hyphen include the check digit (default: inferred from the whole column)',
        )
        .choices([...RUT_FORMATS]),
    )
    .addOption(
      program
        .createOption('--lang, --language <language>', 'language of the messages (default: LANG)')
        .choices(['en', 'es'])
        .default(terminalLanguage()),
    )
    .option('--json', 'print the summary as one JSON object (needs --out or --repair)')
    .addHelpText(
      'after',
      '\nStatus: 0 nothing is wrong, 1 a row is invalid or a mismatch, 2 the file cannot be used, 3 some rows could not be checked.',
    )
    .action(validate);
}

type ValidateOptions = {
  out?: string;
  repair?: string;
  changes?: string;
  columns?: string;
  rutFormat?: RutFormat;
  language: Language;
  json?: boolean;
};

async function validate(file: string, options: ValidateOptions): Promise<void> {
  await checkFiles(file, options);
  const progress = showProgress(WORDS[options.language]);
  // Loaded only when needed: the start of every other command stays fast.
  const { CsvError, validateCsv } = await import('../../bank-validation/tables/validate-csv.ts');
  const columns = await readColumnsOption(options.columns, WORDS[options.language]);
  const outputs: Output[] = [];
  let failed: string | null = null;
  const open = async (path: string | undefined) => {
    const output = await openOutput(path).catch((error: NodeJS.ErrnoException) => {
      // It names the temporary file beside the output.
      throw Object.assign(error, { path });
    });
    outputs.push(output);
    // The next write reports the error.
    output.stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (path === undefined && code === 'EPIPE') process.exit(EXIT_NOT_READ);
      failed ??= path ?? WORDS[options.language].stdout;
    });
    return output.stream;
  };
  try {
    const rows = options.out === undefined && options.repair !== undefined ? null : await open(options.out);
    const repaired = options.repair === undefined ? null : await open(options.repair);
    const changes = options.changes === undefined ? null : await open(options.changes);
    const { language, rutFormat = null } = options;
    const settings = { language, rutFormat, columns, repaired, changes, ...progress.steps };
    const source = file === '-' ? process.stdin : file;
    const summary = await withApp((app) => validateCsv(app, source, rows, settings), { creates: true });
    for (const output of outputs) await output.keep();
    progress.clear();
    report(options, summary);
  } catch (error) {
    progress.clear();
    for (const output of outputs) await output.discard();
    if (error instanceof CsvError) throw unusable(error.message);
    const { code, path } = error as NodeJS.ErrnoException;
    if (!FILE_FAILURES.has(code ?? '')) throw error;
    throw unusable(`${WORDS[options.language].failed}: ${failed ?? path ?? file}, ${code}.`);
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

/** Returns an error with exit status 2: status 1 means that a row is wrong. */
function unusable(message: string): CommandError {
  return new CommandError(message, 2, 'FILE_UNUSABLE');
}

async function checkFiles(file: string, { out, repair, changes, json, language }: ValidateOptions): Promise<void> {
  const words = WORDS[language];
  if (json === true && out === undefined && repair === undefined) throw missingOption(words.jsonNeedsOut);
  if (changes !== undefined && repair === undefined) throw missingOption(words.changesNeedRepair);
  const named = Object.entries({ out, repair, changes }).filter(([, path]) => path !== undefined) as [string, string][];
  const [stdout] = named.find(([, path]) => path === '-') ?? [];
  if (stdout !== undefined) throw unusable(`--${stdout} - ${words.noFile}`);
  const taken = new Set(file === '-' ? [] : [await realPath(file)]);
  for (const [name, path] of named) {
    const real = await realPath(path);
    if (taken.has(real) && !(await isDevice(real))) throw unusable(`--${name} ${words.otherFile}`);
    taken.add(real);
  }
  if (file !== '-' && !existsSync(file)) throw unusable(`${file} ${words.unreadable}`);
}

/**
 * Returns whether the path is a device such as /dev/null or /dev/stdout, which several outputs may share. A file in
 * /dev/shm is not a device.
 */
async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return path.startsWith('/dev/') && found !== null && !found.isFile();
}

async function readColumnsOption(text: string | undefined, words: Words) {
  if (text === undefined) return null;
  const { readColumns } = await import('../../bank-validation/tables/account-columns.ts');
  const columns = readColumns(text);
  if (columns !== null) return columns;
  throw invalidOption(words.columns);
}

const WORDS = {
  en: {
    row: 'row',
    rows: 'rows',
    causes: 'Why rows are not valid',
    mended: 'Mended by rule',
    written: 'Written to',
    looking: '1 of 2, how the RUTs are written',
    validating: '2 of 2, validated',
    jsonNeedsOut: '--json needs --out: standard output holds one of them.',
    changesNeedRepair: '--changes needs --repair.',
    noFile: 'names no file: without --out and --repair the rows go to standard output.',
    otherFile: 'must be another file.',
    unreadable: 'cannot be read: see that it is there, and whose it is.',
    failed: 'Reading or writing failed',
    stdout: 'standard output',
    columns:
      '--columns names the columns in their order: rut, bank and account once each, dv for a check character of its own, - for any other. Such as rut,bank,-,account.',
    verdicts: {},
  },
  es: {
    row: 'fila',
    rows: 'filas',
    causes: 'Por qué hay filas no válidas',
    mended: 'Corregido por regla',
    written: 'Escrito en',
    looking: '1 de 2, cómo están escritos los RUT',
    validating: '2 de 2, validadas',
    jsonNeedsOut: '--json necesita --out: la salida estándar lleva solo uno de los dos.',
    changesNeedRepair: '--changes necesita --repair.',
    noFile: 'no nombra un archivo: sin --out ni --repair las filas van a la salida estándar.',
    otherFile: 'debe ser otro archivo.',
    unreadable: 'no se puede leer: revisa que esté ahí y de quién es.',
    failed: 'No se pudo leer o escribir',
    stdout: 'la salida estándar',
    columns:
      '--columns nombra las columnas en su orden: rut, bank y account una vez cada una, dv para un dígito verificador aparte, - para cualquier otra. Por ejemplo rut,bank,-,account.',
    verdicts: {
      invalid: 'no válidas',
      plausible: 'plausibles',
      confirmed: 'confirmadas',
      mismatch: 'no coinciden',
      undetermined: 'sin determinar',
      refused: 'rechazadas',
    },
  },
} as const;

type Words = (typeof WORDS)[Language];

/** Prints the summary: to stderr if the rows go to stdout, otherwise to stdout. */
function report(options: ValidateOptions, summary: CsvSummary): void {
  const { rows, refused, causes, repaired, ...counts } = summary;
  const words = WORDS[options.language];
  const verdicts: Readonly<Record<string, string>> = words.verdicts;
  const number = (count: number) => String(count).padStart(9);
  const counted = Object.entries({ ...counts, refused }).filter(([name, count]) => name !== 'refused' || count > 0);
  const lines = table(
    [...counted, [words.rows, rows] as const].map(([name, count]) => [verdicts[name] ?? name, number(count)]),
  );
  if (causes.length > 0) {
    lines.push('', words.causes, ...causes.map((one) => `${number(one.rows)}  ${one.code}: ${one.message}`));
  }
  if (options.repair !== undefined) {
    lines.push('', `${words.mended}: ${repaired.rows} ${repaired.rows === 1 ? words.row : words.rows}`);
    lines.push(...repaired.rules.map(({ rule, changes }) => `${number(changes)}  ${rule}`));
  }
  const { out, repair, changes } = options;
  const files = [out, repair, changes].filter((path) => path !== undefined);
  if (files.length === 0) process.stderr.write(`${lines.join('\n')}\n`);
  else {
    const written = { ...(out && { out }), ...(repair && { repair }), ...(changes && { changes }) };
    print(options, { ...summary, ...written }, [...lines, `${words.written} ${files.join(', ')}.`]);
  }
  process.exitCode = exitStatus(summary);
}

function exitStatus({ invalid, mismatch, undetermined, refused }: CsvSummary): number {
  if (invalid + mismatch > 0) return 1;
  return undetermined + refused > 0 ? 3 : 0;
}

const BAR_WIDTH = 30;

/** Shows the progress as one line that is redrawn; nothing without a terminal. */
function showProgress(words: Words): { steps: Pick<CsvOptions, 'onLook' | 'onRows'>; clear: () => void } {
  if (!process.stderr.isTTY) return { steps: {}, clear: () => {} };
  const show = (step: string) => (rows: number, done: number) => {
    const bar = '█'.repeat(Math.round(done * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    redrawLine(`${bar} ${String(Math.floor(done * 100)).padStart(3)} %  ${step}: ${rows} ${words.rows}`);
  };
  return {
    steps: { onLook: show(words.looking), onRows: show(words.validating) },
    clear: () => void process.stderr.write('\r\x1b[K'),
  };
}
