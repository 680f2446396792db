import type { Table } from './open-table.ts';
import { type Dialect, isBlank, TableError, type TableErrorCode, type TableRow } from './table.ts';

type Said = { readonly en: string; readonly es: string };

/**
 * For the `catch` of `withTable`: throws `refusal` of a file that is not a table, with the reason in both languages,
 * and any other error as it is.
 */
export function refuseTable(refusal: (why: Said) => Error): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TableError)) throw error;
    throw refusal({ en: error.message, es: SPANISH[error.code](error.line ?? 1) });
  };
}

/**
 * Throws `refusal` if a line of a text file has a cell more than the row of names: a separator without quotes, as in an
 * amount of 12,990, has cut a cell, and the columns after it have moved.
 */
export function refuseLonger(
  { dialect, header }: Pick<Table, 'dialect' | 'header'>,
  { line, cells }: TableRow,
  refusal: (why: Said) => Error,
): void {
  if (dialect.format !== 'text' || header === null || cells.length <= header.row.cells.length) return;
  const isComma = dialect.separator === ',';
  // The last column may be empty: then the amount has moved only an empty cell out of the row.
  const hasCut = isComma && cells.some((cell, at) => isCutAmount(cell, cells[at + 1] ?? ''));
  if (isBlank(cells.slice(header.row.cells.length)) && !hasCut) return;
  const separator = dialect.separator === '\t' ? 'tab' : dialect.separator;
  throw refusal({
    en: `Line ${line} has more cells than the row of names: perhaps a cell contains the separator (${separator}) without quotes${isComma ? ', as in 12,990' : ''}. Write that cell in quotes.`,
    es: `La línea ${line} tiene más celdas que la fila de nombres: quizás una celda lleva el separador (${separator}) sin comillas${isComma ? ', como 12,990' : ''}. Escribe esa celda entre comillas.`,
  });
}

/** Returns whether a cell and the next one may be an amount of thousands that its comma has cut, such as 12 and 990. */
export function isCutAmount(cell: string, next: string): boolean {
  return /^[-$\s]*\d{1,3}$/.test(cell.trim()) && /^\d{3}$/.test(next.trim());
}

/**
 * Throws `refusal` if the table has a hidden row or joined lines, or if the file has a second such table. Every reader
 * of a person's file calls it, once `rows` of the table have ended: what a person has not seen is not acted on.
 */
export async function refuseUnseen(
  table: Pick<Table, 'dialect' | 'hiddenLines' | 'joinedLines' | 'otherTables'>,
  refusal: (why: Said) => Error,
): Promise<void> {
  refuseHiddenRows(table.hiddenLines, refusal);
  refuseJoinedLines(table.joinedLines, refusal);
  await refuseOtherTables(table, refusal);
}

/** A workbook may have a sheet for each month, and a page a table: only a person knows which one is meant. */
async function refuseOtherTables(
  { dialect, otherTables }: Pick<Table, 'dialect' | 'otherTables'>,
  refusal: (why: Said) => Error,
): Promise<void> {
  const others = await otherTables();
  if (others.length === 0) return;
  const named = listed([dialect, ...others].map(nameOf), 12);
  if ('table' in dialect)
    throw refusal({
      en: `The page has more than one such table: ${named}. Save the one that you mean as .xlsx or CSV.`,
      es: `La página tiene más de una tabla así: ${named}. Guarda la que quieres usar como .xlsx o CSV.`,
    });
  throw refusal({
    en: `More than one sheet has such a table: ${named}. Keep the one that you mean, or hide the others.`,
    es: `Más de una hoja tiene una tabla así: ${named}. Deja solo la que quieres usar, u oculta las demás.`,
  });
}

/** A person means to leave a hidden row out, or has not seen it. */
function refuseHiddenRows(lines: readonly number[], refusal: (why: Said) => Error): void {
  if (lines.length === 0) return;
  const named = listed(lines, 20);
  throw refusal({
    en: `The spreadsheet hides these rows, perhaps by a filter: ${named}. Show them to use them too, or delete them.`,
    es: `La planilla oculta estas filas, quizás con un filtro: ${named}. Muéstralas para usarlas también, o bórralas.`,
  });
}

function refuseJoinedLines(lines: readonly number[], refusal: (why: Said) => Error): void {
  if (lines.length === 0) return;
  const named = listed(lines, 20);
  throw refusal({
    en: `A quote opens in one line and closes in a later one, so that whole lines are in one cell: see line ${named}. Remove the quote, or write it twice in quotes.`,
    es: `Unas comillas se abren en una línea y se cierran en otra, y líneas enteras quedan en una celda: revisa la línea ${named}. Quítalas, o escríbelas dobles entre comillas.`,
  });
}

function nameOf(dialect: Dialect): string {
  if ('sheet' in dialect) return dialect.sheet;
  return 'table' in dialect ? String(dialect.table) : '';
}

function listed(items: readonly (string | number)[], most: number): string {
  return `${items.slice(0, most).join(', ')}${items.length > most ? ' …' : ''}`;
}

const SPANISH: Readonly<Record<TableErrorCode, (line: number) => string>> = {
  EMPTY: () => 'El archivo está vacío o no tiene ninguna tabla.',
  NOT_TEXT: () => 'El archivo no es texto, ni una planilla .xlsx. Guárdalo como CSV UTF-8 o como .xlsx.',
  PDF_FILE: () => 'El archivo es un PDF, que no tiene una tabla. Descarga los mismos datos como .xlsx o CSV.',
  NOT_CSV: (line) => `La línea ${line} no se puede leer como CSV. Las comillas rodean la celda completa, o no van.`,
  ROW_TOO_LONG: (line) => `La línea ${line} es demasiado larga. Revisa que las comillas se cierren.`,
  LOCKED_WORKBOOK: () => 'La planilla tiene contraseña. Guárdala sin contraseña.',
  BROKEN_WORKBOOK: () => 'La planilla está dañada o incompleta. Ábrela y guárdala de nuevo como .xlsx.',
  WORKBOOK_TOO_LARGE: () => 'La planilla es demasiado grande. Guárdala como .xlsx o CSV.',
};
