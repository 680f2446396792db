import { startPayment } from '../checkout/start-payment.ts';
import type { Operation } from '../http/endpoint.ts';
import { findPaidLink } from '../payment-links/find-payment-link.ts';
import { onlyField } from './only-field.ts';
import { payPath, redirectPage } from './pay-page.ts';
import { payHandler, sendRefusal } from './pay-visit.ts';

/** Pays with the method whose button the payer pressed. */
export const postPay: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  handle: payHandler(async (app, visit) => {
    const { payment, language, request, reply, send } = visit;
    // Late money may pay a link for one payment after its next transaction was made.
    const paid = await findPaidLink(app, payment.transaction);
    if (paid !== null) return reply.code(303).header('location', paid).send();
    const start = await startPayment(app, payment.transaction, onlyField(request.body, 'method'));
    if (start.kind === 'refused') return sendRefusal(app, visit, start.code);
    if (start.kind === 'redirect') return send(200, redirectPage(app, payment, language, start));
    // Redirect after the post: reloading its response would ask the payer to send the form again.
    return reply.code(303).header('location', payPath(app, payment)).send();
  }),
};
