import type { Readable, Writable } from 'node:stream';
import type { App } from '../../app.ts';
import type { InBoth } from '../../error-catalogue.ts';
import type { Language } from '../../lib/language.ts';
import type { Places } from '../../lib/tables/find-header.ts';
import { type Table, withTable } from '../../lib/tables/open-table.ts';
import { refuseTable, refuseUnseen } from '../../lib/tables/say-table-error.ts';
import type { TableRow, TextDialect } from '../../lib/tables/table.ts';
import type { AccountInput } from '../account-checks.ts';
import type { BankDirectory } from '../directory/bank-directory.ts';
import { currentDirectory } from '../directory/current-directory.ts';
import type { RutFormat } from '../rut.ts';
import { COMMAND_LINE, type ValidationActor } from '../validate-bank-account.ts';
import { type BatchResult, validateBatch } from '../validate-batch.ts';
import {
  ACCOUNT_TABLE,
  type AccountColumn,
  accountCells,
  accountInput,
  columnsUnknown,
  formatOfName,
  isTotalOfAccounts,
} from './account-columns.ts';
import { judgeColumn } from './column-format.ts';
import { type Counted, type CsvSummary, countCauses } from './csv-summary.ts';
import { type AccountCells, isSplit, plainRut, type Repair, repairAccount } from './repair-account.ts';
import { CHANGE_COLUMNS, changeLines } from './repair-changes.ts';
import { FILE_MESSAGES } from './table-messages.ts';
import { ADDED_COLUMNS, addedCells, type ValidatedRow, wholeRow } from './validated-row.ts';
import { type TableWriter, tableWriter } from './write-table.ts';

/**
 * `onRows` gets the number of finished rows and the finished part of the file, from 0 to 1. `onLook` gets the same
 * while the column of RUTs is read first.
 */
export type CsvOptions = {
  language?: Language;
  /** The owner of the validations; by default the command line. */
  actor?: ValidationActor;
  onRows?: (rows: number, done: number) => void;
  onLook?: (rows: number, done: number) => void;
  /** The places of the columns, for a file without a header row or with unknown names. */
  columns?: Places<AccountColumn> | null;
  /** How RUTs of digits alone are written; null: find out from the whole column. */
  rutFormat?: RutFormat | null;
  /** Receives the table with all rows, repaired by rule. The verdicts are then about the repaired rows. */
  repaired?: Writable | null;
  /** Receives a line for each change and for each suggestion. */
  changes?: Writable | null;
};

/** The file cannot be validated. The message is for the user. */
export class CsvError extends Error {}

/** The rows of one batch and one commit; the limit keeps memory constant for any file. */
const ROWS_AT_ONCE = 500;

/**
 * Validates all rows of a table (a path, or a stream such as standard input) and writes each with its verdict, in
 * order. Cells stay unchanged, with their zeros. A text file keeps its encoding and separators; a workbook becomes CSV.
 * Omits rows above the header row, and lines of totals. Streams, and leaves the outputs open. `language`: of the messages.
 *
 * Throws `CsvError` if the file is not a table, its columns are unknown, a row is hidden, or another sheet or table of
 * the file has such columns too. Nothing is validated or written then.
 */
export function validateCsv(
  app: App,
  source: string | Readable,
  output: Writable | null,
  options: CsvOptions = {},
): Promise<CsvSummary> {
  return withTable(source, ACCOUNT_TABLE, (table) => validateTable(app, table, output, options)).catch(
    refuseTable((why) => new CsvError(why[options.language ?? 'en'])),
  );
}

/**
 * Returns whether a table has more than `most` rows; validates nothing. Throws `CsvError` if the file is not a table.
 */
export function hasMoreRows(source: Readable, most: number, language: Language): Promise<boolean> {
  return withTable(source, ACCOUNT_TABLE, async ({ rows }) => {
    let count = 0;
    for await (const _row of rows) if (++count > most) return true;
    return false;
  }).catch(refuseTable((why) => new CsvError(why[language])));
}

/** How the rows of this file are read and written. */
type Job = {
  readonly columns: Places<AccountColumn>;
  /** How many cells of the input each row is written with. */
  readonly width: number;
  readonly rutFormat: RutFormat | null;
  readonly directory: BankDirectory;
  readonly language: Language;
  readonly actor: ValidationActor;
  readonly mends: boolean;
  readonly write: { readonly rows: TableWriter; readonly repaired: TableWriter; readonly changes: TableWriter };
};

async function validateTable(
  app: App,
  table: Table<AccountColumn>,
  output: Writable | null,
  options: CsvOptions,
): Promise<CsvSummary> {
  const {
    language = 'en',
    actor = COMMAND_LINE,
    onRows = () => {},
    onLook = () => {},
    repaired = null,
    changes = null,
  } = options;
  const dialect = table.dialect.format === 'text' ? table.dialect : CSV_OF_WORKBOOK;
  const { names, columns } = headOf(table, options.columns ?? null, language);
  const directory = await currentDirectory(app);
  const unclear = (why: InBoth) => new CsvError(why[language]);
  const format = await formatOfColumn(table, columns, directory, onLook);
  // The rows are written without the mark, and could be paid from there.
  await refuseUnseen(table, unclear);
  const rutFormat = options.rutFormat ?? formatOfName(names[columns.rut ?? -1] ?? '') ?? format;
  const write = {
    rows: tableWriter(output, dialect),
    repaired: tableWriter(repaired, dialect),
    changes: tableWriter(changes, dialect),
  };
  const job = { columns, width: names.length, rutFormat, directory, language, actor, mends: repaired !== null, write };
  await Promise.all([
    write.rows([[...names, ...ADDED_COLUMNS]]),
    write.repaired([names]),
    write.changes([CHANGE_COLUMNS]),
  ]);
  const counted = countCauses(language);
  let rows: TableRow[] = [];
  const flush = async () => {
    if (rows.length === 0) return;
    await validateRows(app, rows, job, counted);
    rows = [];
    onRows(counted.summary.rows, table.done());
  };
  for await (const row of table.rowsAgain()) {
    if (isTotalOfAccounts(row.cells, columns)) continue;
    rows.push(row);
    if (rows.length === ROWS_AT_ONCE) await flush();
  }
  await flush();
  return counted.end();
}

/** The format that spreadsheets in Chile open directly. */
const CSV_OF_WORKBOOK: TextDialect = {
  format: 'text',
  encoding: 'utf-8',
  byteOrderMark: true,
  separator: ';',
  lineEnd: '\r\n',
};

function headOf(
  { header, above }: Table<AccountColumn>,
  told: Places<AccountColumn> | null,
  language: Language,
): { names: readonly string[]; columns: Places<AccountColumn> } {
  if (header !== null) return { names: header.row.cells, columns: told ?? header.places };
  const first = above[0]?.cells;
  if (first === undefined) throw new CsvError(FILE_MESSAGES.EMPTY[language]);
  if (told === null) throw new CsvError(columnsUnknown(above, language));
  const nameAt = (place: number) => Object.entries(told).find(([, at]) => at === place)?.[0] ?? `column_${place + 1}`;
  return { names: first.map((_, place) => nameAt(place)), columns: told };
}

/** The rows between two calls of `onLook`. */
const LOOKED_AT_ONCE = 5_000;

/** Reads the whole column before validating the first row, because the last row may be the exception. */
async function formatOfColumn(
  table: Table<AccountColumn>,
  columns: Places<AccountColumn>,
  directory: BankDirectory,
  onLook: (rows: number, done: number) => void,
): Promise<RutFormat | null> {
  const judge = judgeColumn();
  let rows = 0;
  for await (const { cells } of table.rows) {
    const account = accountCells(cells, columns);
    if (!isSplit(account)) judge.look(plainRut(account.rut, directory));
    if (++rows % LOOKED_AT_ONCE === 0) onLook(rows, table.done());
  }
  return judge.format();
}

async function validateRows(app: App, rows: readonly TableRow[], job: Job, counted: Counted): Promise<void> {
  const { columns, width, rutFormat, directory, language, actor, mends, write } = job;
  const mended = rows.map(({ cells }) => repairAccount(accountCells(cells, columns), { directory, rutFormat }));
  const kept = rows.map(({ cells }, index) => (mends ? put(cells, columns, (mended[index] as Mended).cells) : cells));
  // A bank's name or a code without its zeros names the same bank here as in a file of payouts.
  const inputs = kept.map((cells, index) =>
    accountInput({ ...accountCells(cells, columns), bank: (mended[index] as Mended).cells.bank }, rutFormat),
  );
  const results = await validateBatch(app, actor, inputs);
  const validated = results.map((result, index): ValidatedRow => {
    const { cells, repairs } = mended[index] as Mended;
    const row = rows[index] as TableRow;
    const input = inputs[index] as AccountInput;
    const proposed = proposalOf(result, accountInput(cells, rutFormat), repairs, mends);
    const whole = wholeRow(proposed ?? input, directory);
    return { input, result, cut: losesCells(row.cells, width), whole, isProposed: proposed !== null };
  });
  counted.count(validated, mends ? mended.map(({ repairs }) => repairs) : []);
  const lines = kept.map((cells) => fitted(cells, width));
  await write.rows(lines.map((cells, index) => [...cells, ...addedCells(validated[index] as ValidatedRow, language)]));
  await write.repaired(kept.map((cells) => [...cells, ...Array(Math.max(0, width - cells.length)).fill('')]));
  await write.changes(
    validated.flatMap((row, index) =>
      changeLines((rows[index] as TableRow).line, row, (mended[index] as Mended).repairs, language),
    ),
  );
}

type Mended = { readonly cells: AccountCells; readonly repairs: readonly Repair[] };

/** Returns a row that a person may adopt: the repaired row with the suggestions of its validation. */
function proposalOf(
  result: BatchResult,
  mended: AccountInput,
  repairs: readonly Repair[],
  mends: boolean,
): AccountInput | null {
  const suggestions = 'validation' in result ? result.validation.suggestions : [];
  const isReadAsWritten = repairs.every(({ column }) => column === 'bank');
  if (suggestions.length === 0 && (mends || isReadAsWritten)) return null;
  return suggestions.reduce<AccountInput>(
    (row, { field, value }) =>
      field.endsWith('bankAccount') ? { ...row, account: value } : { ...row, bankCode: value },
    mended,
  );
}

function put(row: readonly string[], columns: Places<AccountColumn>, cells: AccountCells): readonly string[] {
  const changed = [...row];
  for (const column of Object.keys(columns) as AccountColumn[]) {
    const place = columns[column];
    if (place !== null && place < changed.length) changed[place] = cells[column] ?? '';
  }
  return changed;
}

/**
 * Pads a row to the width of the first row, so that the verdict is under its heading: spreadsheets add separators at
 * the end.
 */
function fitted(row: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_, index) => row[index] ?? '');
}

function losesCells(row: readonly string[], width: number): boolean {
  return row.slice(width).some((cell) => cell.trim() !== '');
}
