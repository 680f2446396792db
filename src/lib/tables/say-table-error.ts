import type { Table } from './open-table.ts';
import { TableError, type TableErrorCode } from './table.ts';

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
 * Throws `refusal` if a workbook has more than one visible sheet with such a table, once its `rows` have ended: it may
 * have a sheet for each month, and only a person knows which one is meant.
 */
export async function refuseOtherSheets(
  { dialect, otherSheets }: Pick<Table, 'dialect' | 'otherSheets'>,
  refusal: (why: Said) => Error,
): Promise<void> {
  const others = await otherSheets();
  if (others.length === 0 || !('sheet' in dialect)) return;
  const named = `${[dialect.sheet, ...others].slice(0, 12).join(', ')}${others.length > 11 ? ' …' : ''}`;
  throw refusal({
    en: `More than one sheet has such a table: ${named}. Keep the one that you mean, or hide the others.`,
    es: `Más de una hoja tiene una tabla así: ${named}. Deja solo la que quieres usar, u oculta las demás.`,
  });
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
