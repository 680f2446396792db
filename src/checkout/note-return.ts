import type { App } from '../app.ts';
import { selectUnreturned, updateReturned } from '../outbox/outbox-queries.ts';
import type { Payment } from './find-payment.ts';
import { returnToShop } from './return-to-shop.ts';

/**
 * Records that the payer goes back to the shop. Call it before sending the page that does this automatically: the shop
 * may refuse the callback because the browser came first, and with this record nobody is alerted. Never rejects.
 * Returns true if the shop has not learned of the end yet, as far as Rúbrica knows.
 */
export async function noteReturn(app: App, { transaction, environment, stage }: Payment): Promise<boolean> {
  if (stage === 'under_review' || transaction.settled_at === null) return false;
  if (returnToShop(transaction, environment).kind !== 'post') return false;
  try {
    // The time in both signatures identifies the event.
    const ids = await selectUnreturned(app.db, transaction, transaction.settled_at);
    if (ids.length === 0) return false;
    await app.db.transaction((tx) => updateReturned(tx, ids, transaction.environment_id, app.now()));
    return true;
  } catch (error) {
    app.log.warn({ err: error, transaction: transaction.id }, 'the return of a payer to the shop was not recorded');
    return false;
  }
}
