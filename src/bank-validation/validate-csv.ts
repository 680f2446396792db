import { once } from 'node:events';
import { pipeline, Readable, type Writable } from 'node:stream';
import { CsvError as ParseError, type Parser, parse } from 'csv-parse';
import { type Options as StringifyOptions, stringify } from 'csv-stringify/sync';
import type { App } from '../app.ts';
import type { AccountInput } from './account-checks.ts';
import { isValid, type Verdict } from './check.ts';
import { type Language, ROW_MESSAGES } from './check-messages.ts';
import { type CsvColumns, detectColumns, detectSeparator, findRepeated } from './csv-columns.ts';
import { type CsvEncoding, findEncoding } from './csv-encoding.ts';
import { COMMAND_LINE } from './validate-bank-account.ts';
import { type BatchResult, validateBatch } from './validate-batch.ts';

export type CsvOptions = { language?: Language; onRows?: (rows: number) => void; encoding?: CsvEncoding };

export type CsvSummary = { rows: number; refused: number } & Record<Verdict, number>;

/** A file that cannot be validated at all. The message is for the person at the keyboard. */
export class CsvError extends Error {}

/** Rows between two waits: as many as one commit takes, so that memory stays the same for any file. */
const ROWS_AT_ONCE = 500;
const LONGEST_ROW = 65_536;

/** How .xlsx and .ods (which are ZIP files) and .xls begin. */
const WORKBOOK_STARTS = [Buffer.from('PK\x03\x04'), Buffer.from('d0cf11e0', 'hex')];

/** Columns that the output has after those of the input. */
const ADDED = ['verdict', 'is_valid', 'codes', 'message', 'suggestions', 'validation_id'] as const;

/**
 * Validates every row of a CSV and writes it back with its verdict, in order. Every cell is text and stays as it was,
 * zeros and all, in the encoding of the file. Reads and writes as a stream and leaves `output` open; `onRows` is told how
 * many rows are done; `language` is that of the sentences; without `encoding` the beginning of the file decides.
 *
 * Throws `CsvError` for a file that is no CSV or whose columns cannot be told.
 */
export async function validateCsv(
  app: App,
  input: AsyncIterable<Buffer>,
  output: Writable,
  { language = 'en', onRows = () => {}, encoding }: CsvOptions = {},
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
  const { parser, mark, format, ...file } = await openParser(input, encoding);
  let columns: CsvColumns | null = null;
  let width = 0;
  let rows: string[][] = [];
  const flush = async () => {
    if (columns === null || rows.length === 0) return;
    const lines = await validateRows(app, rows, { width, columns, language }, summary);
    rows = [];
    await write(output, stringify(lines, format), file.encoding);
    onRows(summary.rows);
  };
  try {
    for await (const row of parser as AsyncIterable<string[]>) {
      if (columns === null) {
        columns = detectColumns(row);
        if (columns === null) throw unknownColumns(row);
        width = row.length;
        await write(output, mark + stringify([headerOf(row, columns)], format), file.encoding);
        if (columns.hasHeader) continue;
      }
      rows.push(row);
      if (rows.length === ROWS_AT_ONCE) await flush();
    }
    await flush();
  } catch (error) {
    throw readableError(error);
  }
  if (columns === null) throw new CsvError('The file is empty.');
  return summary;
}

type OpenFile = { parser: Parser; mark: string; format: StringifyOptions; encoding: CsvEncoding };

const MARK = Buffer.from('\ufeff');

/** What reads the rows, and how to write them as they came: byte order mark, encoding, separator, ends of lines. */
async function openParser(input: AsyncIterable<Buffer>, known: CsvEncoding | undefined): Promise<OpenFile> {
  const chunks = input[Symbol.asyncIterator]();
  const first = await chunks.next();
  const bytes = first.done === true ? Buffer.alloc(0) : first.value;
  refuseWorkbook(bytes);
  const marked = bytes.subarray(0, MARK.length).equals(MARK);
  const start = marked ? bytes.subarray(MARK.length) : bytes;
  // Only whole lines: a letter may be cut in two where the chunk ends.
  const encoding = known ?? (await findEncoding(Readable.from([start.subarray(0, start.lastIndexOf(10) + 1)])));
  // Without what is quoted, because a cell can hold separators and ends of lines of its own.
  const unquoted = start.toString(encoding).replace(/"[^"]*"/g, '');
  const [firstLine = '', end = '\n'] = unquoted.split(/(\r?\n)/, 2);
  const separator = detectSeparator(firstLine);
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  const parser = parse({
    delimiter: separator,
    encoding,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
  });
  // Its errors come out of the parser, which whoever reads the rows is told of.
  pipeline(Readable.from(all()), parser, () => {});
  return {
    parser,
    mark: marked && encoding === 'utf8' ? '\ufeff' : '',
    format: { delimiter: separator, record_delimiter: end, quoted_match: /[\r\n]/ },
    encoding,
  };
}

/** Reading on would find neither columns nor lines, and the message would say so of bytes that nobody has typed. */
function refuseWorkbook(start: Buffer): void {
  if (WORKBOOK_STARTS.some((bytes) => start.subarray(0, bytes.length).equals(bytes)))
    throw new CsvError('This is a spreadsheet whatever its name says. Open it and save it as CSV.');
  if (start.includes(0)) throw new CsvError('This is no text in UTF-8 or Latin-1. Save it as CSV in UTF-8.');
}

async function validateRows(
  app: App,
  rows: readonly string[][],
  { width, columns, language }: { width: number; columns: CsvColumns; language: Language },
  summary: CsvSummary,
): Promise<string[][]> {
  const inputs = rows.map((row) => inputOf(row, columns));
  const results = await validateBatch(app, COMMAND_LINE, inputs);
  return results.map((result, index) => {
    summary.rows++;
    if ('problem' in result) summary.refused++;
    else summary[result.validation.verdict]++;
    const row = rows[index] as string[];
    return [...fitted(row, width), ...cellsOf(result, inputs[index]?.account, losesCells(row, width), language)];
  });
}

function inputOf(row: readonly string[], columns: CsvColumns): AccountInput {
  // Spaces around a cell are of the file, not of the number.
  const cell = (column: number) => row[column]?.trim();
  const rut = cell(columns.rut);
  const checkCharacter = columns.checkCharacter === null ? undefined : cell(columns.checkCharacter);
  const whole = checkCharacter && !rut?.includes('-') ? `${rut}-${checkCharacter}` : rut;
  return { rut: whole, bankCode: cell(columns.bank), account: cell(columns.account) };
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

function headerOf(row: readonly string[], { hasHeader }: CsvColumns): string[] {
  const names = hasHeader ? row : row.map((_, index) => ['rut', 'bank', 'account'][index] ?? `column_${index + 1}`);
  return [...names, ...ADDED];
}

/** Waits while whoever takes the output is slower than we are. */
async function write(output: Writable, text: string, encoding: CsvEncoding): Promise<void> {
  if (output.errored) throw output.errored;
  if (!output.write(text, encoding)) await once(output, 'drain');
}

function unknownColumns(row: readonly string[]): CsvError {
  const repeated = findRepeated(row);
  if (repeated !== null) {
    const { column, names } = repeated;
    return new CsvError(`The first row names the column ${column} twice: ${names.join(' | ')}. Rename all but one.`);
  }
  // A first row with digits is data, and data does not belong on a screen.
  const found = row.slice(0, 20).map((name) => (/\d/.test(name) ? '…' : name.slice(0, 40)));
  return new CsvError(
    `Which columns are RUT, bank and account? Name them rut, bank and account in the first row. Found: ${found.join(' | ')}`,
  );
}

function readableError(error: unknown): unknown {
  if (!(error instanceof ParseError)) return error;
  // Its own message repeats what stands in the file.
  const { code, lines } = error as ParseError & { lines?: number };
  return new CsvError(
    `Line ${lines ?? 1} cannot be read as CSV (${code}). Quotes stand around a whole cell, or nowhere.`,
  );
}
