import { createHash } from 'node:crypto';
import { BANK, type EntryKind, MERCHANT_PAYABLE, PAYOUTS_RESERVED, type Transfer } from '../books/journal-entry.ts';
import { payoutHash } from '../books/payout-hash.ts';
import type { SqlRow } from '../db/database.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { formatMoney } from '../lib/money.ts';

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
 * THE TABLE of states: each state with those that may follow. `sent`: the payout is in a file or at a program.
 * `unknown`: nobody has reported the result, so the sender is asked and the payout is never sent again. `returned` may
 * come days after `confirmed`.
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

/** The only currency of the Chilean rail. */
export const PAYOUT_CURRENCY = 'CLP';

/** Formats an amount of payouts. */
export function payoutMoney(amount: Sum): string {
  return formatMoney(amount, PAYOUT_CURRENCY);
}

/** Sums the amounts of payouts. */
export function totalOf(payouts: readonly Pick<Payout, 'amount'>[]): number {
  return payouts.reduce((sum, { amount }) => sum + amount, 0);
}

/** A row of `payouts`. Amounts are in minor units, times UTC milliseconds. */
export type Payout = SqlRow & {
  id: string;
  environment_id: number;
  batch_id: string | null;
  /** The client's id. */
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
  /** The verdict about the account when the payout was made. */
  verdict: string;
  validated_at: number;
  /** The text that the recipient reads. */
  message: string;
  /** A keyed hash of everything that was requested. */
  wish_hash: string;
  callback_url: string | null;
  /**
   * The user who stored an account that differs from the one paid last, or from an earlier one of a recipient to whose
   * RUT nothing had left; null: the same account, or the only one.
   */
  account_changed_by: string | null;
  state: PayoutState;
  changed_at: number;
  approved_at: number | null;
  approved_by: string | null;
  approved_by_id: string | null;
  approval: 'person' | 'automatic' | null;
  /** Why the payout has its state, in the words of a person, the bank, the sender or the service. */
  reason: string | null;
  file_id: string | null;
  file_line: number | null;
  sent_at: number | null;
  /** The sender that sent it; null: it left in a bank file, or has not left. */
  sender_id: string | null;
  settled_at: number | null;
  /** When a worker sends it or asks its sender next; null: no worker does. */
  next_look_at: number | null;
  /** The number of claims by workers. Only the worker with the last claim sets the next look. */
  looks: number;
  /** A report that cannot be true, such as a state that may not follow; null again when a person has checked it. */
  contradiction: string | null;
  /** The last contradiction that a person ended. */
  contradiction_ended: string | null;
  /**
   * The statement and the line of its file that contradict the payout, such as `st_…/12`; several have a space between,
   * also of different contradictions. Null: something else does.
   */
  contradicted_by: string | null;
  contradicted_at: number | null;
};

/** Returns the lines of bank statements that contradict a payout. */
export function contradictingLines({ contradicted_by }: Pick<Payout, 'contradicted_by'>): string[] {
  return contradicted_by?.split(' ') ?? [];
}

/**
 * Returns what a reported outcome does to a payout that has left. A returned payout arrived first: its return settles
 * one without an end too, and a file that still says `confirmed`, imported again, contradicts nothing.
 */
export function compareOutcome(state: PayoutState, outcome: PayoutState): 'settles' | 'already' | 'contradicts' {
  if (state === outcome || (state === 'returned' && outcome === 'confirmed')) return 'already';
  const next = PAYOUT_STATES[state];
  const arrives = outcome === 'returned' && next.includes('confirmed');
  return arrives || next.includes(outcome) ? 'settles' : 'contradicts';
}

const PAYEE_COLUMNS = [
  'id',
  'reference',
  'amount',
  'currency',
  'recipient_id',
  'recipient_version',
  'rut_hash',
  'account_hash',
  'bank_code',
  'account_masked',
  'message',
] as const;
const DETAIL_COLUMNS = ['id', 'verdict', 'validated_at', 'callback_url'] as const;
const CHANGER_COLUMNS = ['id', 'account_changed_by'] as const;

/** Returns the hash of the recipients, accounts, amounts and messages of payouts, for the audit log. */
export function hashOfPayees(payouts: readonly Pick<Payout, (typeof PAYEE_COLUMNS)[number]>[]): string {
  return hashOfColumns(payouts, PAYEE_COLUMNS);
}

/** Returns the hash of the verdicts about the accounts of payouts and of the URLs for their outcomes, likewise. */
export function hashOfDetails(payouts: readonly Pick<Payout, (typeof DETAIL_COLUMNS)[number]>[]): string {
  return hashOfColumns(payouts, DETAIL_COLUMNS);
}

/** Returns the hash of who changed the accounts of payouts, likewise. */
export function hashOfChangers(payouts: readonly Pick<Payout, (typeof CHANGER_COLUMNS)[number]>[]): string {
  return hashOfColumns(payouts, CHANGER_COLUMNS);
}

/** Returns a SHA-256: for each payout, by its id, the JSON array of these columns, ended by a line feed. */
function hashOfColumns<Column extends keyof Payout>(
  payouts: readonly (Pick<Payout, Column> & { readonly id: string })[],
  columns: readonly Column[],
): string {
  const hash = createHash('sha256');
  for (const payout of payouts.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    hash.update(`${JSON.stringify(columns.map((column) => payout[column]))}\n`);
  return hash.digest('hex');
}

/**
 * Returns whether a person may say how a payout ended: it has left and may still change, or something contradicts its
 * state.
 */
export function mayBeSettled({ state, contradicted_at }: Pick<Payout, 'state' | 'contradicted_at'>): boolean {
  return contradicted_at !== null || ['sent', 'unknown', 'confirmed'].includes(state);
}

/** Returns a text that changes if the payout changes its state, or if a contradiction begins or ends. */
export function standingOfPayout({ state, contradicted_at }: Pick<Payout, 'state' | 'contradicted_at'>): string {
  return `${state} ${contradicted_at ?? ''}`.trim();
}

/** Returns whether a text names a state. */
export function isPayoutState(text: string): text is PayoutState {
  return Object.hasOwn(PAYOUT_STATES, text);
}

/** Returns the states that this one may follow. */
export function statesBefore(state: PayoutState): PayoutState[] {
  const states = Object.keys(PAYOUT_STATES) as PayoutState[];
  return states.filter((before) => PAYOUT_STATES[before].includes(state));
}

/** The states in which a payout may still be paid or has arrived: an equal payout may be a duplicate. */
export const LIVE_STATES: readonly PayoutState[] = ['awaiting_approval', 'approved', 'sent', 'unknown', 'confirmed'];

/** The most payouts or files that one act names: PostgreSQL indexes a subject of up to 2,700 bytes, some 110 ids. */
export const NAMED_IN_AN_ACT = 100;

type Sides = { kind: EntryKind; debit: string; credit: string };

const RELEASE: Sides = { kind: 'payout_released', debit: PAYOUTS_RESERVED, credit: MERCHANT_PAYABLE };

/**
 * The accounts that each new state debits and credits. A payout that is cancelled before its approval moves nothing.
 */
const SIDES: Readonly<Partial<Record<PayoutState, Sides>>> = {
  approved: { kind: 'payout_reserved', debit: MERCHANT_PAYABLE, credit: PAYOUTS_RESERVED },
  confirmed: { kind: 'payout_paid', debit: PAYOUTS_RESERVED, credit: BANK },
  failed: RELEASE,
  cancelled: RELEASE,
  returned: { kind: 'payout_reversed', debit: BANK, credit: MERCHANT_PAYABLE },
};

/** Returns the transfer in the books for the payout's state; null: no money moves. */
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

/** Returns the status in the existing clients' words. `returned` is `failed` for them. */
export function statusOf(state: PayoutState): 'processing' | 'completed' | 'failed' {
  if (state === 'confirmed') return 'completed';
  return ['rejected', 'cancelled', 'failed', 'returned'].includes(state) ? 'failed' : 'processing';
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/**
 * How long after the end a sender is asked again: banks return money days later, and a failed payout may have been
 * paid.
 */
const LOOKS_AFTER_END: Readonly<Partial<Record<PayoutState, readonly number[]>>> = {
  confirmed: [HOUR, DAY, 2 * DAY, 3 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 30 * DAY],
  failed: [HOUR, DAY],
};

/**
 * Returns when the sender of a sent payout is asked next; null: not again. A payout without an end is asked about after
 * a quarter of its age, at least 5 seconds and at most an hour.
 */
export function nextLook(state: PayoutState, since: { sentAt: number; settledAt: number }, now: number): number | null {
  if (state === 'sent' || state === 'unknown') {
    return now + Math.min(HOUR, Math.max(5 * SECOND, Math.floor((now - since.sentAt) / 4)));
  }
  const next = LOOKS_AFTER_END[state]?.find((after) => since.settledAt + after > now);
  return next === undefined ? null : since.settledAt + next;
}
