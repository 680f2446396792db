import { SigningKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import { installationKey } from '../sealing/kept-key.ts';

/** The kinds of terms that find a payment, besides its id. */
export type TermKind = 'reference' | 'email' | 'authorization_code';

const DAY_MS = 86_400_000;

/** The columns of a transaction that give its first terms. */
export type TermSource = {
  reference: string;
  customer_email: string;
  amount: number;
  currency: string;
  created_at: number;
  environment_id: number;
};

/** Stored at the start of the service. */
export const TERM_KEY = installationKey('search-terms');

/** Computes the terms of this store. */
export type Terms = {
  /**
   * Hashes a text into 52 bits, so that index rows have a fixed width and no personal data. Two texts may collide, so
   * matches are compared with the row. E-mail addresses and codes are case-insensitive; references are matched as
   * signed.
   */
  of(kind: TermKind, text: string): number;
  /** An amount on one UTC day, so that new index rows are adjacent. */
  ofAmount(amount: number, currency: string, day: number): number;
  /**
   * All payments of one UTC day, of one environment or of all (null). A merchant's list then reads no rows of others.
   */
  ofDay(day: number, environmentId: number | null): number;
};

/**
 * Returns the first 52 bits of an HMAC-SHA256. Its key is encrypted with MASTER_KEY, so the database alone does not
 * reveal by trial which e-mail address a payment has.
 */
export async function termsOf(app: App): Promise<Terms> {
  const key = new SigningKey(Buffer.from(await TERM_KEY.read(app), 'hex'));
  const hash = (text: string) => Number.parseInt(key.sign(text).slice(0, 13), 16);
  // Payments of one batch fall on the same few days.
  const shared = new Map<string, number>();
  const sharedHash = (text: string) => shared.getOrInsertComputed(text, hash);
  return {
    of: (kind, text) => hash(`${kind}:${kind === 'reference' ? text : text.toLowerCase()}`),
    ofAmount: (amount, currency, day) => sharedHash(`amount:${currency}:${amount}:${day}`),
    ofDay: (day, environmentId) => sharedHash(environmentId === null ? `day:${day}` : `day:${day}:${environmentId}`),
  };
}

/** Returns the number of the UTC day of a time. */
export function utcDay(utcMs: number): number {
  return Math.floor(utcMs / DAY_MS);
}

/** Returns the terms that a transaction has from its first event. */
export function createdTerms(
  terms: Terms,
  { reference, customer_email, amount, currency, created_at, environment_id }: TermSource,
): number[] {
  const day = utcDay(created_at);
  return [
    terms.of('reference', reference),
    // An erased address is empty.
    ...(customer_email === '' ? [] : [terms.of('email', customer_email)]),
    terms.ofAmount(amount, currency, day),
    terms.ofDay(day, null),
    terms.ofDay(day, environment_id),
  ];
}

/** Returns the further terms of an event. `data` is its JSON or null. */
export function eventTerms(terms: Terms, data: string | null): number[] {
  if (data === null) return [];
  const { authorization_code: code } = JSON.parse(data) as { authorization_code?: unknown };
  return typeof code === 'string' && code !== '' ? [terms.of('authorization_code', code)] : [];
}
