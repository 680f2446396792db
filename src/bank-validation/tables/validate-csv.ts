import type { Readable, Writable } from 'node:stream';
import type { App } from '../../app.ts';
import type { Places } from '../../lib/tables/find-header.ts';
import { type Table, withTable } from '../../lib/tables/open-table.ts';
import { sayTableError } from '../../lib/tables/say-table-error.ts';
import { TableError, type TableRow, type TextDialect } from '../../lib/tables/table.ts';
import type { AccountInput } from '../account-checks.ts';
import type { Language } from '../check-messages.ts';
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
} from './account-columns.ts';
import { judgeColumn } from './column-format.ts';
import { type Counted, type CsvSummary, countCauses } from './csv-summary.ts';
import { type AccountCells, isSplit, plainRut, type Repair, repairAccount } from './repair-account.ts';
import { CHANGE_COLUMNS, changeLines } from './repair-changes.ts';
import { FILE_MESSAGES } from './table-messages.ts';
import { ADDED_COLUMNS, addedCells, type ValidatedRow } from './validated-row.ts';
import { type TableWriter, tableWriter } from './write-table.ts';

/** `onRows` is told how many rows are done, and how much of the file: 0 to 1; `onLook` the same while the column of RUTs is looked at. */
export type CsvOptions = {
  language?: Language;
  /** The owner of the validations; unless said, the command line. */
  actor?: ValidationActor;
  onRows?: (rows: number, done: number) => void;
  onLook?: (rows: number, done: number) => void;
  /** Where the columns stand, for a file without a header row, or with names that nobody knows. */
  columns?: Places<AccountColumn> | null;
  /** How RUTs of digits alone are written; null: see whether the whole column says it. */
  rutFormat?: RutFormat | null;
  /** Gets the table with what can be mended by rule, every row of it. The verdicts are then about the mended rows. */
  repaired?: Writable | null;
  /** Gets a line for each change, and for each row that is proposed and not made. */
  changes?: Writable | null;
};

/** A file that cannot be validated at all. The message is for the person at the keyboard. */
export class CsvError extends Error {}

/** Rows between two waits: as many as one commit takes, so that memory stays the same for any file. */
const ROWS_AT_ONCE = 500;

/**
 * Validates every row of a table (a path, or a stream such as standard input) and writes it with its verdict as text, in
 * order. Every cell stays as it was, zeros and all; a text file comes back in its own encoding and with its own separators,
 * and a workbook as CSV. What stands above the header row is left out. Reads and writes as a stream and leaves the outputs
 * open; `language`: of the sentences.
 *
 * Throws `CsvError` for a file that is no table or whose columns cannot be told.
 */
export async function validateCsv(
  app: App,
  source: string | Readable,
  output: Writable | null,
  options: CsvOptions = {},
): Promise<CsvSummary> {
  try {
    return await withTable(source, ACCOUNT_TABLE, (table) => validateTable(app, table, output, options));
  } catch (error) {
    throw error instanceof TableError ? new CsvError(sayTableError(error)[options.language ?? 'en']) : error;
  }
}

/** Whether a table has more than `most` rows, before anything of it is validated. Throws `CsvError` as `validateCsv` does. */
export async function hasMoreRows(source: Readable, most: number, language: Language): Promise<boolean> {
  try {
    return await withTable(source, ACCOUNT_TABLE, async ({ rows }) => {
      let count = 0;
      for await (const _row of rows) if (++count > most) return true;
      return false;
    });
  } catch (error) {
    throw error instanceof TableError ? new CsvError(sayTableError(error)[language]) : error;
  }
}

/** How the rows of this file are read and written. */
type Job = {
  readonly columns: Places<AccountColumn>;
  /** Cells of the input that each row is written with. */
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
  const told = options.rutFormat ?? formatOfName(names[columns.rut ?? -1] ?? '');
  const rutFormat = told ?? (await formatOfColumn(table, columns, directory, onLook));
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
  for await (const row of told === null ? table.rowsAgain() : table.rows) {
    rows.push(row);
    if (rows.length === ROWS_AT_ONCE) await flush();
  }
  await flush();
  return counted.end();
}

/** As spreadsheets in Chile open it with a click. */
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

/** Rows between two signs of life while nothing is written yet. */
const LOOKED_AT_ONCE = 5_000;

/** Reads the whole column before the first row is validated, because the last one may be the exception. */
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
  const inputs = kept.map((cells) => accountInput(accountCells(cells, columns), rutFormat));
  const results = await validateBatch(app, actor, inputs);
  const validated = results.map((result, index): ValidatedRow => {
    const { cells, repairs } = mended[index] as Mended;
    const row = rows[index] as TableRow;
    const input = inputs[index] as AccountInput;
    const proposed = proposalOf(result, accountInput(cells, rutFormat), repairs, mends);
    return { input, result, cut: losesCells(row.cells, width), proposed };
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

/** Proposes a row that a person may take over as it stands: the mended row, with the suggestions of its validation. */
function proposalOf(
  result: BatchResult,
  mended: AccountInput,
  repairs: readonly Repair[],
  mends: boolean,
): AccountInput | null {
  const suggestions = 'validation' in result ? result.validation.suggestions : [];
  if (suggestions.length === 0 && (mends || repairs.length === 0)) return null;
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

/** As wide as the first row, so that the verdict stands under its name: spreadsheets leave separators at the end. */
function fitted(row: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_, index) => row[index] ?? '');
}

function losesCells(row: readonly string[], width: number): boolean {
  return row.slice(width).some((cell) => cell.trim() !== '');
}
