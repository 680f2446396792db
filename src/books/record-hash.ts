import { hash } from 'node:crypto';
import type { SqlValue } from '../db/database.ts';

/** The owner of the books of an environment: the columns that never change. */
export type OwnerOfBooks = {
  environment_id: number;
  payment_service_id: string;
  environment: string;
  service_token: string;
};

/**
 * Computes the hash by which every entry names the owner of its books: SHA-256, in lower-case hexadecimal, of a JSON
 * array.
 */
export function ownerHash({ environment_id, payment_service_id, environment, service_token }: OwnerOfBooks): string {
  return hashOf([environment_id, payment_service_id, environment, service_token]);
}

/**
 * The records behind an entry, with the column names of the queries. If a record does not exist, all its columns are
 * null.
 */
export type RecordBehind = Record<RecordColumn, SqlValue>;

export type RecordColumn =
  | (typeof TRANSACTION | typeof ATTEMPT | typeof REFUND)[number]
  | 'attempt_state'
  | 'payment_detail';

const TRANSACTION = [
  'transaction_environment_id',
  'transaction_amount',
  'transaction_currency',
  'transaction_created_at',
  'reference',
] as const;
const ATTEMPT = ['attempt_transaction_id', 'attempt_method', 'attempt_account'] as const;
const REFUND = [
  'refund_transaction_id',
  'refund_sequence',
  'refund_amount',
  'refund_created_at',
  'refund_type',
  'refund_requested_by',
  'refund_idempotency_key',
  'refund_settled_at',
  'refund_detail',
] as const;

type Explained = { transaction_id: number | null; payment_attempt_id: string | null; refund_id: string | null };

/**
 * Computes the hash of the record behind an entry, which the entry carries into the chain; null if the only record is a
 * movement. docs/finance.md describes it. `approved`: the hash covers the method's answer, with its authorisation code.
 */
export function recordHash(explained: Explained, record: RecordBehind, approved: boolean): string | null {
  const { transaction_id, payment_attempt_id, refund_id } = explained;
  if (transaction_id === null && payment_attempt_id === null && refund_id === null) return null;
  const valuesOf = (columns: readonly RecordColumn[]) => columns.map((column) => record[column]);
  const attempt = approved ? [...valuesOf(ATTEMPT), record.payment_detail] : valuesOf(ATTEMPT);
  return hashOf([
    [transaction_id, ...valuesOf(TRANSACTION)],
    payment_attempt_id === null ? null : [payment_attempt_id, ...attempt],
    refund_id === null ? null : [refund_id, ...valuesOf(REFUND)],
  ]);
}

function hashOf(values: unknown): string {
  return hash('sha256', JSON.stringify(values), 'hex');
}
