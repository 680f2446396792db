import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../refunds/decide-refund-request.ts';
import { lastEqualRefund } from '../../refunds/find-refund.ts';
import { findBarFromRequest } from '../../refunds/find-refund-request.ts';
import { findRefusal } from '../../refunds/place-refund.ts';
import { REFUND_REFUSALS, type RefundRefusal } from '../../refunds/refund-refusal.ts';
import type { RefundRequest } from '../../refunds/refund-request.ts';
import { selectRefundRequest } from '../../refunds/refund-request-queries.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { actorText } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { formRefusal } from '../form-refusal.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { alertNotice, reasonField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { paymentOf, sendPayment } from './get-payment.ts';
import { refundEntries } from './refund-entries.ts';
import { askedText, reasonOfEnding } from './waiting-requests.ts';

/** Asks for confirmation, with the requester, the reason, and the entries that the refund would add to the books. */
export const getConsoleApproveRefund = consoleHandler(async (app, visit) => {
  const found = await findAsked(app, visit);
  if (found === null) return visit.send(404, notFoundPage(visit.language));
  const { reason = '' } = sealedOf(visit);
  const asked = requireProof(app, visit, keptPath(visit, `${pathOf(found)}/approve`, { reason }));
  if (asked !== null) return asked;
  return sendQuestion(app, visit, found, { reason });
});

/**
 * Makes the refund after the confirmation and the second factor. It asks again if an equal refund was made while the
 * form was open.
 */
export const postConsoleApproveRefund = consoleHandler(async (app, visit) => {
  const { language, request: sent, by, goTo } = visit;
  const found = await findAsked(app, visit);
  if (found === null) return visit.send(404, notFoundPage(language));
  const { shown, request } = found;
  const { reason: text = '', equal: equalSeen } = fieldsOf(sent);
  const asked = requireProof(app, visit, keptPath(visit, `${pathOf(found)}/approve`, { reason: text }));
  if (asked !== null) return asked;
  const reason = text.trim();
  if (reason !== '' && !isReason(reason)) return sendQuestion(app, visit, found, { reason, status: 400 });
  try {
    const approval = await approveRefundRequest(app, request, { by, reason: reason === '' ? null : reason, equalSeen });
    if (approval.kind === 'equal_made') return await sendQuestion(app, visit, found, { reason });
    if (approval.kind === 'approved') return await goTo(`/payments/${shown.payment.id}?done=approved`);
    if (approval.kind === 'already') return await sendDecided(app, visit, shown, approval.request);
    return await sendPayment(app, visit, shown, 409, refusedText(visit, approval.refusal));
  } catch (error) {
    return sendRefusal(app, visit, shown, error);
  }
});

/** Rejects a request of another person. */
export const postConsoleRejectRefund = ending('rejected');

/** Withdraws the person's own request. */
export const postConsoleWithdrawRefund = ending('withdrawn');

/** Ends a request without a refund; needs a reason. */
function ending(done: 'rejected' | 'withdrawn'): Screen {
  return consoleHandler(async (app, visit) => {
    const { language, by, goTo } = visit;
    const found = await findAsked(app, visit);
    if (found === null) return visit.send(404, notFoundPage(language));
    const { shown, request } = found;
    const reason = (fieldsOf(visit.request)['reason'] ?? '').trim();
    if (!isReason(reason)) {
      const fault = { said: tell(language, 'refund.no_reason'), field: reasonOfEnding(request) };
      return sendPayment(app, visit, shown, 400, fault);
    }
    try {
      const rejection = await rejectRefundRequest(app, request, { by, reason });
      if (rejection.kind === 'already') return await sendDecided(app, visit, shown, rejection.request);
      return await goTo(`/payments/${shown.payment.id}?done=${done}`);
    } catch (error) {
      return sendRefusal(app, visit, shown, error);
    }
  });
}

type Asked = { shown: ShownPayment; request: RefundRequest };

type Typed = { reason?: string; status?: number };

/**
 * Returns the request in the path if it belongs to the payment in the path and the person may see that payment, else
 * null.
 */
async function findAsked(app: App, visit: ConsoleVisit): Promise<Asked | null> {
  const shown = await paymentOf(app, visit);
  if (shown === null) return null;
  const { request: id } = visit.request.params as { request: string };
  const request = await selectRefundRequest(app.db, { id, environment_id: shown.transaction.environment_id });
  return request?.transaction_id === shown.transaction.id ? { shown, request } : null;
}

/** Returns the path of the request below `/console`. */
function pathOf({ shown, request }: Asked): string {
  return `/payments/${shown.payment.id}/requests/${request.id}`;
}

function sendDecided(app: App, visit: ConsoleVisit, shown: ShownPayment, { state, decided_by }: RefundRequest) {
  return sendPayment(
    app,
    visit,
    shown,
    409,
    tell(visit.language, state === 'approved' ? 'above.was_approved' : 'above.was_rejected', {
      name: actorText(visit.language, decided_by),
    }),
  );
}

function refusedText({ language }: ConsoleVisit, { code }: RefundRefusal): string {
  return tell(language, 'above.refused', { why: REFUND_REFUSALS[code][language] });
}

function sendRefusal(app: App, visit: ConsoleVisit, shown: ShownPayment, error: unknown) {
  const { status, said } = formRefusal(visit.language, error);
  return sendPayment(app, visit, shown, status, said);
}

/**
 * Asks before the refund; if the person may not approve it or it would be refused, says why on the page of the payment
 * and offers no button. `typed`: the reason that the person typed; with status 400 it is no reason.
 */
async function sendQuestion(app: App, visit: ConsoleVisit, found: Asked, typed: Typed = {}) {
  const { language, send } = visit;
  const { shown, request } = found;
  if (request.state !== 'waiting') return sendDecided(app, visit, shown, request);
  const bar = await findBarFromRequest(app.db, request, visit.user);
  if (bar !== null) {
    return sendPayment(app, visit, shown, 409, tell(language, 'above.not_yours', { why: bar[language] }));
  }
  const refusal = await findRefusal(app, shown.transaction, request);
  if (refusal !== null) return sendPayment(app, visit, shown, 409, refusedText(visit, refusal));
  const { reason, status = 200 } = typed;
  const fault = status === 200 ? '' : { said: tell(language, 'refund.no_reason'), field: 'reason' };
  const { payment } = shown;
  const money = formatMoney(request.amount, payment.currency);
  const title = tell(language, 'above.approve_title', { amount: money });
  const equal = await lastEqualRefund(app.db, shown.transaction, request.amount);
  const at = `${publicPath(app)}/console`;
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
<p>${await askedText(app, visit, request)} ${tell(language, 'above.why', { reason: request.reason })}</p>
<p>${tell(language, 'above.approve_text', { reference: payment.reference })}</p>
${await refundEntries(app, language, shown, { amount: request.amount, equal })}
<form class="card pad" method="post" action="${at}${pathOf(found)}/approve">
<input type="hidden" name="equal" value="${equal?.id ?? ''}">
${reasonField(language, fault, { value: reason, isOptional: true })}
<p class="actions"><button class="primary">${tell(language, 'above.confirm', { amount: money })}</button>
<a class="button" href="${at}/payments/${payment.id}">${tell(language, 'refund.back')}</a></p></form>`;
  return send(status, { title, main });
}
