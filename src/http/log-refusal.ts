import type { App } from '../app.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { perInstance } from '../lib/per-instance.ts';

/** Nobody reads more lines, and a client that is refused all the time must not fill the disk. */
const MOST_LINES = 600;
const WINDOW_MS = 60_000;

type Window = { endsAt: number; lines: number; unlogged: number };

const windows = perInstance((_app: App) => new Map<ErrorCode, Window>());

/**
 * Logs a refusal, at most 600 lines a minute for each code. The next line says how many were left out, as `unlogged`.
 * `rubrica_http_requests_total` and `rubrica_refused_total` count all refusals.
 */
export function logRefusal(app: App, line: { code: ErrorCode; status: number; [member: string]: unknown }): void {
  const now = app.now();
  const last = windows(app).get(line.code);
  if (last !== undefined && now < last.endsAt && last.lines >= MOST_LINES) {
    last.unlogged++;
    return;
  }
  const isOver = last === undefined || now >= last.endsAt;
  const unlogged = isOver ? (last?.unlogged ?? 0) : 0;
  if (isOver) windows(app).set(line.code, { endsAt: now + WINDOW_MS, lines: 1, unlogged: 0 });
  else last.lines++;
  app.log.info(unlogged > 0 ? { ...line, unlogged } : line, 'request refused');
}
