import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { selectAvailable } from '../../books/balance-queries.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { html } from '../../http/html.ts';
import { addUp } from '../../lib/exact-sum.ts';
import { randomToken } from '../../lib/ids.ts';
import { formatMoney, formatPlain, parseTyped } from '../../lib/money.ts';
import { createRefund } from '../../refunds/create-refund.ts';
import { REFUND_REFUSALS } from '../../refunds/refund-refusal.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { paymentOf, sendPayment } from './get-payment.ts';

/** Asks once more, with the amount, the entries that the books will have, and what the merchant has left. */
export const getConsoleRefund: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const shown = await paymentOf(app, visit);
    if (shown === null) return visit.send(404, notFoundPage(visit.language));
    const wish = readWish(visit, shown, visit.request.query as Record<string, unknown>);
    if ('refusal' in wish) return sendPayment(app, visit, shown, 400, wish.refusal);
    const asked = requireProof(app, visit, questionPath(shown, wish));
    if (asked !== null) return asked;
    return sendQuestion(app, visit, shown, wish);
  }),
};

/** Refunds what the page before has shown. The key in its form makes a second click the same refund. */
export const postConsoleRefund: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, by, request, goTo } = visit;
    const shown = await paymentOf(app, visit);
    if (shown === null) return visit.send(404, notFoundPage(language));
    const fields = fieldsOf(request);
    const wish = readWish(visit, shown, fields);
    if ('refusal' in wish) return sendPayment(app, visit, shown, 400, wish.refusal);
    const asked = requireProof(app, visit, questionPath(shown, wish));
    if (asked !== null) return asked;
    const creation = await createRefund(app, shown.transaction, {
      amount: wish.amount,
      type: wish.amount === leftOf(shown) ? 'total' : 'parcial',
      idempotencyKey: `console ${(fields['key'] ?? '').slice(0, 40)}`,
      by,
      reason: wish.reason,
    });
    if (creation.kind === 'refused') {
      return sendPayment(
        app,
        visit,
        shown,
        409,
        tell(language, 'refund.refused', { why: REFUND_REFUSALS[creation.refusal.code][language] }),
      );
    }
    const amount = formatMoney(creation.refund.amount, shown.payment.currency);
    return goTo(`/payments/${shown.payment.id}?${String(new URLSearchParams({ done: 'refund', amount }))}`);
  }),
};

/** The page that asks once more, with what is wished for. */
function questionPath({ payment }: ShownPayment, { amount, reason }: Wish): string {
  const wish = { amount: formatPlain(amount, payment.currency), reason };
  return `/payments/${payment.id}/refund?${String(new URLSearchParams(wish))}`;
}

type Wish = { amount: number; reason: string };

function readWish(
  { language }: ConsoleVisit,
  shown: ShownPayment,
  { amount: text, reason: why }: Record<string, unknown>,
): Wish | { refusal: string } {
  const { currency } = shown.payment;
  const left = leftOf(shown);
  const amount = typeof text === 'string' ? parseTyped(text.trim(), currency) : null;
  const reason = typeof why === 'string' ? why.trim() : '';
  if (amount === null || amount < 1 || amount > left) {
    return { refusal: tell(language, 'refund.bad_amount', { left: formatMoney(left, currency) }) };
  }
  if (!isReason(reason)) return { refusal: tell(language, 'refund.no_reason') };
  return { amount, reason };
}

function leftOf({ payment }: ShownPayment): number {
  return payment.amount - payment.refunded;
}

async function sendQuestion(app: App, { language, send }: ConsoleVisit, shown: ShownPayment, { amount, reason }: Wish) {
  const { payment } = shown;
  const { currency } = payment;
  const money = formatMoney(amount, currency);
  const code = payment.payment_method ?? '';
  const available = await selectAvailable(app.db, [payment.environment_id], currency);
  const at = `${publicPath(app)}/console/payments/${payment.id}`;
  const title = tell(language, 'refund.confirm_title', { amount: money });
  const entries = [
    [tell(language, 'booked.merchant'), `−${money}`],
    [tell(language, 'booked.method', { method: methodName(language, { code, name: code }) }), `−${money}`],
  ];
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'refund.confirm_text', { reference: payment.reference })}</p>
${tableOf([tell(language, 'refund.account'), tell(language, 'column.amount')], entries, [1])}
<p>${tell(language, 'refund.merchant_left', { amount: formatMoney(addUp([available, -amount]), currency) })}</p>
<p>${tell(language, 'refund.reason')}: ${reason}</p>
<form class="actions" method="post" action="${at}/refund">
<input type="hidden" name="amount" value="${formatPlain(amount, currency)}"><input type="hidden" name="reason" value="${reason}"><input type="hidden" name="key" value="${randomToken(16)}">
<button class="primary">${tell(language, 'refund.confirm', { amount: money })}</button>
<a class="button" href="${at}">${tell(language, 'refund.back')}</a>
</form>`;
  return send(200, { title, main });
}
