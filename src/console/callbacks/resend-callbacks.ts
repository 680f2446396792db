import { userActor } from '../../auth/user-actor.ts';
import type { Operation } from '../../http/endpoint.ts';
import { clientNetwork } from '../../lib/client-network.ts';
import { resendCallback, resendCallbacks } from '../../outbox/resend-callback.ts';
import { consoleHandler, notFoundPage } from '../console-visit.ts';
import { paymentOf } from '../payments/get-payment.ts';
import { fieldsOf } from '../sign-in.ts';

/** Sends one callback of a payment again. */
export const postConsoleResend: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  handle: consoleHandler(async (app, visit) => {
    const { language, user, request, goTo, send } = visit;
    const shown = await paymentOf(app, visit);
    const { callback = '' } = fieldsOf(request);
    const isOfPayment = shown?.timeline.some(
      ({ kind, facts }) => kind === 'callback' && String(facts['callback']) === callback,
    );
    if (shown === null || isOfPayment !== true) return send(404, notFoundPage(language));
    const state = await resendCallback(app, Number(callback), userActor(user, clientNetwork(request.ip)));
    return goTo(`/payments/${shown.payment.id}?done=${state === 'queued' ? 'resent' : 'under-way'}`);
  }),
};

/** Sends everything again that waits for an endpoint, or was given up. */
export const postConsoleCallbacksResend: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  handle: consoleHandler(async (app, { language, user, request, goTo, send }) => {
    const { endpoint } = fieldsOf(request);
    if (endpoint === undefined) return send(404, notFoundPage(language));
    const resent = await resendCallbacks(app, { endpoint }, userActor(user, clientNetwork(request.ip)), () => {});
    return goTo(`/callbacks?resent=${resent}`);
  }),
};
