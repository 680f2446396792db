import type { App } from '../app.ts';
import { noteBrowserReturn } from '../outbox/note-browser-return.ts';
import type { Payment } from './find-payment.ts';
import { returnToShop } from './return-to-shop.ts';

/**
 * To be called before the page is sent that takes the payer back to the shop by itself: the shop may answer the callback with
 * a refusal because the browser was first, and then nobody needs to be told. The payer gets the page in any case. Answers whether the
 * shop has not heard of the end in any way yet, as far as we know.
 */
export async function noteReturn(app: App, { transaction, environment, stage }: Payment): Promise<boolean> {
  if (stage === 'under_review' || transaction.settled_at === null) return false;
  if (returnToShop(transaction, environment).kind !== 'post') return false;
  try {
    return await noteBrowserReturn(app, transaction, transaction.settled_at);
  } catch (error) {
    app.log.warn({ err: error, transaction: transaction.id }, 'the return of a payer to the shop was not recorded');
    return false;
  }
}
