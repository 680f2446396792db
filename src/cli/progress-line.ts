/** Somebody who reads a log wants to see that it goes on, and not every page. */
const LINE_EVERY_MS = 10_000;

export type ProgressLine = {
  /** `part` of the way is behind, from 0 to 1; null: nobody knows. */
  say: (what: string, rows: number, part?: number | null) => void;
  /** A sentence that stays. */
  note: (sentence: string) => void;
  clear: () => void;
};

/**
 * How far a command is, on stderr: on a terminal one line that is written over, elsewhere a line every ten seconds. `now` in
 * milliseconds.
 */
export function progressLine(now: () => number = () => performance.now()): ProgressLine {
  const { stderr } = process;
  let last = now();
  const say = (what: string, rows: number, part: number | null = null) => {
    const percent = part === null || !Number.isFinite(part) ? '' : ` (${Math.floor(Math.min(1, part) * 100)} %)`;
    const text = `${what}: ${rows}${percent}`;
    if (stderr.isTTY) stderr.write(`\r\u001b[K${text}`);
    else if (now() - last >= LINE_EVERY_MS) {
      stderr.write(`${text}\n`);
      last = now();
    }
  };
  const clear = () => {
    if (stderr.isTTY) stderr.write('\r\u001b[K');
  };
  const note = (sentence: string) => {
    clear();
    stderr.write(`${sentence}\n`);
  };
  return { say, note, clear };
}
