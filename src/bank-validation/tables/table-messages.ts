import type { TableError, TableErrorCode } from '../../lib/tables/table.ts';
import type { Language } from '../check-messages.ts';

/** Why a file is not a table, in the language of the person. English is what the reader of tables says itself. */
export function tableMessage({ code, line, message }: TableError, language: Language): string {
  return language === 'en' ? message : SPANISH[code](line ?? 1);
}

const SPANISH: Readonly<Record<TableErrorCode, (line: number) => string>> = {
  EMPTY: () => 'El archivo está vacío o no tiene ninguna tabla.',
  NOT_TEXT: () => 'El archivo no es texto, ni una planilla .xlsx. Guárdalo como CSV UTF-8 o como .xlsx.',
  NOT_CSV: (line) => `La línea ${line} no se puede leer como CSV. Las comillas rodean la celda completa, o no van.`,
  ROW_TOO_LONG: (line) => `La línea ${line} es demasiado larga. Revisa que las comillas se cierren.`,
  OLD_WORKBOOK: () => 'Es una planilla antigua (.xls) o con contraseña. Guárdala como .xlsx sin contraseña.',
  BROKEN_WORKBOOK: () => 'La planilla está dañada o incompleta. Ábrela y guárdala de nuevo como .xlsx.',
  WORKBOOK_TOO_LARGE: () => 'La planilla es demasiado grande. Guárdala como CSV.',
};

/** The reasons why a table of bank accounts cannot be read. `{found}` and `{column}` are of its first row. */
export const FILE_MESSAGES = {
  EMPTY: { en: 'The file is empty.', es: 'El archivo está vacío.' },
  COLUMN_TWICE: {
    en: 'The first row names the column {column} twice: {found}. Rename all but one.',
    es: 'La primera fila nombra dos veces la columna {column}: {found}. Cambia el nombre de todas menos una.',
  },
  COLUMNS_UNKNOWN: {
    en: 'Which columns are RUT, bank and account? Name them rut, bank and account in the first row, or say their order with --columns rut,bank,account (- for a column that does not matter, dv for a check character of its own, holder for a name). Found: {found}',
    es: '¿Qué columnas son RUT, banco y cuenta? Nómbralas rut, banco y cuenta en la primera fila, o indica su orden con --columns rut,bank,account (- para una columna que no importa, dv para un dígito verificador aparte, holder para un nombre). Encontrado: {found}',
  },
} as const;
