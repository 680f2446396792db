import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { findBarFromRequest } from '../../refunds/find-refund-request.ts';
import { hasAsked, type RefundRequest } from '../../refunds/refund-request.ts';
import { selectRefundRequestsOf } from '../../refunds/refund-request-queries.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { actorText, ageText } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { whoMay } from '../permission-texts.ts';

/** Shows the refunds of a payment that wait for another person, with the actions of this person. */
export async function waitingRequests(app: App, visit: ConsoleVisit, { payment, transaction }: ShownPayment) {
  const requests = await selectRefundRequestsOf(app.db, transaction);
  const cards: Html[] = [];
  for (const request of requests.filter(({ state }) => state === 'waiting')) {
    const at = `${publicPath(app)}/console/payments/${payment.id}/requests/${request.id}`;
    cards.push(html`<div class="card pad"><p><strong>${formatMoney(request.amount, payment.currency)}</strong><br>
${askedText(app, visit, request)}</p>
<p>${tell(visit.language, 'above.why', { reason: request.reason })}</p>
${await decisionsOn(app, visit, request, at)}</div>`);
  }
  return cards.length > 0 && html`<h2>${tell(visit.language, 'above.waiting')}</h2>${cards}`;
}

/** Says who asked for the refund, and how long ago. */
export function askedText(app: App, { language }: ConsoleVisit, { requested_by, requested_at }: RefundRequest): string {
  const age = ageText(language, Math.max(0, app.now() - requested_at));
  return tell(language, 'above.asked', { name: actorText(language, requested_by), age });
}

async function decisionsOn(app: App, visit: ConsoleVisit, request: RefundRequest, at: string): Promise<Html> {
  const { language, user } = visit;
  const isOwn = hasAsked(request, user);
  const mayApprove = user.may.has('refunds:approve');
  const bar = mayApprove ? await findBarFromRequest(app.db, request, user) : null;
  const approval = !mayApprove
    ? html`<p class="quiet">${tell(language, 'above.another', { who: whoMay(language, 'refunds:approve') })}</p>`
    : bar === null
      ? html`<p class="actions"><a class="button primary" href="${at}/approve">${tell(language, 'above.approve')}</a></p>`
      : html`<p class="notice">${tell(language, 'above.not_yours', { why: bar[language] })}</p>`;
  return html`${approval}
${isOwn && user.may.has('refunds:create') && endForm(visit, `${at}/withdraw`, 'above.withdraw')}
${!isOwn && mayApprove && endForm(visit, `${at}/reject`, 'above.reject')}`;
}

/** Shows a form that ends a request without a refund; its reason is kept. */
function endForm({ language }: ConsoleVisit, action: string, text: 'above.reject' | 'above.withdraw'): Html {
  return html`<form method="post" action="${action}">
<label>${tell(language, 'refund.reason')}<input name="reason" required maxlength="200"></label>
<p class="quiet">${tell(language, 'refund.reason_hint')}</p>
<button>${tell(language, text)}</button></form>`;
}
