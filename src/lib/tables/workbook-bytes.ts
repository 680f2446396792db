/** The rows of a workbook with one sheet. `heading`: the first row is bold and stays in view. */
export type WorkbookWish = {
  readonly sheet: string;
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly heading: boolean;
};

/** Returns the bytes of an .xlsx. The library is loaded with the first workbook. */
export async function workbookBytes({ sheet, rows, heading }: WorkbookWish): Promise<Buffer> {
  const { default: write } = await import('write-excel-file/node');
  const cells = rows.map((row, at) =>
    row.map((value) => {
      if (value === null || value === '') return null;
      const style = heading && at === 0 ? ({ fontWeight: 'bold' } as const) : {};
      return typeof value === 'number' ? { value, type: Number, ...style } : { value, type: String, ...style };
    }),
  );
  return write(cells, heading ? { sheet, stickyRowsCount: 1 } : { sheet }).toBuffer();
}
