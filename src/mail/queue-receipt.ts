import type { Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import { prefixedId } from '../lib/ids.ts';
import type { Language } from '../lib/language.ts';
import { isMailAddress } from './mail.ts';
import { countAskedFor, insertMail } from './mail-queries.ts';

type Receipt = {
  transaction: RowKey<number>;
  /** The refund that the receipt is about; null: the payment. */
  refundId: string | null;
  address: string;
  at: number;
};

/**
 * Queues a receipt in the commit that it reports, so it is sent exactly if that commits. Does nothing if the payment
 * service sends no receipts, or if the text is not a mail address.
 */
export async function queueReceipt(tx: Tx, language: Language | null, receipt: Receipt): Promise<void> {
  if (language === null || !isMailAddress(receipt.address)) return;
  await insertMail(tx, rowOf(receipt, language, 0));
}

/** The most receipts that a holder of the link can request, so that it cannot flood a mailbox. */
const MOST_ASKED = 5;

/** Queues a receipt to an address that the payer typed. Returns false if this payment has had too many. */
export async function queueAskedReceipt(tx: Tx, language: Language, receipt: Receipt): Promise<boolean> {
  if ((await countAskedFor(tx, receipt.transaction)) >= MOST_ASKED) return false;
  await insertMail(tx, rowOf(receipt, language, 1));
  return true;
}

function rowOf({ transaction, refundId, address, at }: Receipt, language: Language, askedByPayer: 0 | 1) {
  return {
    id: prefixedId('mail'),
    environment_id: transaction.environment_id,
    transaction_id: transaction.id,
    refund_id: refundId,
    address,
    language,
    asked_by_payer: askedByPayer,
    state: 'queued',
    attempts: 0,
    created_at: at,
    next_attempt_at: at,
  };
}
