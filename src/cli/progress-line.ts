/** One line on a terminal that is written over, as long as somebody looks; without one, and with `--json`, nothing is said. */
export function progressLine({ json }: { json?: boolean }): {
  say: (what: string, rows: number) => void;
  clear: () => void;
} {
  const isWatched = json !== true && process.stderr.isTTY;
  const write = (text: string) => {
    if (isWatched) process.stderr.write(`\r\u001b[K${text}`);
  };
  return { say: (what, rows) => write(`${what}: ${rows}`), clear: () => write('') };
}
