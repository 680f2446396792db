import { hash } from 'node:crypto';
import { holdsCardNumber } from '../../protocol/card-number.ts';
import type { SqlRow } from '../db/database.ts';
import { type ErrorItem, errorItem } from '../error-item.ts';
import { MISLEADING } from '../lib/misleading-text.ts';
import { formatDecimal } from '../lib/money.ts';
import { leastAmount } from '../transactions/transaction.ts';

/** How often a link can be paid: once, or any number of times. */
export type LinkUses = 'one' | 'many';

export const LINK_USES: readonly LinkUses[] = ['one', 'many'];

/** A row of `payment_links`. `amount` is in minor units, times are UTC milliseconds. */
export type PaymentLink = SqlRow & {
  id: string;
  environment_id: number;
  amount: number;
  currency: string;
  /** The subject of the payment, as the payer sees it. */
  subject: string;
  uses: LinkUses;
  /** Where a callback of each payment is posted; null: nowhere. */
  url_callback: string | null;
  created_at: number;
  created_by: string;
  /** Null: the link does not expire. */
  expires_at: number | null;
  ended_at: number | null;
  /** The number of the link's last transaction; 0 before the first. */
  opened: number;
  /** A repeated key is the same link; null: made without a key. */
  idempotency_key: string | null;
};

/** Returns the SHA-256 of a link's subject and URL for callbacks, for the audit log: of a JSON array of both. */
export function hashOfLink({ subject, url_callback }: Pick<PaymentLink, 'subject' | 'url_callback'>): string {
  return hash('sha256', JSON.stringify([subject, url_callback]), 'hex');
}

/** A request for a link. The caller has checked `urlCallback`. */
export type LinkWish = {
  amount: number;
  currency: string;
  subject: string;
  uses: LinkUses;
  expiresAt: number | null;
  urlCallback: string | null;
  idempotencyKey?: string | null;
};

/** `used`: it could be paid once, and was paid. */
export type LinkState = 'open' | 'used' | 'expired' | 'ended';

/** Returns the state of a link. `isPaid`: it has at least one payment. `isEnabled`: its payment service is enabled. */
export function linkStateOf(
  { uses, expires_at, ended_at }: Pick<PaymentLink, 'uses' | 'expires_at' | 'ended_at'>,
  { isPaid, isEnabled }: { isPaid: boolean; isEnabled: boolean },
  now: number,
): LinkState {
  if (uses === 'one' && isPaid) return 'used';
  if (ended_at !== null) return 'ended';
  if (expires_at !== null && expires_at <= now) return 'expired';
  return isEnabled ? 'open' : 'ended';
}

/**
 * Makes the reference of a link's transaction. No shop uses such a reference by accident. `epoch`: of the store, for a
 * link with many payments; 0 before the first restore. The numbers of the lost time may be given out again, and a
 * merchant takes a callback with a known reference for a repetition.
 */
export function linkReference({ id }: Pick<PaymentLink, 'id'>, number: number, epoch = 0): string {
  return epoch === 0 ? `${id}-${number}` : `${id}-${epoch}-${number}`;
}

/** The highest amount of a link, in minor units: the limit of the amount in a signed request. */
export const MOST_LINK_AMOUNT = 99_999_999_999;

const MOST_SUBJECT = 80;
const MOST_YEARS_MS = 5 * 365 * 86_400_000;

/**
 * Returns a subject without spaces around it; null if it is not valid. It is stored for ever, so it may hold no card
 * number.
 */
export function readSubject(text: string): string | null {
  const subject = text.trim();
  if (subject === '' || subject.length > MOST_SUBJECT || MISLEADING.test(subject)) return null;
  return holdsCardNumber(subject) ? null : subject;
}

/** The error for a time at which a link cannot end. */
export const WRONG_LINK_END = errorItem('/expires_at', 'INVALID_PARAMETER', [
  'expires_at is not a time at which a link can end.',
  'Send a time such as 2026-12-31T23:59:59Z, in the future and within five years.',
  'expires_at no es una hora en que un enlace pueda vencer.',
  'Envía una hora como 2026-12-31T23:59:59Z, futura y dentro de cinco años.',
]);

/** The error for a currency that no payment method collects. */
export const WRONG_LINK_CURRENCY = errorItem('/currency', 'INVALID_CURRENCY', [
  'No payment method collects this currency.',
  'Send CLP.',
  'Ningún medio de pago cobra en esta moneda.',
  'Envía CLP.',
]);

/** The error for an amount that is too small for payment methods, as in a signed request. */
export function tooSmall(currency: string): ErrorItem {
  const least = leastAmount(currency);
  return errorItem('/amount', 'INVALID_AMOUNT', [
    'The amount is below what payment methods collect.',
    `Send at least ${least} ${currency}.`,
    'El monto es menor que lo que cobran los medios de pago.',
    `Envía al menos ${least} ${currency}.`,
  ]);
}

/** The error for an amount with more decimals than a callback has, as in a signed request: UF has four. */
export const TOO_FINE = errorItem('/amount', 'INVALID_AMOUNT', [
  'The amount has more than two decimals.',
  'Send at most two, such as 1.25: a callback has no more.',
  'El monto tiene más de dos decimales.',
  'Envía dos como máximo, como 1.25: un callback no lleva más.',
]);

/** Returns whether an amount in minor units has more than two decimals. */
export function isTooFine({ amount, currency }: Pick<LinkWish, 'amount' | 'currency'>): boolean {
  return /\.\d{3}/.test(formatDecimal(amount, currency));
}

/** Returns whether a link can end at that time: in the future, and within five years. */
export function isLinkEnd(expiresAt: number, now: number): boolean {
  return expiresAt > now && expiresAt <= now + MOST_YEARS_MS;
}
