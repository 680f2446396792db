import { paint } from './paint.ts';

type LogRecord = Record<string, unknown> & { level: number; time: string; msg?: string };

/** The names of pino's levels, each with its lowest number. */
const LEVELS = [
  { from: 50, name: 'error', colour: 'red' },
  { from: 40, name: 'warning', colour: 'yellow' },
  { from: 0, name: '', colour: null },
] as const;

/** Formats a log record for a terminal: the local time, the message, and its other members. */
export function logLine(json: string): string {
  const { level, time, msg = '', err, ...rest } = JSON.parse(json) as LogRecord;
  const { name, colour } = LEVELS.find(({ from }) => level >= from) ?? LEVELS[2];
  const said = colour === null ? msg : `${paint(colour, `${name}:`)} ${msg}`;
  const members = Object.entries(rest).map(([key, value]) => `${key}=${textOf(value)}`);
  const about = members.length === 0 ? '' : `  ${paint('dim', members.join(' '))}`;
  return `${paint('dim', new Date(time).toTimeString().slice(0, 8))}  ${said}${about}${causeOf(err)}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function causeOf(err: unknown): string {
  if (err === undefined) return '';
  const { message, stack } = err as { message?: string; stack?: string };
  const text = stack ?? message ?? textOf(err);
  return text
    .split('\n')
    .map((line) => `\n          ${line}`)
    .join('');
}
