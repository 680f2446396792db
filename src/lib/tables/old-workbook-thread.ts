import { parentPort, workerData } from 'node:worker_threads';
import { type CellObject, read } from '@e965/xlsx';
import { formatNumber, formatOfCode } from './cell-format.ts';
import {
  isBlank,
  LONGEST_ROW,
  mostRowsOf,
  sizeOfRow,
  type TableErrorCode,
  type TableRow,
  withoutNuls,
} from './table.ts';

/** A visible sheet, with its rows that are not blank. */
export type OldSheet = { readonly name: string; readonly rows: readonly TableRow[] };

/** The sheets of an .xls, or why it cannot be read. */
export type OldWorkbook = { readonly sheets: readonly OldSheet[] } | { readonly code: TableErrorCode };

/** About 65,536 rows of fifteen columns. */
const MOST_CELLS = 1_000_000;

parentPort?.postMessage(readOldWorkbook(workerData as Uint8Array));

/**
 * Reads an .xls into texts, as the .xlsx reader does. The library's errors quote the file, so only a code is returned.
 */
function readOldWorkbook(bytes: Uint8Array): OldWorkbook {
  try {
    const { SheetNames, Sheets, Workbook } = read(bytes, {
      type: 'array',
      dense: true,
      cellFormula: false,
      cellHTML: false,
      cellText: false,
      cellNF: true,
    });
    const isSeen = (at: number) => (Workbook?.Sheets?.[at]?.Hidden ?? 0) === 0;
    const seen = SheetNames.filter((_, at) => isSeen(at)).map((name) => ({
      name,
      rows: Array.from(Sheets[name]?.['!data'] ?? []),
      isHidden: (row: number) => Sheets[name]?.['!rows']?.[row]?.hidden === true,
    }));
    if (seen.length === 0) return { code: 'BROKEN_WORKBOOK' };
    const cells = seen.reduce((sum, { rows }) => rows.reduce((all, row) => all + (row?.length ?? 0), sum), 0);
    if (cells > MOST_CELLS) return { code: 'WORKBOOK_TOO_LARGE' };
    const dates1904 = Workbook?.WBProps?.date1904 === true;
    const sheets = seen.map(({ name, rows, isHidden }) => ({ name, rows: rowsOf(rows, dates1904, isHidden) }));
    if (sheets.some(({ rows }) => rows.some(isTooLong))) return { code: 'ROW_TOO_LONG' };
    const size = sheets.reduce((sum, { rows }) => rows.reduce((all, row) => all + sizeOfRow(row), sum), 0);
    // A text that many cells share is copied for each of them when it leaves the thread.
    return size > mostRowsOf(bytes.length) ? { code: 'WORKBOOK_TOO_LARGE' } : { sheets };
  } catch (error) {
    return { code: /password|encrypt/i.test(String(error)) ? 'LOCKED_WORKBOOK' : 'BROKEN_WORKBOOK' };
  }
}

/** Blank rows and cells are missing. */
type Cells = readonly (readonly (CellObject | null | undefined)[] | undefined)[];

function rowsOf(rows: Cells, dates1904: boolean, isHidden: (row: number) => boolean): TableRow[] {
  return rows.flatMap((row, at) => {
    const cells = withoutNuls(Array.from(row ?? [], (cell) => textOf(cell, dates1904)));
    return isBlank(cells) ? [] : [{ line: at + 1, cells, ...(isHidden(at) && { hidden: true }) }];
  });
}

function isTooLong({ cells }: TableRow): boolean {
  return cells.reduce((sum, { length }) => sum + length, 0) > LONGEST_ROW;
}

function textOf(cell: CellObject | null | undefined, dates1904: boolean): string {
  const { t, v, z } = cell ?? {};
  if (t === 'e') return '#N/A';
  if (v === undefined || t === 'z') return '';
  if (t === 'b') return v === true ? 'TRUE' : 'FALSE';
  return t === 'n' ? formatNumber(String(v), formatOfCode(String(z ?? '')), dates1904) : String(v);
}
