import { dayOf, isDay } from './calendar-day.ts';

/**
 * Parses a day of a table (2026-01-15, 15/01/2026, 20260115), with or without a time; null for other text, and for a
 * year that nobody means, such as 0026. A time with an offset gives its day in Chile.
 */
export function readDay(text: string): string | null {
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/.test(text)) {
    const moment = Date.parse(text);
    return Number.isNaN(moment) ? null : dayOf(moment);
  }
  const [, day = '', month = '', year] = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})\b/.exec(text) ?? [];
  const [, compactYear, compactMonth, compactDay] = /^(\d{4})\/?(\d{2})\/?(\d{2})\b/.exec(text) ?? [];
  if (year !== undefined) return dayIfOne(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  if (compactYear !== undefined) return dayIfOne(`${compactYear}-${compactMonth}-${compactDay}`);
  return dayIfOne(text.slice(0, 10));
}

function dayIfOne(text: string): string | null {
  return isDay(text) && /^(19|20)/.test(text) ? text : null;
}
