const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * The most days from one working day of banks to the next. If 18 and 19 September are a Tuesday and a Wednesday, the
 * Monday before is a holiday too, and if they are a Wednesday and a Thursday, the Friday after: Friday to Thursday in
 * 2029, Tuesday to Monday in 2030.
 */
export const DAYS_WITHOUT_BANKS = 6;

// Uses Temporal: the first `Intl` format takes 8 MB of memory for the data of all languages.
const ZONE = 'America/Santiago';

/**
 * Returns the day in Chile, as `2026-01-15`, of a time in UTC milliseconds. Books are closed by this day, wherever the
 * service runs.
 */
export function dayOf(utcMs: number): string {
  return inChile(utcMs).toPlainDate().toString();
}

/**
 * Writes a time in UTC milliseconds as the local time of Chile, with its offset: `2026-01-15 22:30:00 -03:00`. A number
 * that is not a time stays a number.
 */
export function clockOf(utcMs: number): string {
  if (!isTime(utcMs)) return String(utcMs);
  const time = inChile(utcMs);
  return `${time.toPlainDate().toString()} ${time.toPlainTime().toString({ smallestUnit: 'second' })} ${time.offset}`;
}

/** The last millisecond that a date of JavaScript can have. */
const LATEST = 8_640_000_000_000_000;

/** Returns whether a number of UTC milliseconds is a time that a calendar has. */
export function isTime(utcMs: number): boolean {
  return Number.isInteger(utcMs) && Math.abs(utcMs) <= LATEST;
}

function inChile(utcMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(utcMs).toZonedDateTimeISO(ZONE);
}

/** Returns whether a text is a calendar day such as `2026-01-15`. */
export function isDay(text: string): boolean {
  const start = Date.parse(`${text}T00:00:00.000Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(start) && new Date(start).toISOString().startsWith(text);
}

/** Returns the day that is `days` later, or earlier for a negative number. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY).toISOString().slice(0, 10);
}

/** Returns the first millisecond of a day in Chile and of the next day. A day has 23, 24 or 25 hours. */
export function boundsOfDay(day: string): { from: number; to: number } {
  const date = Temporal.PlainDate.from(day);
  const startOf = (one: Temporal.PlainDate) => one.toZonedDateTime(ZONE).epochMilliseconds;
  return { from: startOf(date), to: startOf(date.add({ days: 1 })) };
}

/**
 * Returns how many hours of a span of time fall on Monday to Friday in Chile. Public holidays count as working days.
 */
export function workingHours(from: number, to: number): number {
  let worked = 0;
  for (let time = from; time < to; ) {
    const day = dayOf(time);
    const end = Math.min(boundsOfDay(day).to, to);
    const weekday = new Date(`${day}T00:00:00.000Z`).getUTCDay();
    if (weekday >= 1 && weekday <= 5) worked += end - time;
    time = end;
  }
  return worked / HOUR;
}
