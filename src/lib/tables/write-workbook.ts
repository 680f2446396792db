/**
 * Writes rows of cells as an .xlsx with one sheet. With a heading, the first row is bold and stays in view. A text
 * stays text, with its leading zeros: a spreadsheet does not compute it. The library is loaded with the first workbook.
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
  // A sheet name has at most 31 characters and none of these signs.
  const sheet = name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31);
  return write(cells, heading ? { sheet, stickyRowsCount: 1 } : { sheet }).toBuffer();
}
