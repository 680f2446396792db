import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import {
  isBlank,
  LONGEST_ROW,
  type Reading,
  TableError,
  type TableRow,
  type TextDialect,
  withoutNuls,
} from './table.ts';
import { chunksOf, decodeFile, encodeText, type FoundEncoding, findTextEncoding } from './text-encoding.ts';

const SEPARATORS: readonly string[] = [';', ',', '\t', '|'];

/** Returns the readings of a text file: one for each separator, the likeliest first. Throws `TableError`. */
export async function textReadings(file: FileHandle): Promise<Reading[]> {
  const found = await findTextEncoding(file);
  // Quoted cells are left out, because they can contain separators and line ends.
  const sample = (await firstText(file, found)).replace(/"[^"]*"/g, '');
  if (sample === '') throw new TableError('EMPTY', 'The file is empty.');
  const [lineEnd = '\n'] = /\r\n|\n|\r/.exec(sample) ?? [];
  const { size } = await file.stat();
  const relaxed = await holdsFormulas(file, found);
  return rankSeparators(sample).map((separator) =>
    textReading(
      file,
      { format: 'text', ...found, separator, lineEnd: lineEnd as TextDialect['lineEnd'] },
      size,
      relaxed,
    ),
  );
}

/**
 * Ranks the separators. The likeliest one occurs equally often in the most lines; if two tie, the more frequent one
 * wins. So a title above the table and decimal commas do not mislead the choice.
 */
export function rankSeparators(sample: string): string[] {
  const [, told] = /^sep=(.)[\r\n]/i.exec(sample) ?? [];
  const lines = sample
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, 200);
  const scored = SEPARATORS.map((separator) => {
    const counts = lines.map((line) => line.split(separator).length - 1).filter((count) => count > 0);
    const [most = []] = [...Map.groupBy(counts, (count) => count).values()].sort(
      (one, other) => other.length - one.length || (other[0] ?? 0) - (one[0] ?? 0),
    );
    return { separator, lines: separator === told ? Infinity : most.length, count: most[0] ?? 0 };
  });
  const held = scored
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.lines - one.lines || other.count - one.count);
  return held.length === 0 ? [','] : held.map(({ separator }) => separator);
}

async function firstText(file: FileHandle, { encoding }: FoundEncoding): Promise<string> {
  for await (const text of decodeFile(file, encoding)) {
    const start = text.slice(0, LONGEST_ROW);
    if (start.length > 0) return start.toString();
  }
  return '';
}

/** Returns whether the file has cells such as `="012"`, where quotes inside a cell are literal. */
async function holdsFormulas(file: FileHandle, { encoding }: FoundEncoding): Promise<boolean> {
  const sign = encodeText('="', encoding);
  let end = Buffer.alloc(0);
  for await (const chunk of chunksOf(file)) {
    if (chunk.includes(sign) || Buffer.concat([end, chunk.subarray(0, sign.length)]).includes(sign)) return true;
    end = Buffer.from(chunk.subarray(-sign.length));
  }
  return false;
}

function textReading(file: FileHandle, dialect: TextDialect, size: number, relaxed: boolean): Reading {
  let bytes = 0;
  return {
    dialect,
    done: () => (size === 0 ? 1 : Math.min(1, bytes / size)),
    rows: () => {
      bytes = 0;
      return readRows(
        decodeFile(file, dialect.encoding, (count) => {
          bytes += count;
        }),
        dialect.separator,
        relaxed,
      );
    },
  };
}

type Parsed = { record: string[]; info: { lines: number } };

async function* readRows(
  text: AsyncIterable<Buffer | string>,
  separator: string,
  relaxed: boolean,
): AsyncGenerator<TableRow> {
  const parser = parse({
    delimiter: separator,
    relax_column_count: true,
    relax_quotes: relaxed,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
    info: true,
    // The parser makes an error for each row that is longer or shorter than the first one, and an error takes ten times
    // as long as a row. So each row counts as the first one.
    on_record: (row) => {
      Object.assign(parser.info, { records: 0 });
      return row;
    },
  });
  // The parser reports pipeline errors while the rows are read.
  pipeline(Readable.from(text), parser, () => {});
  try {
    for await (const { record, info } of parser as Parser & AsyncIterable<Parsed>) {
      // The parser reports the line where a row ends.
      if (!isBlank(record)) yield { line: info.lines - endsOfLinesIn(record), cells: withoutNuls(record) };
    }
  } catch (error) {
    throw readableError(error);
  } finally {
    parser.destroy();
  }
}

function endsOfLinesIn(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (/[\r\n]/.test(cell) ? cell.split(/\r\n|\n|\r/).length - 1 : 0), 0);
}

/** The parser's own message quotes the file. */
function readableError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const { code, lines = 1 } = error as CsvError & { lines?: number };
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return new TableError(
      'ROW_TOO_LONG',
      `Line ${lines} is longer than ${LONGEST_ROW} characters. See that quotes end.`,
      lines,
    );
  }
  return new TableError(
    'NOT_CSV',
    `Line ${lines} cannot be read as CSV (${code}). Quotes stand around a whole cell, or nowhere.`,
    lines,
  );
}
