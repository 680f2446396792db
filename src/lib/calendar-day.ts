const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Books are closed by the day of Chile, wherever the service runs. */
const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Santiago', dateStyle: 'short' });

/** The day in Chile, as `2026-01-15`, of a time in UTC milliseconds. */
export function dayOf(utcMs: number): string {
  return format.format(utcMs);
}

const clock = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Santiago',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'longOffset',
});

/** Writes a time in UTC milliseconds as the clocks of Chile showed it, with their offset: `2026-01-15 22:30:00 -03:00`. */
export function clockOf(utcMs: number): string {
  const parts = Object.fromEntries(clock.formatToParts(utcMs).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, timeZoneName = '' } = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName.replace('GMT', '')}`;
}

/** Whether a text is a day of the calendar, written as `2026-01-15`. */
export function isDay(text: string): boolean {
  const start = Date.parse(`${text}T00:00:00.000Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(start) && new Date(start).toISOString().startsWith(text);
}

/** The day that is so many days later; earlier for fewer than none. */
export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY).toISOString().slice(0, 10);
}

/** The first millisecond of a day in Chile, and of the next day. Such a day has 23, 24 or 25 hours. */
export function boundsOfDay(day: string): { from: number; to: number } {
  return { from: startOf(Date.parse(`${day}T00:00:00.000Z`)), to: startOf(Date.parse(`${day}T00:00:00.000Z`) + DAY) };
}

/** How much of a span of time fell on Monday to Friday in Chile, in hours. Public holidays are not known here. */
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

/** Chile is behind UTC by less than a day, and no change of its clocks goes back over midnight: a search finds it. */
function startOf(utcMidnight: number): number {
  const day = new Date(utcMidnight).toISOString().slice(0, 10);
  let before = utcMidnight - 1;
  let within = utcMidnight + DAY - 1;
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dayOf(middle) < day) before = middle;
    else within = middle;
  }
  return within;
}
