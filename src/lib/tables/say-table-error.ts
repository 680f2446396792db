import type { Table } from './open-table.ts';
import { type Dialect, TableError, type TableErrorCode } from './table.ts';

type Said = { readonly en: string; readonly es: string };

/**
 * For the `catch` of `withTable`: throws `refusal` of a file that is not a table, with the reason in both languages, and
 * any other error as it is.
 */
export function refuseTable(refusal: (why: Said) => Error): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TableError)) throw error;
    throw refusal({ en: error.message, es: SPANISH[error.code](error.line ?? 1) });
  };
}

/**
 * Throws `refusal` if the table has a hidden row, or if the file has a second such table. Every reader of a person's file
 * calls it, once `rows` of the table have ended: what a person has not seen is not acted on.
 */
export async function refuseUnseen(
  table: Pick<Table, 'dialect' | 'hiddenLines' | 'otherTables'>,
  refusal: (why: Said) => Error,
): Promise<void> {
  refuseHiddenRows(table.hiddenLines, refusal);
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
  NOT_CSV: (line) => `La línea ${line} no se puede leer como CSV. Las comillas rodean la celda completa, o no van.`,
  ROW_TOO_LONG: (line) => `La línea ${line} es demasiado larga. Revisa que las comillas se cierren.`,
  LOCKED_WORKBOOK: () => 'La planilla tiene contraseña. Guárdala sin contraseña.',
  BROKEN_WORKBOOK: () => 'La planilla está dañada o incompleta. Ábrela y guárdala de nuevo como .xlsx.',
  WORKBOOK_TOO_LARGE: () => 'La planilla es demasiado grande. Guárdala como .xlsx o CSV.',
};
