import type { SqlRow } from '../db/database.ts';
import { chainHash } from '../lib/hash-chain.ts';

/**
 * Facts that the books stand on and no entry says. `owner`: whose the books of an environment are. `fee`: what is kept of
 * payments, of a method and a currency. `refund`: what is reserved of a payment, until the refund has its end. `decision`:
 * what a person decided about a payment attempt or a refund, with the evidence. `import`: a line of an acquirer's file that
 * was taken over. `restore`: that the store was restored, as a person accepted it.
 */
export type FactKind = 'owner' | 'fee' | 'refund' | 'decision' | 'import' | 'restore';

/** A fact before it has its place in the chain of its environment. `content` is what is so from then on. */
export type NewFact = {
  environmentId: number;
  /** UTC milliseconds. */
  at: number;
  kind: FactKind;
  /** The subject within its kind: '' for the owner, `webpay CLP` for a fee, the id of a refund or a decision, an epoch. */
  subject: string;
  content: FactContent;
  /** E-mail address of the user, or `command line: USER@HOST`; of older ones the id of the user, or `command line`. */
  recordedBy: string;
};

export type FactContent = Record<string, string | number | null>;

/** A row of `book_facts`. `link` counts from 1 in each environment, `content` is JSON text. */
export type BookFact = SqlRow & {
  environment_id: number;
  link: number;
  created_at: number;
  kind: FactKind;
  subject: string;
  content: string;
  recorded_by: string;
  hash: string;
};

const COLUMNS = ['environment_id', 'link', 'created_at', 'kind', 'subject', 'content', 'recorded_by'] as const;

/** The hash of a fact: SHA-256, in lower-case hexadecimal, of the hash before it and the JSON array of its columns, a line each. */
export function factHash(previous: string, fact: Omit<BookFact, 'hash'>): string {
  return chainHash(previous, [COLUMNS.map((column) => fact[column])]);
}

/** The owner of an environment. */
export type OwnerRow = {
  id: number;
  payment_service_id: string;
  name: string;
  environment: string;
  service_token: string;
};

/** Writes the fact of who owns the books of an environment. */
export function ownerContent({ payment_service_id, name, environment, service_token }: OwnerRow): FactContent {
  return { payment_service_id, name, environment, service_token };
}

/** A row of `fees` under its subject. */
export type FeeRow = { payment_method: string; currency: string; rate_ppm: number; fixed: number; created_at: number };

/** Names the subject of a fee. */
export function feeSubject({ payment_method, currency }: Pick<FeeRow, 'payment_method' | 'currency'>): string {
  return `${payment_method} ${currency}`;
}

/** Writes the fact of a fee. */
export function feeContent({ rate_ppm, fixed, created_at }: FeeRow): FactContent {
  return { rate_ppm, fixed, created_at };
}

/** The columns of `refunds` that never change, and its state. */
export type ReservedRow = {
  id: string;
  transaction_id: number;
  sequence: number;
  amount: number;
  created_at: number;
  type: string;
  requested_by: string;
  idempotency_key: string | null;
  state: string;
};

/** Writes the fact of an amount reserved of a payment, for whom and since when. */
export function refundContent(refund: ReservedRow): FactContent {
  const { transaction_id, sequence, amount, created_at, type, requested_by, idempotency_key, state } = refund;
  return { transaction_id, sequence, amount, created_at, type, requested_by, idempotency_key, state };
}
