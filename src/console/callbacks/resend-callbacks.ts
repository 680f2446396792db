import { html } from '../../http/html.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import { selectEndpoint } from '../../outbox/endpoints/endpoint-answer-queries.ts';
import { trySignature } from '../../outbox/endpoints/try-signature.ts';
import { RESENT_BY_FORM, resendCallback, resendCallbacks } from '../../outbox/resend-callback.ts';
import { tell } from '../console-texts.ts';
import { consoleHandler, inParts, notFoundPage } from '../console-visit.ts';
import { typedQuery } from '../kept-typing.ts';
import { alertNotice } from '../notice.ts';
import { paymentOf } from '../payments/get-payment.ts';
import { fieldsOf } from '../sign-in.ts';
import { sendEndpoint } from './get-endpoint.ts';

/** Resends one callback of a payment. */
export const postConsoleResend = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo, send } = visit;
  const shown = await paymentOf(app, visit);
  const { callback = '' } = fieldsOf(request);
  const isOfPayment = shown?.timeline.some(
    ({ kind, facts }) => kind === 'callback' && String(facts['callback']) === callback,
  );
  if (shown === null || isOfPayment !== true) return send(404, notFoundPage(language));
  const state = await resendCallback(app, Number(callback), by);
  return goTo(
    `/payments/${shown.payment.id}?done=${state === 'queued' ? 'resent' : state === 'unwanted' ? 'unwanted' : 'under-way'}`,
  );
});

/**
 * Resends the callbacks of an endpoint that wait or were given up; with days, only the callbacks created on them. After
 * 1000 the page asks whether to continue.
 */
export const postConsoleCallbacksResend = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo, send } = visit;
  const { id = '', since = '', until = '', behind = '' } = fieldsOf(request);
  const endpoint = isWhole(id) ? await selectEndpoint(app.db, Number(id)) : null;
  if (endpoint === null) return send(404, notFoundPage(language));
  const isRange = [since, until].every((day) => day === '' || isDay(day)) && (until === '' || since <= until);
  if (!isRange) {
    const days = { said: tell(language, 'callbacks.bad_range'), field: 'since', since, until };
    return sendEndpoint(app, visit, id, { status: 400, said: alertNotice(days), days });
  }
  const filter = {
    endpointId: endpoint.id,
    environmentId: endpoint.environment_id,
    ...(since !== '' && { since: boundsOfDay(since).from }),
    ...(until !== '' && { until: boundsOfDay(until).to }),
  };
  const run = { most: RESENT_BY_FORM, behind: isWhole(behind) ? Number(behind) : 0 };
  const { resent, next } = await inParts(() => resendCallbacks(app, filter, by, run));
  const rest = next === null ? '' : `&${typedQuery(visit, { id, since, until, behind: String(next) })}`;
  return goTo(`/callbacks?resent=${resent}${rest}`);
});

/** Posts a test event to an endpoint, and shows what the responses say about its signature check. */
export const postConsoleEndpointTest = consoleHandler(async (app, visit) => {
  const { language, by, request, send } = visit;
  const { id } = request.params as { id: string };
  const trial = isWhole(id) ? await trySignature(app, Number(id), by) : null;
  if (trial === null) return send(404, notFoundPage(language));
  const { verdict, right, wrong } = trial;
  const to = trial.to === null ? '' : tell(language, 'doctor.redirects_to', { to: trial.to });
  const said = html`<p class="notice${verdict === 'checks' && ' done'}" role="status"><strong>${tell(language, `doctor.${verdict}`, { to })}</strong> ${tell(language, 'doctor.tested', { right, wrong })}</p>`;
  return sendEndpoint(app, visit, id, { status: 200, said });
});

function isWhole(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
