import { BANK, type EntryKind, MERCHANT_PAYABLE, PAYOUTS_RESERVED, type Transfer } from '../books/journal-entry.ts';
import { payoutHash } from '../books/payout-hash.ts';
import type { SqlRow } from '../db/database.ts';

export type PayoutState =
  | 'draft'
  | 'awaiting_approval'
  | 'approved'
  | 'rejected'
  | 'cancelled'
  | 'sent'
  | 'unknown'
  | 'confirmed'
  | 'failed'
  | 'returned';

/**
 * THE TABLE of states: what each may become. `sent`: it is in a file, or at a program. `unknown`: nobody said what became of it,
 * so it is asked about and never sent again. `returned` may come days after `confirmed`.
 */
export const PAYOUT_STATES: Readonly<Record<PayoutState, readonly PayoutState[]>> = {
  draft: ['awaiting_approval', 'cancelled'],
  awaiting_approval: ['approved', 'rejected', 'cancelled'],
  approved: ['sent', 'cancelled'],
  rejected: [],
  cancelled: [],
  sent: ['confirmed', 'failed', 'unknown'],
  unknown: ['confirmed', 'failed'],
  confirmed: ['returned'],
  failed: [],
  returned: [],
};

/** A row of `payouts`. Amounts are in minor units, times UTC milliseconds. */
export type Payout = SqlRow & {
  id: string;
  environment_id: number;
  batch_id: string | null;
  /** The id that the client gave it. */
  reference: string;
  amount: number;
  currency: string;
  created_at: number;
  proposed_by: string;
  proposed_by_id: string;
  proposed_kind: 'person' | 'program';
  recipient_id: string;
  recipient_version: number;
  rut_hash: string;
  account_hash: string;
  bank_code: string;
  account_masked: string;
  /** Of the account, when the payout was made. */
  verdict: string;
  validated_at: number;
  /** The text that the recipient reads. */
  message: string;
  /** Keyed, of everything that was asked for. */
  wish_hash: string;
  callback_url: string | null;
  /** The person who kept another account than the one that was paid last; null where it is the same, or the first. */
  account_changed_by: string | null;
  state: PayoutState;
  changed_at: number;
  approved_at: number | null;
  approved_by: string | null;
  approved_by_id: string | null;
  approval: 'person' | 'automatic' | null;
  /** Why it has its state, as a person, the bank or the sender said it. */
  reason: string | null;
  file_id: string | null;
  file_line: number | null;
  sent_at: number | null;
  /** The sender by which it left; null: in a file of a bank, or not yet. */
  sender_id: string | null;
  settled_at: number | null;
  /** When its sender is asked next, or it is handed over; null: nobody does. */
  next_look_at: number | null;
  /** Counts the claims of workers: who has the last one says when the next look is. */
  looks: number;
  /** A report about it that cannot be true, such as a state after another, until a person has looked at it. */
  contradiction: string | null;
  contradicted_at: number | null;
};

/** Whether a text names a state. */
export function isPayoutState(text: string): text is PayoutState {
  return Object.hasOwn(PAYOUT_STATES, text);
}

/** The states that may become this one. */
export function statesBefore(state: PayoutState): PayoutState[] {
  const states = Object.keys(PAYOUT_STATES) as PayoutState[];
  return states.filter((before) => PAYOUT_STATES[before].includes(state));
}

/** The states in which money is on its way or has arrived: an equal payout may be the same one again. */
export const LIVE_STATES: readonly PayoutState[] = [
  'awaiting_approval',
  'approved',
  'sent',
  'unknown',
  'confirmed',
] as const;

type Sides = { kind: EntryKind; debit: string; credit: string };

const RELEASE: Sides = { kind: 'payout_released', debit: PAYOUTS_RESERVED, credit: MERCHANT_PAYABLE };

/** The accounts that each state moves. What was cancelled before it was approved had reserved nothing. */
const SIDES: Readonly<Partial<Record<PayoutState, Sides>>> = {
  approved: { kind: 'payout_reserved', debit: MERCHANT_PAYABLE, credit: PAYOUTS_RESERVED },
  confirmed: { kind: 'payout_paid', debit: PAYOUTS_RESERVED, credit: BANK },
  failed: RELEASE,
  cancelled: RELEASE,
  returned: { kind: 'payout_reversed', debit: BANK, credit: MERCHANT_PAYABLE },
};

/** Makes the transfer of a payout for the state that it has; null: nothing moves. */
export function transferOf(payout: Payout): Transfer | null {
  const sides = sidesOf(payout);
  if (sides === null) return null;
  const { id, amount, currency } = payout;
  return { ...sides, amount, currency, payout: { id, hash: hashOf(payout) } };
}

function sidesOf({ state, approval }: Payout): Sides | null {
  if (state === 'cancelled' && approval === null) return null;
  return SIDES[state] ?? null;
}

function hashOf(payout: Payout): string {
  return payoutHash(payout.id, {
    payout_environment_id: payout.environment_id,
    payout_reference: payout.reference,
    payout_amount: payout.amount,
    payout_currency: payout.currency,
    payout_created_at: payout.created_at,
    payout_proposed_by: payout.proposed_by,
    payout_recipient_id: payout.recipient_id,
    payout_recipient_version: payout.recipient_version,
    payout_account_hash: payout.account_hash,
  });
}

/** The words in which existing clients are told of it. A payout that came back has failed for them. */
export function statusOf(state: PayoutState): 'processing' | 'completed' | 'failed' {
  if (state === 'confirmed') return 'completed';
  return ['rejected', 'cancelled', 'failed', 'returned'].includes(state) ? 'failed' : 'processing';
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** How long after its end a sender is asked again: banks return money days later, and what failed may have been paid. */
const LOOKS_AFTER_END: Readonly<Partial<Record<PayoutState, readonly number[]>>> = {
  confirmed: [HOUR, DAY, 2 * DAY, 3 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 30 * DAY],
  failed: [HOUR, DAY],
};

/**
 * When the sender of a payout is asked next, once it was handed over; null: no more. Without an end after a quarter of the time
 * that it has waited, from 5 seconds to an hour.
 */
export function nextLook(state: PayoutState, since: { sentAt: number; settledAt: number }, now: number): number | null {
  if (state === 'sent' || state === 'unknown') {
    return now + Math.min(HOUR, Math.max(5 * SECOND, Math.floor((now - since.sentAt) / 4)));
  }
  const next = LOOKS_AFTER_END[state]?.find((after) => since.settledAt + after > now);
  return next === undefined ? null : since.settledAt + next;
}
