import type { FactContent } from '../books/book-fact.ts';
import { methodReceivable, type Posting, SUSPENSE } from '../books/journal-entry.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import type { SqlRow } from '../db/database.ts';

/** A row of `imported_payments`; it never changes. Amounts are in minor units, times UTC milliseconds. */
export type ImportedPayment = SqlRow & {
  id: string;
  environment_id: number;
  /** The key by which a line is taken over only once. */
  line_key: string;
  /** Where the books have it in suspense; null where it is of an attempt, and the other way round. */
  link: number | null;
  payment_attempt_id: string | null;
  imported_at: number;
  imported_by: string;
  payment_method: string;
  /** The day that the file says, `2026-01-15`. */
  settled_on: string;
  buy_order: string | null;
  authorization_code: string | null;
  amount: number;
  currency: string;
  evidence_name: string;
  evidence_sha256: string;
  file_line: number;
};

/**
 * The step for a line of the acquirer's file. `settle`: it is of an attempt of ours, which it ends. `suspense`: it is of
 * nothing that we know. `known`: the books have it. `imported`: it was taken over before. `left`: it is for a person.
 */
export type ImportStep = {
  row: SettlementRow;
  does: 'settle' | 'suspense' | 'known' | 'imported' | 'left';
  attemptId: string | null;
  transactionId: number | null;
  /** A note about it, in a few words. */
  note: string;
};

/** The same line of another export of the same days is the same line. */
export function lineKeyOf(environment: string, row: SettlementRow): string {
  const { date, buyOrder, authorizationCode, amount, currency } = row;
  return JSON.stringify([environment, date, buyOrder, authorizationCode, amount, currency]);
}

/** Writes the fact of an imported payment. Not `link`: the fact is written before the entry. */
export function importContent(imported: ImportedPayment): FactContent {
  return Object.fromEntries(Object.entries(imported).filter(([column]) => column !== 'link'));
}

/** Money that the acquirer has and that is of nothing we know. */
export function importedPosting(imported: ImportedPayment): Posting {
  const { environment_id, imported_at, payment_method, amount, currency } = imported;
  const debit = methodReceivable(payment_method);
  return {
    environmentId: environment_id,
    at: imported_at,
    transactionId: null,
    paymentAttemptId: null,
    refundId: null,
    movement: null,
    transfers: [{ kind: 'late_payment', debit, credit: SUSPENSE, amount, currency }],
  };
}
