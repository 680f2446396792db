/** Prints the counts of a harness, because a result without numbers proves nothing. */
export function report(name: string, counts: Record<string, unknown>): void {
  const parts = Object.entries(counts).map(([what, value]) => `${what} ${format(value)}`);
  console.log(`${name}: ${parts.join(', ')}`);
}

function format(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en') : String(value);
}
