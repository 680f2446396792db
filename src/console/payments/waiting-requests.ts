import type { App } from '../../app.ts';
import { selectUserById } from '../../auth/user-queries.ts';
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
import { type Fault, isAtFault, reasonField } from '../notice.ts';
import { whoMay } from '../permission-texts.ts';
import { fieldsOf } from '../sign-in.ts';

/**
 * Shows the refunds of a payment that wait for another person, with the actions of this person. `refused`: the refusal
 * of a form of the page.
 */
export async function waitingRequests(
  app: App,
  visit: ConsoleVisit,
  { payment, transaction }: ShownPayment,
  refused: string | Fault,
) {
  const requests = await selectRefundRequestsOf(app.db, transaction);
  const cards: Html[] = [];
  for (const request of requests.filter(({ state }) => state === 'waiting')) {
    const at = `${publicPath(app)}/console/payments/${payment.id}/requests/${request.id}`;
    cards.push(html`<div class="card pad"><p><strong>${formatMoney(request.amount, payment.currency)}</strong><br>
${await askedText(app, visit, request)}</p>
<p>${tell(visit.language, 'above.why', { reason: request.reason })}</p>
${await decisionsOn(app, visit, request, { at, refused })}</div>`);
  }
  return cards.length > 0 && html`<h2>${tell(visit.language, 'above.waiting')}</h2>${cards}`;
}

/** Says who asked for the refund, how long ago, and if that user is disabled now. */
export async function askedText(app: App, { language }: ConsoleVisit, request: RefundRequest): Promise<string> {
  const { requested_by, requested_by_id, requested_at } = request;
  const age = ageText(language, Math.max(0, app.now() - requested_at));
  const asked = tell(language, 'above.asked', { name: actorText(language, requested_by), age });
  const asker = await selectUserById(app.db, requested_by_id);
  return asker?.disabled_at ? `${asked} ${tell(language, 'above.asker_disabled')}` : asked;
}

/** Returns how `formField` names the reason that ends this request. */
export function reasonOfEnding({ id }: Pick<RefundRequest, 'id'>): string {
  return `reason-${id}`;
}

async function decisionsOn(
  app: App,
  visit: ConsoleVisit,
  request: RefundRequest,
  { at, refused }: { at: string; refused: string | Fault },
): Promise<Html> {
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
${isOwn && user.may.has('refunds:create') && endForm(visit, request, { action: `${at}/withdraw`, text: 'above.withdraw', refused })}
${!isOwn && mayApprove && endForm(visit, request, { action: `${at}/reject`, text: 'above.reject', refused })}`;
}

type Ending = { action: string; text: 'above.reject' | 'above.withdraw'; refused: string | Fault };

/** Shows a form that ends a request without a refund; its reason is kept. */
function endForm(visit: ConsoleVisit, asked: RefundRequest, { action, text, refused }: Ending): Html {
  const { language, request } = visit;
  const as = reasonOfEnding(asked);
  const value = isAtFault(refused, as) ? fieldsOf(request)['reason'] : undefined;
  return html`<form method="post" action="${action}">
<p>${tell(language, `${text}_text`)}</p>
${reasonField(language, refused, { as, value })}
<button>${tell(language, text)}</button></form>`;
}
