import type { App } from '../app.ts';
import type { Language } from '../lib/language.ts';
import { isMailAddress } from '../mail/mail.ts';
import { queueAskedReceipt } from '../mail/queue-receipt.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import type { Payment } from './find-payment.ts';

/**
 * Queues the receipt of a completed payment to an address that the payer typed. Returns `address` if that is not an
 * e-mail address, and `too_often` if this link has already sent the maximum number of receipts.
 */
export function askForReceipt(
  app: App,
  { transaction }: Pick<Payment, 'transaction'>,
  address: string,
  language: Language,
): Promise<'queued' | 'address' | 'too_often'> {
  if (!isMailAddress(address)) return Promise.resolve('address');
  return app.db.transaction(async (tx) => {
    // The lock makes requests of two tabs count one after the other.
    await lockTransaction(tx, transaction);
    const queued = await queueAskedReceipt(tx, language, { transaction, refundId: null, address, at: app.now() });
    return queued ? 'queued' : 'too_often';
  });
}
