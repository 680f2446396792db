/**
 * Rows of cells as an .xlsx of one sheet; as a heading the first row is in bold and kept in sight. A text stays a text, zeros
 * and all: a spreadsheet does not compute it. The library is loaded with the first workbook.
 */
export async function writeWorkbook(
  name: string,
  rows: readonly (readonly (string | number | null)[])[],
  { heading }: { heading: boolean } = { heading: true },
): Promise<Buffer> {
  const { default: write } = await import('write-excel-file/node');
  const cells = rows.map((row, at) =>
    row.map((value) => {
      if (value === null || value === '') return null;
      const style = heading && at === 0 ? ({ fontWeight: 'bold' } as const) : {};
      return typeof value === 'number' ? { value, type: Number, ...style } : { value, type: String, ...style };
    }),
  );
  // A name of a sheet is shorter, and has none of these signs.
  const sheet = name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31);
  return write(cells, heading ? { sheet, stickyRowsCount: 1 } : { sheet }).toBuffer();
}
