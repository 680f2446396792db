import { ZipFile } from 'yazl';

/** A text, a number with the index of its format in `FORMATS`, or an empty cell. */
export type WorkbookCell = string | number | { value: number; format: number } | null;

/** The formats of cells: 0 plain, 1 a day, 2 ten digits with zeros, 3 a day with hours. */
const FORMATS = [0, 14, 164, 165];

export type WorkbookSheet = {
  name: string;
  hidden?: boolean;
  rows: readonly (readonly WorkbookCell[] | null)[];
  /** The rows that a filter hides, from 1. */
  hiddenRows?: readonly number[];
  /** The attributes of these rows; by default those of a filter. */
  hiding?: string;
};

/**
 * Writes an .xlsx like a spreadsheet program: shared texts, styles, one part for each sheet. A null row is left out.
 */
export async function makeWorkbook(
  sheets: readonly WorkbookSheet[],
  parts: Record<string, string> = {},
): Promise<Buffer> {
  const texts: string[] = [];
  const bodies = sheets.map((sheet) => sheetPart(sheet, texts));
  const all: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook><sheets>${sheets.map(({ name, hidden }, at) => `<sheet name="${escape(name)}" sheetId="${at + 1}"${hidden === true ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${sheets.map((_, at) => `<Relationship Id="rId${at + 1}" Target="worksheets/sheet${at + 1}.xml"/>`).join('')}</Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0000000000"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${FORMATS.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(bodies.map((body, at) => [`xl/worksheets/sheet${at + 1}.xml`, body])),
    ...parts,
  };
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(all)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sheetPart({ rows, hiddenRows = [], hiding = 'hidden="1"' }: WorkbookSheet, texts: string[]): string {
  const body = rows.map((row, at) =>
    row === null
      ? ''
      : `<row r="${at + 1}"${hiddenRows.includes(at + 1) ? ` ${hiding}` : ''}>${row.map((cell, column) => cellPart(cell, `${columnName(column)}${at + 1}`, texts)).join('')}</row>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><worksheet><sheetData>${body.join('')}</sheetData></worksheet>`;
}

function cellPart(cell: WorkbookCell, place: string, texts: string[]): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return `<c r="${place}" t="s"><v>${texts.push(cell) - 1}</v></c>`;
  const { value, format } = typeof cell === 'number' ? { value: cell, format: 0 } : cell;
  return `<c r="${place}" s="${format}"><v>${value}</v></c>`;
}

function columnName(column: number): string {
  return column < 26
    ? String.fromCharCode(65 + column)
    : columnName(Math.floor(column / 26) - 1) + columnName(column % 26);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
