import { Problem } from '../error-catalogue.ts';
import { readIsoTime } from '../lib/iso-time.ts';

/** Parses a time of a query into UTC milliseconds; null for null. Throws `Problem` INVALID_PARAMETER. */
export function readTime(name: string, text: string | null): number | null {
  if (text === null) return null;
  const time = readIsoTime(text);
  if (time !== null) return time;
  throw new Problem('INVALID_PARAMETER', {
    detail: {
      en: `${name} is a time such as 2026-01-15T12:00:00Z.`,
      es: `${name} es una hora como 2026-01-15T12:00:00Z.`,
    },
  });
}
