/**
 * Rows of cells as an .xlsx of one sheet, the first row in bold and kept in sight. A text stays a text: a spreadsheet
 * computes none of them. The library is loaded with the first workbook.
 */
export async function writeWorkbook(
  name: string,
  rows: readonly (readonly (string | number | null)[])[],
): Promise<Buffer> {
  const { default: write } = await import('write-excel-file/node');
  const cells = rows.map((row, at) =>
    row.map((value) => {
      if (value === null || value === '') return null;
      const style = at === 0 ? ({ fontWeight: 'bold' } as const) : {};
      return typeof value === 'number' ? { value, type: Number, ...style } : { value, type: String, ...style };
    }),
  );
  // A name of a sheet is shorter, and has none of these signs.
  return write(cells, { sheet: name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31), stickyRowsCount: 1 }).toBuffer();
}
