import type { SqlRow } from '../db/database.ts';
import { chainHash } from '../lib/hash-chain.ts';

/**
 * Facts that the books depend on and that no entry contains. `owner`: the owner of an environment's books. `fee`: the
 * fee on payments by one method in one currency. `refund`: the amount of a payment that a refund reserves until it
 * ends. `decision`: a person's decision about a payment attempt or a refund, with the evidence. `import`: a line
 * imported from an acquirer's file. `restore`: a restore of the store that a person accepted.
 */
export type FactKind = 'owner' | 'fee' | 'refund' | 'decision' | 'import' | 'restore';

/** A fact before it is part of its environment's chain. `content` is what is true from then on. */
export type NewFact = {
  environmentId: number;
  /** UTC milliseconds. */
  at: number;
  kind: FactKind;
  /**
   * Identifies the subject within its kind: '' for the owner, `webpay CLP` for a fee, the id of a refund or a decision,
   * an epoch.
   */
  subject: string;
  content: FactContent;
  /** E-mail address of the user, or `command line: USER@HOST`; in older facts the id of the user, or `command line`. */
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

/**
 * Computes the hash of a fact: SHA-256, in lower-case hexadecimal, of two lines: the previous hash and the JSON array
 * of its columns.
 */
export function factHash(previous: string, fact: Omit<BookFact, 'hash'>): string {
  return chainHash(previous, [COLUMNS.map((column) => fact[column])]);
}

export type OwnerRow = {
  id: number;
  payment_service_id: string;
  name: string;
  environment: string;
  service_token: string;
};

/** Returns the content of the fact that names the owner of an environment's books. */
export function ownerContent({ payment_service_id, name, environment, service_token }: OwnerRow): FactContent {
  return { payment_service_id, name, environment, service_token };
}

/** A row of `fees`, the content of a fact about a fee. */
export type FeeRow = { payment_method: string; currency: string; rate_ppm: number; fixed: number; created_at: number };

/** Returns the subject of a fact about a fee. */
export function feeSubject({ payment_method, currency }: Pick<FeeRow, 'payment_method' | 'currency'>): string {
  return `${payment_method} ${currency}`;
}

/** Returns the content of a fact about a fee. */
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

/** Returns the content of the fact that a refund reserves an amount. */
export function refundContent(refund: ReservedRow): FactContent {
  const { transaction_id, sequence, amount, created_at, type, requested_by, idempotency_key, state } = refund;
  return { transaction_id, sequence, amount, created_at, type, requested_by, idempotency_key, state };
}
