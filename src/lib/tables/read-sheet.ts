import type { Readable } from 'node:stream';
import { type CellFormat, formatNumber } from './cell-format.ts';
import type { SharedTexts } from './shared-texts.ts';
import { isBlank, LONGEST_ROW, MOST_COLUMNS, sizeOfRow, TableError, type TableRow } from './table.ts';
import { type Attributes, type XmlHandlers, xmlChunks } from './xml-events.ts';

/** The parts of a workbook that its cells refer to. `most`: from `mostRowsOf`. */
export type SheetContext = {
  texts: SharedTexts;
  formats: readonly CellFormat[];
  dates1904: boolean;
  most: number;
};

/** Yields the rows of a sheet as they are read. `onBytes` receives how many bytes of the part were read. */
export async function* readSheet(
  part: Readable | null,
  context: SheetContext,
  onBytes: (count: number) => void,
): AsyncGenerator<TableRow> {
  let rows: TableRow[] = [];
  let size = 0;
  const handlers = sheetHandlers(context, (row) => {
    size += sizeOfRow(row);
    if (size > context.most) throw tooLarge();
    rows.push(row);
  });
  for await (const bytes of xmlChunks(part, handlers)) {
    onBytes(bytes);
    yield* rows;
    rows = [];
  }
  yield* rows;
}

function sheetHandlers(context: SheetContext, onRow: (row: TableRow) => void): XmlHandlers {
  let line = 0;
  let hidden = false;
  let cells: string[] = [];
  let column = -1;
  let characters = 0;
  let cell: Attributes = {};
  let value = '';
  let isFormula = false;
  let inValue = false;
  let inPhonetic = false;
  return {
    onOpen: (element, attributes) => {
      if (element === 'row') {
        line = Number(attributes.r ?? line + 1);
        if (!Number.isSafeInteger(line) || line < 1) throw new Error('A row without a number');
        hidden = isTrue(attributes.hidden) || (isTrue(attributes.customHeight) && Number(attributes.ht ?? 1) === 0);
        cells = [];
        column = -1;
        characters = 0;
      } else if (element === 'c') {
        cell = attributes;
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        value = '';
        isFormula = false;
      } else if (element === 'f') isFormula = true;
      else if (element === 'rPh') inPhonetic = true;
      else if (element === 'v' || element === 't') inValue = !inPhonetic;
    },
    onText: (text) => {
      if (!inValue) return;
      value += text;
      characters += text.length;
      if (characters > LONGEST_ROW) throw tooLong(line);
    },
    onClose: (element) => {
      if (element === 'v' || element === 't') inValue = false;
      else if (element === 'rPh') inPhonetic = false;
      else if (element === 'c' && (value !== '' || (isFormula && cell.t !== 'str'))) {
        if (column < 0 || column >= MOST_COLUMNS) throw tooLong(line);
        while (cells.length < column) cells.push('');
        // A program that does not compute writes formulas without their results: an empty cell would hide an amount.
        const text = value === '' ? '#N/A' : textOf(cell, value, context);
        // Many cells may refer to one shared text, and a format may have any number of zeros.
        characters += text.length - value.length;
        if (characters > LONGEST_ROW) throw tooLong(line);
        cells[column] = text;
      } else if (element === 'row' && !isBlank(cells)) onRow({ line, cells, ...(hidden && { hidden }) });
    },
  };
}

function textOf({ t = 'n', s = '0' }: Attributes, value: string, { texts, formats, dates1904 }: SheetContext): string {
  if (t === 's') return texts.at(Number(value));
  if (t === 'n') return formatNumber(value, formats[Number(s)] ?? 'plain', dates1904);
  if (t === 'b') return isTrue(value) ? 'TRUE' : 'FALSE';
  // Some programs write a day with a time of 00:00.
  if (t === 'd') return value.replace('T', ' ').replace(/ 00:00:00(\.0+)?Z?$/, '');
  return value;
}

/** A truth value of XML has two spellings. */
function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** Returns the index of a column: `B7` is 1. */
function columnOf(reference: string): number {
  const [letters = ''] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function tooLarge(): TableError {
  return new TableError(
    'WORKBOOK_TOO_LARGE',
    'The cells of this .xlsx have far more text than the file itself. Save the sheet as CSV.',
  );
}

function tooLong(line: number): TableError {
  return new TableError(
    'ROW_TOO_LONG',
    `Row ${line} is longer than ${LONGEST_ROW} characters, or than ${MOST_COLUMNS} columns.`,
    line,
  );
}
