import { holdsCardNumber } from '../../../protocol/card-number.ts';
import type { Verdict } from '../../bank-validation/check.ts';
import type { SqlRow } from '../../db/database.ts';
import { MISLEADING } from '../../lib/misleading-text.ts';

/**
 * The actor who stores and reads recipients: a user, or the command line. Sees the recipients of the payment services
 * of these environments, and the actor's own. `environmentIds` null: all recipients.
 */
export type RecipientActor = { readonly id: string; readonly environmentIds: ReadonlySet<number> | null };

/** The details that only the holder and the payers need to know. They are sealed in the store. */
export type RecipientDetails = {
  readonly name: string;
  /** Canonical, such as `12345678-5`. */
  readonly rut: string;
  /** Digits, with leading zeros. */
  readonly account: string;
  readonly email: string | null;
};

export type RecipientRow = SqlRow & {
  id: string;
  version: number;
  owner: string;
  /** Null: only its owner sees it. */
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

/** A version of a recipient as the API returns it, with a masked account. Times are UTC milliseconds. */
export type Recipient = Pick<RecipientDetails, 'name' | 'rut' | 'email'> & {
  readonly id: string;
  readonly version: number;
  /** The payment service whose users share it. Null: only the user who stored it sees it. */
  readonly paymentServiceId: string | null;
  readonly bankCode: string;
  readonly maskedAccount: string;
  readonly validationId: string;
  readonly verdict: Verdict;
  readonly validatedAt: number;
  /** When the verdict expires. */
  readonly validUntil: number;
  /** `stale`: validate the account again before paying. */
  readonly state: 'current' | 'stale';
  readonly createdAt: number;
  readonly createdBy: string;
};

const DAY_MS = 86_400_000;

/** Returns why a text that an approver reads cannot be kept; null if it can. */
export function faultOfText(text: string): 'CONTROL_CHARACTER' | 'CARD_NUMBER' | null {
  if (MISLEADING.test(text)) return 'CONTROL_CHARACTER';
  return holdsCardNumber(text) ? 'CARD_NUMBER' : null;
}

/** Returns when a verdict expires: after the setting's days, or earlier if its provider says so. */
export function validUntil(row: Pick<RecipientRow, 'validated_at' | 'expires_at'>, maxAgeDays: number): number {
  return Math.min(row.validated_at + maxAgeDays * DAY_MS, row.expires_at ?? Number.POSITIVE_INFINITY);
}

/** Returns a row with its details as the API shows it at `now`. */
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
