import { isDay } from './calendar-day.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses a time with an offset, such as `2026-01-15T10:30Z`, into UTC milliseconds; null for any other text. */
export function readIsoTime(text: string): number | null {
  const time = TIME.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** Writes UTC milliseconds as the wire has them: `2026-01-15T10:30:00.000Z`; null for null. */
export function isoTime(utcMs: number): string;
export function isoTime(utcMs: number | null): string | null;
export function isoTime(utcMs: number | null): string | null {
  if (utcMs === null) return null;
  if (utcMs !== written.utcMs) written = { utcMs, text: new Date(utcMs).toISOString() };
  return written.text;
}

/** The last time that was written: a busy service answers many requests in one millisecond. */
let written = { utcMs: 0, text: '1970-01-01T00:00:00.000Z' };
