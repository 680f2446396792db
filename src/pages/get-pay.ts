import { chosenMethod } from '../checkout/available-methods.ts';
import type { Payment } from '../checkout/find-payment.ts';
import type { Operation } from '../http/endpoint.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import { forwardPage } from './pay-page.ts';
import { payHandler, sendPayPage } from './pay-visit.ts';

/** Shows the pay page. Link previews fetch it too, so a GET must never pay. */
export const getPay: Operation = {
  handle: payHandler(async (app, visit) => {
    const { payment, language, request, send } = visit;
    const { method, receipt } = request.query as { method?: unknown; receipt?: unknown };
    const chosen = typeof method === 'string' ? chosenMethod(payment.methods, method) : undefined;
    const forward = forwardMethod(payment, chosen);
    if (forward !== null) return send(200, forwardPage(app, payment, language, forward));
    const isAsked = receipt === 'sent' && payment.stage === 'completed';
    return sendPayPage(app, visit, 200, {
      ...(chosen !== undefined && { chosen: chosen.code }),
      ...(isAsked && { asked: 'sent' }),
    });
  }),
};

/**
 * Returns the method to forward the payer to: the one that the shop chose, or the only one; null if it does not
 * redirect. After a first attempt it returns null: a payer who turned back wants to see this page.
 */
function forwardMethod({ stage, attempt, methods }: Payment, chosen: PaymentMethod | undefined): PaymentMethod | null {
  if (stage !== 'payable' || attempt !== null) return null;
  const named = chosen ?? (methods.length === 1 ? methods[0] : undefined);
  return named?.redirects === true ? named : null;
}
