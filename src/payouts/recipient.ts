import type { Verdict } from '../bank-validation/check.ts';
import type { SqlRow } from '../db/database.ts';

/**
 * The actor who keeps and reads recipients: a user, or the command line. He sees what belongs to the payment services of these
 * environments, and what he keeps for himself. Null: all recipients.
 */
export type RecipientActor = { readonly id: string; readonly environmentIds: ReadonlySet<number> | null };

/** The details that only the holder and the people who pay them need to know. Sealed in the store. */
export type RecipientDetails = {
  readonly name: string;
  /** Canonical: `12345678-5`. */
  readonly rut: string;
  /** Digits, zeros kept. */
  readonly account: string;
  readonly email: string | null;
};

export type RecipientRow = SqlRow & {
  id: string;
  version: number;
  owner: string;
  /** Null: it is for its owner alone. */
  payment_service_id: string | null;
  created_at: number;
  created_by: string;
  validation_id: string;
  verdict: Verdict;
  validated_at: number;
  expires_at: number | null;
  bank_code: string;
  account_masked: string;
  rut_hash: string;
  account_hash: string;
  email_hash: string | null;
  sealed_details: string;
};

/** A version of a recipient as it is answered: the account is masked. Times are UTC milliseconds. */
export type Recipient = Pick<RecipientDetails, 'name' | 'rut' | 'email'> & {
  readonly id: string;
  readonly version: number;
  /** The payment service whose people share it. Null: it is for the user alone who kept it. */
  readonly paymentServiceId: string | null;
  readonly bankCode: string;
  readonly maskedAccount: string;
  readonly validationId: string;
  readonly verdict: Verdict;
  readonly validatedAt: number;
  /** Until when the verdict counts. */
  readonly validUntil: number;
  /** `stale`: validate the account again before paying. */
  readonly state: 'current' | 'stale';
  readonly createdAt: number;
  readonly createdBy: string;
};

const DAY_MS = 86_400_000;

/** Until when a verdict counts: as long as the setting says, and no longer than its provider's word. */
export function validUntil(row: Pick<RecipientRow, 'validated_at' | 'expires_at'>, maxAgeDays: number): number {
  return Math.min(row.validated_at + maxAgeDays * DAY_MS, row.expires_at ?? Number.POSITIVE_INFINITY);
}

/** A row with its details, as it is answered at `now`. */
export function recipientOf(
  row: RecipientRow,
  { name, rut, email }: RecipientDetails,
  { now, maxAgeDays }: { now: number; maxAgeDays: number },
): Recipient {
  const until = validUntil(row, maxAgeDays);
  return {
    id: row.id,
    version: row.version,
    paymentServiceId: row.payment_service_id,
    name,
    rut,
    email,
    bankCode: row.bank_code,
    maskedAccount: row.account_masked,
    validationId: row.validation_id,
    verdict: row.verdict,
    validatedAt: row.validated_at,
    validUntil: until,
    state: now < until ? 'current' : 'stale',
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}
