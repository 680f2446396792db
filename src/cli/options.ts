import { Option } from 'commander';
import { currencyExponent } from '../../protocol/currency-exponents.ts';
import type { App } from '../app.ts';
import { isReason } from '../audit/reason.ts';
import { boundsOfDay, isDay } from '../lib/calendar-day.ts';
import { readIsoTime } from '../lib/iso-time.ts';
import { parseTyped } from '../lib/money.ts';
import { HANDOVER_MS } from '../payment-services/handover.ts';
import { ENVIRONMENTS } from '../payment-services/payment-service.ts';
import { selectPaymentServices } from '../payment-services/payment-service-queries.ts';
import { CommandError, invalidOption, notFound, unknownPaymentService } from './print.ts';

/** `--environment development|production`, which must be given. */
export function environmentOption(): Option {
  return new Option('--environment <environment>', 'environment').choices([...ENVIRONMENTS]).makeOptionMandatory();
}

/** The same of books: without it as the program runs. */
export function booksOption(): Option {
  return new Option('--environment <environment>', 'environment (default: RUBRICA_ENV)').choices([...ENVIRONMENTS]);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `24h`, `30m`, `90s`, `7d` or `0`, in milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (match !== null) return Number(match[1]) * (UNITS[match[2] as string] as number);
  if (text === '0') return 0;
  throw invalidOption(`${text} is no duration; write 24h, 30m, 90s, 7d or 0.`);
}

/** How long a link works that lets its reader in. Throws `CommandError` for one that ends at once, or is forgotten in a mailbox. */
export function readValidity(text: string): number {
  const valid = readDuration(text);
  if (valid < HANDOVER_MS.least || valid > HANDOVER_MS.most) throw invalidOption('--valid is from 15m to 14d.');
  return valid;
}

/** How many lines a list shows at most. */
export function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 10_000) throw invalidOption('--limit is a number from 1 to 10000.');
  return limit;
}

/**
 * An amount of the currency in minor units, 0 or more: the one reader of every command. CLP is written `15000`. A point, a
 * comma, a space or a $ is refused whatever follows it, because in Chile 1.000 is a thousand and elsewhere it is one.
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

/** Answers how many decimals the currency has. Throws `CommandError` where there is no such currency, as for `clp`. */
export function checkCurrency(currency: string): number {
  const exponent = currencyExponent(currency);
  if (exponent !== undefined) return exponent;
  throw invalidOption(`${currency} is no currency: write three capital letters, such as CLP.`);
}

/** Throws unless there is a payment method of that code. */
export function checkMethod(app: App, method: string): void {
  const codes = app.paymentMethods.map(({ code }) => code);
  if (!codes.includes(method)) throw notFound(`There is no payment method ${method}; there are ${codes.join(', ')}.`);
}

/** Throws `CommandError` NOT_FOUND for a payment service that there is not; undefined: none was named. */
export async function checkPaymentService(app: App, id: string | undefined): Promise<void> {
  if (id !== undefined && (await selectPaymentServices(app.db)).every((one) => one.id !== id))
    throw unknownPaymentService(id);
}

/** Throws `CommandError` for an option that is empty, as of a shell variable that is not set: it would find nothing. */
export function refuseEmpty(options: Readonly<Record<string, unknown>>): void {
  const [empty] = Object.entries(options).find(([, value]) => value === '') ?? [];
  if (empty === undefined) return;
  const name = empty.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw invalidOption(`--${name} is empty: is the shell variable set?`);
}

/** Why somebody decided. */
export function readReason(text: string): string {
  const reason = text.trim();
  if (!isReason(reason))
    throw invalidOption('--reason is 1 to 200 characters, without an e-mail address or a card number.');
  return reason;
}

/** All of standard input. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A whole number above 0. */
export function readNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidOption(`${name} is a number, such as 12.`);
}

/** How a moment is written. */
export const TIMES = 'a day (Chilean time), such as 2026-01-15, or a time, such as 2026-01-15T10:30Z';

/** Reads an option that names a moment: in UTC milliseconds, a day from its beginning to the next. */
export function readTime(name: string, text: string): { from: number; to: number } {
  if (isDay(text)) return boundsOfDay(text);
  const time = readIsoTime(text);
  if (time === null) throw invalidOption(`${name} is ${TIMES}.`);
  return { from: time, to: time };
}
