/** The reasons why a table of bank accounts cannot be read. `{found}` and `{column}` come from its first row. */
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
