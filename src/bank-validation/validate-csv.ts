import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type Options as StringifyOptions, stringify } from 'csv-stringify/sync';
import type { App } from '../app.ts';
import type { Places } from '../lib/tables/find-header.ts';
import { type Table, withTable } from '../lib/tables/open-table.ts';
import { TableError, type TextDialect } from '../lib/tables/table.ts';
import { encodeText } from '../lib/tables/text-encoding.ts';
import type { AccountInput } from './account-checks.ts';
import { ACCOUNT_TABLE, type AccountColumn, columnsUnknown, columnsWithoutHeader } from './account-columns.ts';
import { isValid, type Verdict } from './check.ts';
import { type Language, ROW_MESSAGES } from './check-messages.ts';
import { COMMAND_LINE } from './validate-bank-account.ts';
import { type BatchResult, validateBatch } from './validate-batch.ts';

/** `onRows` is told how many rows are done, and how much of the file: 0 to 1. */
export type CsvOptions = { language?: Language; onRows?: (rows: number, done: number) => void };

export type CsvSummary = { rows: number; refused: number } & Record<Verdict, number>;

/** A file that cannot be validated at all. The message is for the person at the keyboard. */
export class CsvError extends Error {}

/** Rows between two waits: as many as one commit takes, so that memory stays the same for any file. */
const ROWS_AT_ONCE = 500;

/** Columns that the output has after those of the input. */
const ADDED = ['verdict', 'is_valid', 'codes', 'message', 'suggestions', 'validation_id'] as const;

/**
 * Validates every row of a table (a path, or a stream such as standard input) and writes it with its verdict as text, in
 * order. Every cell stays as it was, zeros and all; a text file comes back in its own encoding and with its own separators,
 * and a workbook as CSV. What stands above the header row is left out. Reads and writes as a stream and leaves `output`
 * open; `language` is that of the sentences.
 *
 * Throws `CsvError` for a file that is no table or whose columns cannot be told.
 */
export async function validateCsv(
  app: App,
  source: string | Readable,
  output: Writable,
  options: CsvOptions = {},
): Promise<CsvSummary> {
  try {
    return await withTable(source, ACCOUNT_TABLE, (table) => validateTable(app, table, output, options));
  } catch (error) {
    throw error instanceof TableError ? new CsvError(error.message) : error;
  }
}

/** The table as it is written: `width` cells of the input, then the added ones. */
type Shape = { columns: Places<AccountColumn>; width: number };

async function validateTable(
  app: App,
  table: Table<AccountColumn>,
  output: Writable,
  { language = 'en', onRows = () => {} }: CsvOptions,
): Promise<CsvSummary> {
  const summary: CsvSummary = {
    rows: 0,
    refused: 0,
    invalid: 0,
    plausible: 0,
    confirmed: 0,
    mismatch: 0,
    undetermined: 0,
  };
  const dialect = table.dialect.format === 'text' ? table.dialect : CSV_OF_WORKBOOK;
  const { names, columns } = headOf(table);
  const shape = { columns, width: names.length };
  await write(output, [[...names, ...ADDED]], dialect, dialect.byteOrderMark ? '\ufeff' : '');
  let rows: (readonly string[])[] = [];
  const flush = async () => {
    if (rows.length === 0) return;
    const lines = await validateRows(app, rows, { ...shape, language }, summary);
    rows = [];
    await write(output, lines, dialect);
    onRows(summary.rows, table.done());
  };
  for await (const { cells } of table.rows) {
    rows.push(cells);
    if (rows.length === ROWS_AT_ONCE) await flush();
  }
  await flush();
  return summary;
}

/** As spreadsheets in Chile open it with a click. */
const CSV_OF_WORKBOOK: TextDialect = {
  format: 'text',
  encoding: 'utf-8',
  byteOrderMark: true,
  separator: ';',
  lineEnd: '\r\n',
};

function headOf({ header, above }: Table<AccountColumn>): { names: readonly string[]; columns: Places<AccountColumn> } {
  if (header !== null) return { names: header.row.cells, columns: header.places };
  const first = above[0]?.cells;
  if (first === undefined) throw new CsvError('The file is empty.');
  const columns = columnsWithoutHeader(first);
  if (columns === null) throw new CsvError(columnsUnknown(above));
  return { names: first.map((_, index) => ['rut', 'bank', 'account'][index] ?? `column_${index + 1}`), columns };
}

async function validateRows(
  app: App,
  rows: readonly (readonly string[])[],
  { width, columns, language }: Shape & { language: Language },
  summary: CsvSummary,
): Promise<string[][]> {
  const inputs = rows.map((row) => inputOf(row, columns));
  const results = await validateBatch(app, COMMAND_LINE, inputs);
  return results.map((result, index) => {
    summary.rows++;
    if ('problem' in result) summary.refused++;
    else summary[result.validation.verdict]++;
    const row = rows[index] as readonly string[];
    return [...fitted(row, width), ...cellsOf(result, inputs[index]?.account, losesCells(row, width), language)];
  });
}

function inputOf(row: readonly string[], columns: Places<AccountColumn>): AccountInput {
  // Spaces around a cell are of the file, not of the number.
  const cell = (column: AccountColumn) => row[columns[column] ?? -1]?.trim();
  const rut = cell('rut');
  const checkCharacter = cell('checkCharacter');
  const whole = checkCharacter && !rut?.includes('-') ? `${rut}-${checkCharacter}` : rut;
  return { rut: whole, bankCode: cell('bank'), account: cell('account') };
}

/** As wide as the first row, so that the verdict stands under its name: spreadsheets leave separators at the end. */
function fitted(row: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_, index) => row[index] ?? '');
}

function losesCells(row: readonly string[], width: number): boolean {
  return row.slice(width).some((cell) => cell.trim() !== '');
}

function cellsOf(result: BatchResult, account: unknown, cut: boolean, language: Language): string[] {
  const row = cut ? [{ code: 'ROW_WIDTH', message: ROW_MESSAGES.ROW_WIDTH[language] }] : [];
  const joined = (parts: readonly string[]) => parts.join(' ');
  if ('problem' in result) {
    const { code, message } = result.problem;
    const told = [...row, { code, message }];
    return [
      'undetermined',
      'false',
      joined(told.map((one) => one.code)),
      joined(told.map((one) => one.message)),
      '',
      '',
    ];
  }
  const { verdict, checks, suggestions, id } = result.validation;
  const told = checks.filter(({ result: outcome, code }) => code !== null && outcome !== 'not_performed');
  const sentences = told
    .filter(({ result: outcome }) => outcome !== 'pass')
    .map(({ code, message }) =>
      code === 'ACCOUNT_BAD_FORMAT' && DESTROYED.test(String(account))
        ? ROW_MESSAGES.NUMBER_DESTROYED[language]
        : message[language],
    );
  return [
    verdict,
    String(isValid(verdict)),
    joined([...row.map(({ code }) => code), ...told.map(({ code }) => code as string)]),
    joined([...row.map(({ message }) => message), ...sentences]),
    suggestions.map(({ field, value }) => `${field.split('/').at(-1)}=${value}`).join(' '),
    id,
  ];
}

/** How spreadsheets show a long number: 1,23457E+11. Its last digits are gone. */
const DESTROYED = /^\d([.,]\d+)?E\+\d+$/i;

/** Waits while whoever takes the output is slower than we are. */
async function write(
  output: Writable,
  rows: readonly (readonly string[])[],
  { separator, lineEnd, encoding }: TextDialect,
  before = '',
): Promise<void> {
  const format: StringifyOptions = { delimiter: separator, record_delimiter: lineEnd, quoted_match: /[\r\n]/ };
  if (output.errored) throw output.errored;
  if (!output.write(encodeText(before + stringify([...rows], format), encoding))) await once(output, 'drain');
}
