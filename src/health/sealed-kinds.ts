import { FACTOR_SECRETS } from '../auth/factors/seal-factor.ts';
import { VALIDATION_QUESTIONS } from '../bank-validation/holder/seal-question.ts';
import { METHOD_KEYS } from '../payment-services/method-settings.ts';
import { SECRET_TOKENS } from '../payment-services/seal-secret.ts';
import { PAYOUT_FILE_CONTENT } from '../payouts/files/seal-payout-file.ts';
import { RECIPIENT_DETAILS } from '../payouts/recipients/seal-recipient.ts';
import { PAYOUT_SENDER_KEYS } from '../payouts/set-payout-sender.ts';
import { KEPT_KEYS } from '../sealing/kept-key.ts';
import type { SealedKind } from '../sealing/sealed-kind.ts';

/** All encrypted columns of the store. A test compares this list with the schema. */
export const SEALED_KINDS: readonly SealedKind[] = [
  SECRET_TOKENS,
  METHOD_KEYS,
  VALIDATION_QUESTIONS,
  RECIPIENT_DETAILS,
  PAYOUT_FILE_CONTENT,
  PAYOUT_SENDER_KEYS,
  FACTOR_SECRETS,
  KEPT_KEYS,
];
