import type { SqlRow } from '../db/database.ts';
import type { Language } from '../lib/language.ts';
import { type NextAttempt, nextAttempt } from '../lib/next-attempt.ts';

/** `dead`: given up, so a person decides. `ended`: a person stopped it, or there is nothing left to tell. */
export const MAIL_STATES = ['queued', 'sent', 'dead', 'ended'] as const;

export type MailState = (typeof MAIL_STATES)[number];

/** A row of `mails`. Times are UTC milliseconds. */
export type Mail = SqlRow & {
  id: string;
  environment_id: number;
  transaction_id: number;
  /** The refund that the mail is about; null: the payment. */
  refund_id: string | null;
  address: string;
  language: Language;
  /** 1: the payer typed the address on the payment page. */
  asked_by_payer: 0 | 1;
  state: MailState;
  attempts: number;
  created_at: number;
  next_attempt_at: number;
  finished_at: number | null;
  lease: string | null;
  /** The failure of the last attempt; contains no address. */
  failure: string | null;
};

/** Longer than the time-out of a mail (60 s), so a running worker does not lose its lease. */
export const MAIL_LEASE_MS = 2 * 60_000;

/** Returns when a waiting mail is attempted next, or since when an attempt is under way. */
export function nextOfMail({ next_attempt_at, lease }: Mail, now: number): NextAttempt {
  const leased_until = lease === null ? null : next_attempt_at;
  return nextAttempt({ next_attempt_at, leased_until }, now, MAIL_LEASE_MS);
}

const minute = 60_000;
const hour = 60 * minute;

/** The wait after each failed attempt: nine attempts in about two days. */
const WAITS: readonly number[] = [minute, 5 * minute, 30 * minute, 2 * hour, 4 * hour, 8 * hour, 12 * hour, 24 * hour];

/** Returns the wait after this many attempts; null if there are no more. */
export function waitAfter(attempts: number): number | null {
  return WAITS[attempts - 1] ?? null;
}

/** Returns whether a text is a single mail address, without anything that a mail server reads as more. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i.test(text);
}

/** Returns the first letter and the domain of a mail address: `a…@example.cl`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at < 1 ? 0 : 1)}…${at < 0 ? '' : address.slice(at)}`;
}
