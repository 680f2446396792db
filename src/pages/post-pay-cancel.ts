import { cancelTransaction } from '../checkout/cancel-transaction.ts';
import { findPayment } from '../checkout/find-payment.ts';
import { returnToShop } from '../checkout/return-to-shop.ts';
import type { Operation } from '../http/endpoint.ts';
import { payToken } from '../transactions/transaction.ts';
import { payHandler, sendPayPage, sendRefusal } from './pay-visit.ts';

/** Cancels the transaction and sends the payer to the shop: by a redirect, or by a form on the payment's page. */
export const postPayCancel: Operation = {
  handle: payHandler(async (app, visit) => {
    const { transaction } = visit.payment;
    const cancellation = await cancelTransaction(app, transaction);
    if (cancellation.kind === 'refused') return sendRefusal(app, visit, cancellation.code);
    const payment = (await findPayment(app, payToken(transaction))) ?? visit.payment;
    const back = returnToShop(payment.transaction, payment.environment);
    if (back.kind !== 'get') return sendPayPage(app, { ...visit, payment }, 200);
    return visit.reply.code(303).header('location', back.url).send();
  }),
};
