import { SigningKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import { installationKey } from '../sealing/kept-key.ts';

/** The kinds of terms that a payment can be found by, beside its id. */
export type TermKind = 'reference' | 'email' | 'authorization_code';

const DAY_MS = 86_400_000;

/** The columns of a transaction that its first terms are made from. */
export type TermSource = {
  reference: string;
  customer_email: string;
  amount: number;
  currency: string;
  created_at: number;
  environment_id: number;
};

/** Kept when the service starts. */
export const TERM_KEY = installationKey('search-terms');

/** Makes the terms of this store. */
export type Terms = {
  /**
   * A text as a number of 52 bits, so that the index has one width and no personal data. Two texts may share a number: what is
   * found is compared with the row. E-mail addresses and codes are found in either case, references as they were signed.
   */
  of(kind: TermKind, text: string): number;
  /** An amount on one day of UTC: new rows of the index then stand near each other. */
  ofAmount(amount: number, currency: string, day: number): number;
  /** All of one day of UTC, of one environment or of all (null): a merchant's own list reads nobody else's rows. */
  ofDay(day: number, environmentId: number | null): number;
};

/**
 * The first 52 bits of HMAC-SHA256 with a key that is kept sealed with MASTER_KEY: with the database alone nobody finds out by
 * trying whose e-mail address a payment has.
 */
export async function termsOf(app: App): Promise<Terms> {
  const key = new SigningKey(Buffer.from(await TERM_KEY.read(app), 'hex'));
  const hash = (text: string) => Number.parseInt(key.sign(text).slice(0, 13), 16);
  // Payments of one batch are of the same few days.
  const shared = new Map<string, number>();
  const sharedHash = (text: string) => {
    const term = shared.get(text) ?? hash(text);
    shared.set(text, term);
    return term;
  };
  return {
    of: (kind, text) => hash(`${kind}:${kind === 'reference' ? text : text.toLowerCase()}`),
    ofAmount: (amount, currency, day) => sharedHash(`amount:${currency}:${amount}:${day}`),
    ofDay: (day, environmentId) => sharedHash(environmentId === null ? `day:${day}` : `day:${day}:${environmentId}`),
  };
}

/** The number of the UTC day of a time. */
export function utcDay(utcMs: number): number {
  return Math.floor(utcMs / DAY_MS);
}

/** Makes the terms of a transaction from its first event on. */
export function createdTerms(
  terms: Terms,
  { reference, customer_email, amount, currency, created_at, environment_id }: TermSource,
): number[] {
  const day = utcDay(created_at);
  return [
    terms.of('reference', reference),
    terms.of('email', customer_email),
    terms.ofAmount(amount, currency, day),
    terms.ofDay(day, null),
    terms.ofDay(day, environment_id),
  ];
}

/** Makes the further terms of an event: `data` of the event, as JSON or null. */
export function eventTerms(terms: Terms, data: string | null): number[] {
  if (data === null) return [];
  const { authorization_code: code } = JSON.parse(data) as { authorization_code?: unknown };
  return typeof code === 'string' && code !== '' ? [terms.of('authorization_code', code)] : [];
}
