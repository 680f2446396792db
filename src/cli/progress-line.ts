/** The interval of progress lines in a log, where every page would be too much. */
const LINE_EVERY_MS = 10_000;

export type ProgressLine = {
  /** Shows the progress. `part` is the completed part, 0 to 1; null if unknown. */
  say: (what: string, rows: number, part?: number | null) => void;
  /** Prints a sentence that stays. */
  note: (sentence: string) => void;
  clear: () => void;
};

/**
 * Creates a progress display on stderr: on a terminal one line that is overwritten, otherwise a line every ten seconds.
 * `now` returns milliseconds.
 */
export function progressLine(now: () => number = () => performance.now()): ProgressLine {
  const { stderr } = process;
  let last = now();
  const say = (what: string, rows: number, part: number | null = null) => {
    const percent = part === null || !Number.isFinite(part) ? '' : ` (${Math.floor(Math.min(1, part) * 100)} %)`;
    const text = `${what}: ${rows}${percent}`;
    if (stderr.isTTY) redrawLine(text);
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

const USUAL_COLUMNS = 80;

/**
 * Writes a text over the current line of a terminal on stderr. It is cut to the width, because a line that wraps cannot
 * be erased.
 */
export function redrawLine(text: string): void {
  const { stderr } = process;
  stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns || USUAL_COLUMNS) - 1)}`);
}
