import { isTime } from './calendar-day.ts';
import type { Language } from './language.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Formats a span, for a sentence or a column: `less than 1 min`, `45 min`, `30 h`, `12 d`. */
export function formatAge(milliseconds: number, language: Language = 'en'): string {
  if (milliseconds < MINUTE) return language === 'es' ? 'menos de 1 min' : 'less than 1 min';
  if (milliseconds < 2 * HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  return milliseconds < 48 * HOUR
    ? `${Math.floor(milliseconds / HOUR)} h`
    : `${Math.floor(milliseconds / (24 * HOUR))} d`;
}

/**
 * Formats a time in UTC, to the second. A number that is not a time, such as one that somebody wrote into the store by
 * hand, stays a number: the row that has it must still be shown.
 */
export function timeText(utcMs: number | null): string {
  if (utcMs === null) return '—';
  return isTime(utcMs) ? new Date(utcMs).toISOString().replace('T', ' ').slice(0, 19) : String(utcMs);
}
