/** With `--json` stdout is exactly one JSON object; otherwise lines for a person. */
export function print(options: { json?: boolean }, value: object, lines: readonly string[]): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}

/** The status of a command that was not understood (EX_USAGE), apart from those by which commands answer. */
export const EXIT_USAGE = 64;

/** Ends the command with a sentence, and with status 1 unless said. */
export class CommandError extends Error {
  readonly status: number;

  constructor(message: string, status = 1) {
    super(message);
    this.status = status;
  }
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** UTC, to the second. */
export function time(utcMs: number | null): string {
  return utcMs === null ? '—' : new Date(utcMs).toISOString().replace('T', ' ').slice(0, 19);
}
