import type { Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import { prefixedId } from '../lib/ids.ts';
import { isMailAddress, type MailLanguage } from './mail.ts';
import { countAskedFor, insertMail } from './mail-queries.ts';

type Receipt = {
  transaction: RowKey<number>;
  /** Of the refund that it tells of; null: of the payment. */
  refundId: string | null;
  address: string;
  at: number;
};

/**
 * Queues a receipt in the commit of what it tells of, so that it leaves exactly where that is so. Nothing where receipts of the
 * payment service leave in no language, or where the text is not an address.
 */
export async function queueReceipt(tx: Tx, language: MailLanguage | null, receipt: Receipt): Promise<void> {
  if (language === null || !isMailAddress(receipt.address)) return;
  await insertMail(tx, rowOf(receipt, language, 0));
}

/** The most that somebody with the link can have sent, so that nobody's mailbox is filled with it. */
const MOST_ASKED = 5;

/** Queues one for an address that the payer typed. Answers false when that was done too often for this payment. */
export async function queueAskedReceipt(tx: Tx, language: MailLanguage, receipt: Receipt): Promise<boolean> {
  if ((await countAskedFor(tx, receipt.transaction)) >= MOST_ASKED) return false;
  await insertMail(tx, rowOf(receipt, language, 1));
  return true;
}

function rowOf({ transaction, refundId, address, at }: Receipt, language: MailLanguage, askedByPayer: 0 | 1) {
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
