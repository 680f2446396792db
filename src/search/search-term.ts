import { hash } from 'node:crypto';

/** What a payment can be found by, beside its id. */
export type TermKind = 'reference' | 'email' | 'authorization_code';

const DAY_MS = 86_400_000;

/** The columns of a transaction that its first terms are made from. */
export type TermSource = {
  reference: string;
  customer_email: string;
  amount: number;
  currency: string;
  created_at: number;
};

/**
 * A text as a number of 52 bits, so that the index has one width and no personal data. Two texts may share a number: what is
 * found is compared with the row. E-mail addresses and codes are found in either case, references as they were signed.
 */
export function searchTerm(kind: TermKind, text: string): number {
  return hashOf(`${kind}:${kind === 'reference' ? text : text.toLowerCase()}`);
}

/** An amount on one day of UTC: new rows of the index then stand near each other. */
export function amountTerm(amount: number, currency: string, day: number): number {
  return hashOf(`amount:${currency}:${amount}:${day}`);
}

/** All of one day of UTC. */
export function dayTerm(day: number): number {
  return hashOf(`day:${day}`);
}

/** The number of the UTC day of a time. */
export function utcDay(utcMs: number): number {
  return Math.floor(utcMs / DAY_MS);
}

/** What a transaction is found by from its first event on. */
export function createdTerms({ reference, customer_email, amount, currency, created_at }: TermSource): number[] {
  const day = utcDay(created_at);
  return [
    searchTerm('reference', reference),
    searchTerm('email', customer_email),
    amountTerm(amount, currency, day),
    dayTerm(day),
  ];
}

/** What else an event lets it be found by: `data` is that of the event, as JSON or null. */
export function eventTerms(data: string | null): number[] {
  if (data === null) return [];
  const { authorization_code: code } = JSON.parse(data) as { authorization_code?: unknown };
  return typeof code === 'string' && code !== '' ? [searchTerm('authorization_code', code)] : [];
}

function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 13), 16);
}
