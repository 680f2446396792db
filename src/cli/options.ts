import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Option } from 'commander';
import { currencyExponent } from '../../protocol/currency-exponents.ts';
import type { App } from '../app.ts';
import { isReason } from '../audit/reason.ts';
import { boundsOfDay, isDay } from '../lib/calendar-day.ts';
import { readIsoTime } from '../lib/iso-time.ts';
import { parseTyped } from '../lib/money.ts';
import { HANDOVER_MS } from '../payment-services/handover.ts';
import { ENVIRONMENTS } from '../payment-services/payment-service.ts';
import { hasPaymentService } from '../payment-services/payment-service-queries.ts';
import { CommandError, invalidOption, notFound, unknownPaymentService, unusableFile } from './print.ts';

/** Returns the option `--environment development|production`. */
export function environmentOption(description = 'environment (default: RUBRICA_ENV)'): Option {
  return new Option('--environment <environment>', description).choices([...ENVIRONMENTS]);
}

/** Returns the same option for commands that need it. */
export function requiredEnvironmentOption(): Option {
  return environmentOption('environment').makeOptionMandatory();
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration such as `24h`, `30m`, `90s`, `7d` or `0`. Returns milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (match !== null) return Number(match[1]) * (UNITS[match[2] as string] as number);
  if (text === '0') return 0;
  throw invalidOption(`${text} is not a duration; write 24h, 30m, 90s, 7d or 0.`);
}

/**
 * Reads how long an invitation or hand-over link works. Returns milliseconds. Throws `CommandError` unless it is from
 * 15m to 14d.
 */
export function readValidity(text: string): number {
  const valid = readDuration(text);
  if (valid < HANDOVER_MS.least || valid > HANDOVER_MS.most) throw invalidOption('--valid is from 15m to 14d.');
  return valid;
}

/** Throws `CommandError` DEVELOPMENT_ONLY in production. `what` says what is for development alone. */
export function requireDevelopment({ config }: App, what: string): void {
  if (config.mode === 'production')
    throw new CommandError(`${what}: RUBRICA_ENV is production here.`, 1, 'DEVELOPMENT_ONLY');
}

/** Reads the most lines of a list, 1 to 10,000. */
export function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 10_000) throw invalidOption('--limit is a number from 1 to 10000.');
  return limit;
}

/**
 * Reads an amount of 0 or more and returns minor units. Every command uses it. CLP is written `15000`: a point, a
 * comma, a space or a $ is refused, because 1.000 is a thousand in Chile and one elsewhere. Throws `CommandError`
 * INVALID_AMOUNT.
 */
export function readAmount(text: string, currency: string): number {
  const exponent = checkCurrency(currency);
  const amount = parseTyped(text, currency);
  if (amount !== null) return amount;
  const form =
    exponent === 0 ? '12990, in digits alone' : `12990.${'5'.repeat(exponent)}, with a point before the decimals alone`;
  const [, digits = ''] = /^\$?\s*(\d{1,3}(?:[.,\s]\d{3})+|\d+)(?:[.,]0{1,2})?$/.exec(text.trim()) ?? [];
  const plain = digits.replace(/\D/g, '');
  const fix = plain === '' ? `write it as ${form}` : plain === text ? 'it is too large' : `write ${plain}`;
  throw new CommandError(`${text} is not an amount of ${currency}: ${fix}.`, 1, 'INVALID_AMOUNT');
}

/** Returns the number of decimals of a currency. Throws `CommandError` for an unknown currency, also for `clp`. */
export function checkCurrency(currency: string): number {
  const exponent = currencyExponent(currency);
  if (exponent !== undefined) return exponent;
  throw invalidOption(`${currency} is not a currency: write three capital letters, such as CLP.`);
}

/** Throws `CommandError` NOT_FOUND unless a payment method has this code. */
export function checkMethod(app: App, method: string): void {
  const codes = app.paymentMethods.map(({ code }) => code);
  if (!codes.includes(method)) throw notFound(`There is no payment method ${method}; there are ${codes.join(', ')}.`);
}

/** Throws `CommandError` NOT_FOUND if no payment service has this id. Accepts undefined. */
export async function checkPaymentService(app: App, id: string | undefined): Promise<void> {
  if (id !== undefined && !(await hasPaymentService(app.db, id))) throw unknownPaymentService(id);
}

/** Throws `CommandError` for an empty or blank option, as from an unset variable: it would match nothing or all. */
export function refuseEmpty(options: Readonly<Record<string, unknown>>): void {
  const [empty] = Object.entries(options).find(([, value]) => typeof value === 'string' && value.trim() === '') ?? [];
  if (empty === undefined) return;
  const name = empty.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw invalidOption(`--${name} is empty: is the shell variable set?`);
}

/** Reads the reason of a decision: 1 to 200 characters, without an e-mail address, a card number or a person's RUT. */
export function readReason(text: string): string {
  const reason = text.trim();
  if (!isReason(reason))
    throw invalidOption(
      '--reason is 1 to 200 characters, without an e-mail address, a card number, the RUT of a person or a hidden character: it is kept for ever. Write an order that looks like a RUT without its dash.',
    );
  return reason;
}

/** Reads a file that an option or argument names. Throws `CommandError` FILE_UNUSABLE. */
export function readNamedFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw unusableFile(`${file} cannot be read: see that it is there, and whose it is.`);
  }
}

/** Reads standard input to its end. */
export function readStdin(): Promise<Buffer> {
  return buffer(process.stdin);
}

/** Reads a whole number above 0. */
export function readNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidOption(`${name} is a number, such as 12.`);
}

/** The accepted forms of a time, for messages. */
export const TIMES = 'a day (Chilean time), such as 2026-01-15, or a time, such as 2026-01-15T10:30Z';

/**
 * Reads a time and returns UTC milliseconds. A day gives its bounds in Chilean time; a time gives the same value twice.
 */
export function readTime(name: string, text: string): { from: number; to: number } {
  if (isDay(text)) return boundsOfDay(text);
  // A list of the command line writes a time with spaces, and a person copies it.
  const time = readIsoTime(text.replace(/^([\d-]+) ([\d:]+) (?=[+-])/, '$1T$2'));
  if (time === null) throw invalidOption(`${name} is ${TIMES}.`);
  return { from: time, to: time };
}
