import type { App } from '../../app.ts';
import { sayPaymentDoubt, sayRefundDoubt } from '../../attention/say-doubt.ts';
import { openDecision } from '../../checkout/decide-payment.ts';
import { isInDoubt } from '../../checkout/payment-attempt.ts';
import { methodName } from '../../checkout/texts.ts';
import type { InBoth } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import { formatMoney } from '../../lib/money.ts';
import { selectSuspenseOf } from '../../movements/movement-queries.ts';
import { isRefundInDoubt } from '../../refunds/refund.ts';
import { selectRefundsOf } from '../../refunds/refund-queries.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { selectAttemptsOf } from '../../search/timeline-queries.ts';
import { tell, tellKind } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { whoMay } from '../permission-texts.ts';

/**
 * Shows the attempts and the refunds of a payment that are in doubt, why, and for a person who may end them the way to
 * do it.
 */
export async function doubtsOf(app: App, visit: ConsoleVisit, shown: ShownPayment) {
  const { language, user } = visit;
  const at = `${publicPath(app)}/console/payments/${shown.payment.id}`;
  const mayEnd = user.may.has('movements:record');
  const doubts = [...(await attemptsIn(app, shown)), ...(await refundsIn(app, shown))];
  const cards: Html[] = doubts.map(
    ({ path, why }) => html`<div class="card pad"><p>${why[language]}</p>
${mayEnd ? html`<p class="actions"><a class="button primary" href="${at}${path}">${tell(language, 'settle.end')}</a></p>` : html`<p class="quiet">${tell(language, 'settle.another', { who: whoMay(language, 'movements:record') })}</p>`}</div>`,
  );
  return cards.length > 0 && html`<h2>${tell(language, 'settle.doubt')}</h2>${cards}`;
}

/**
 * Shows a person who may do it the way to record an attempt that ended without money as paid: the acquirer knows
 * better, and nothing else says so.
 */
export async function unpaidAttemptsOf(app: App, { language, user }: ConsoleVisit, shown: ShownPayment) {
  if (!user.may.has('movements:record')) return false;
  const at = `${publicPath(app)}/console/payments/${shown.payment.id}/attempts`;
  const links: Html[] = [];
  for (const attempt of await selectAttemptsOf(app.db, shown.transaction)) {
    if ((await openDecision(app, attempt)) !== 'unpaid') continue;
    const { id, state, created_at, payment_method: code } = attempt;
    const said = tellKind(language, 'attempt', state, { method: methodName(language, { code }) });
    links.push(html`<li><a href="${at}/${id}/settle">${clockOf(created_at)} · ${said}</a></li>`);
  }
  return (
    links.length > 0 &&
    html`<div class="card pad"><details><summary>${tell(language, 'settle.paid_after_all')}</summary>
<p>${tell(language, 'settle.paid_after_all_text')}</p><ul>${links}</ul></details></div>`
  );
}

/** Shows the money of a payment that is in suspense, with the way to decide about it for a person who may. */
export async function suspenseOf(app: App, { language, user }: ConsoleVisit, { transaction }: ShownPayment) {
  const open = (await selectSuspenseOf(app.db, transaction)).filter(({ decision }) => decision === null);
  const mayDecide = user.may.has('movements:record') && user.environmentIds === null;
  const at = `${publicPath(app)}/console/suspense/t${transaction.id}`;
  const cards = open.map(({ kind, amount, currency, entry }) => {
    const way = mayDecide
      ? html`<p class="actions"><a class="button primary" href="${at}-${entry}">${tell(language, 'way.decide')}</a></p>`
      : html`<p class="quiet">${tell(language, 'settle.another', { who: whoMay(language, 'movements:record') })}</p>`;
    const what = html`<strong>${formatMoney(amount, currency)}.</strong> ${tellKind(language, 'suspense', kind)}`;
    return html`<div class="card pad"><p>${what}</p>${way}</div>`;
  });
  return cards.length > 0 && html`<h2>${tell(language, 'attention.suspense')}</h2>${cards}`;
}

/** `path` is below the page of the payment. */
type Doubt = { path: string; why: InBoth };

async function attemptsIn(app: App, { transaction }: ShownPayment): Promise<Doubt[]> {
  const attempts = await selectAttemptsOf(app.db, transaction);
  return attempts
    .filter((attempt) => isInDoubt(attempt, app.now()))
    .map(({ id, payment_method, commit_sent_at, contradicted_at, contradiction }) => ({
      path: `/attempts/${id}/settle`,
      why: sayPaymentDoubt({
        payment_method,
        commit_sent_at,
        contradiction: contradicted_at === null ? null : contradiction,
      }),
    }));
}

async function refundsIn(app: App, { payment, transaction }: ShownPayment): Promise<Doubt[]> {
  const refunds = await selectRefundsOf(app.db, transaction);
  return refunds
    .filter((refund) => isRefundInDoubt(refund, app.now()))
    .map(({ id, state, asked_at, contradicted_at, contradiction }) => ({
      path: `/refunds/${id}/settle`,
      why: sayRefundDoubt({
        payment_method: payment.payment_method ?? '',
        state,
        asked_at,
        contradiction: contradicted_at === null ? null : contradiction,
      }),
    }));
}
