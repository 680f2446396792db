import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { findRefundAllowance, sayAllowance } from '../../auth/count-refund.ts';
import { CATALOGUE, Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { randomToken } from '../../lib/ids.ts';
import { formatMoney, formatPlain, parseTyped } from '../../lib/money.ts';
import { createRefund } from '../../refunds/create-refund.ts';
import { lastEqualRefund } from '../../refunds/find-refund.ts';
import { findRefusal } from '../../refunds/place-refund.ts';
import { REFUND_REFUSALS, type RefundRefusal } from '../../refunds/refund-refusal.ts';
import { requestRefund, TOO_MANY } from '../../refunds/request-refund.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { type Refused, refusedField } from '../attention/settle-form.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { fieldsOf } from '../sign-in.ts';
import { leftOf, paymentOf, sendPayment } from './get-payment.ts';
import { refundEntries } from './refund-entries.ts';

/**
 * Asks for confirmation, with the amount, the entries that the refund would add to the books, and the merchant's money
 * afterwards. Above the person's limit it offers to ask another person instead.
 */
export const getConsoleRefund = consoleHandler(async (app, visit) => {
  const shown = await paymentOf(app, visit);
  if (shown === null) return visit.send(404, notFoundPage(visit.language));
  const fields = sealedOf(visit);
  // A person whose session ended at the confirmation comes back without what they had typed.
  if (fields['amount'] === undefined) return visit.goTo(`/payments/${shown.payment.id}`);
  const wish = readWish(visit, shown, fields, await leftOf(app, shown));
  if ('refusal' in wish) return sendPayment(app, visit, shown, 400, wish.refusal, fields);
  const asked = requireProof(app, visit, questionPath(visit, shown, wish));
  if (asked !== null) return asked;
  const { currency } = shown.payment;
  const allowance = await findRefundAllowance(app.db, { userId: visit.user.id, currency }, app.now());
  if (allowance !== null && wish.amount > allowance.left) {
    return sendOffer(app, visit, shown, {
      ...wish,
      status: 200,
      limit: sayAllowance(allowance, currency)[visit.language],
    });
  }
  return sendQuestion(app, visit, shown, wish);
});

/**
 * Makes the confirmed refund. The key in the confirmation form makes a second click the same refund. It asks again if
 * an equal refund was made while the form was open. The form on the payment's page has no key, so it redirects to the
 * confirmation.
 */
export const postConsoleRefund = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo } = visit;
  const shown = await paymentOf(app, visit);
  if (shown === null) return visit.send(404, notFoundPage(language));
  const fields = fieldsOf(request);
  const wish = readWish(visit, shown, fields);
  if ('refusal' in wish) return sendPayment(app, visit, shown, 400, wish.refusal, fields);
  const { key, equal: equalSeen } = fields;
  const question = questionPath(visit, shown, wish);
  const asked = requireProof(app, visit, question);
  if (asked !== null) return asked;
  if (key === undefined) return goTo(question);
  const idempotencyKey = `console ${key.slice(0, 40)}`;
  const confirmed = { ...(await partOf(app, shown, wish)), idempotencyKey, by, equalSeen };
  const creation = await createRefund(app, shown.transaction, confirmed).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'REFUND_LIMIT_REACHED') return error;
    throw error;
  });
  if (creation instanceof Problem) {
    const { status } = CATALOGUE[creation.code];
    const limit = creation.extras.detail?.[language] ?? creation.message;
    return sendOffer(app, visit, shown, { ...wish, status, limit });
  }
  if (creation.kind === 'refused') {
    return sendPayment(app, visit, shown, 409, refusedText(visit, creation.refusal), fields);
  }
  if (creation.kind === 'equal_made') return sendQuestion(app, visit, shown, wish);
  return goTo(`/payments/${shown.payment.id}?done=refund&refund=${creation.refund.id}`);
});

/** Asks another person to approve a refund above the person's limit. */
export const postConsoleRefundRequest = consoleHandler(async (app, visit) => {
  const { by, request, goTo } = visit;
  const shown = await paymentOf(app, visit);
  if (shown === null) return visit.send(404, notFoundPage(visit.language));
  const fields = fieldsOf(request);
  const wish = readWish(visit, shown, fields);
  if ('refusal' in wish) return sendPayment(app, visit, shown, 400, wish.refusal, fields);
  const making = await requestRefund(app, shown.transaction, { ...(await partOf(app, shown, wish)), by });
  if (making.kind === 'refused') return sendPayment(app, visit, shown, 409, refusedText(visit, making.refusal), fields);
  if (making.kind === 'too_many') return sendPayment(app, visit, shown, 409, TOO_MANY[visit.language], fields);
  if (making.kind === 'within_limit') return goTo(questionPath(visit, shown, wish));
  return goTo(`/payments/${shown.payment.id}?done=requested`);
});

function refusedText({ language }: ConsoleVisit, { code }: RefundRefusal): string {
  return tell(language, 'refund.refused', { why: REFUND_REFUSALS[code][language] });
}

/** Returns the address of the confirmation page, with the amount and the reason. */
function questionPath(visit: ConsoleVisit, { payment }: ShownPayment, wish: Wish): string {
  return `/payments/${payment.id}/refund?${typedQuery(visit, typedWish(payment.currency, wish))}`;
}

/** Returns the wish as a person types it. */
function typedWish(currency: string, { amount, reason }: Wish) {
  return { amount: formatPlain(amount, currency), reason };
}

type Wish = { amount: number; reason: string };

/**
 * Parses the amount and the reason. `left`: the most that the confirmation page offers. A confirmed form is not checked
 * against it, because its refund may already exist; `createRefund` checks it.
 */
function readWish(
  { language }: ConsoleVisit,
  shown: ShownPayment,
  { amount: text = '', reason: why = '' }: Record<string, string>,
  left = shown.payment.amount,
): Wish | Refused {
  const { currency } = shown.payment;
  const amount = parseTyped(text.trim(), currency);
  const reason = why.trim();
  if (amount === null || amount < 1 || amount > left) {
    return refusedField('amount', tell(language, 'refund.bad_amount', { left: formatPlain(left, currency) }));
  }
  if (!isReason(reason)) return refusedField('reason', tell(language, 'refund.no_reason'));
  return { amount, reason };
}

async function partOf(app: App, shown: ShownPayment, { amount, reason }: Wish) {
  return { amount, type: amount === (await leftOf(app, shown)) ? ('total' as const) : ('parcial' as const), reason };
}

/** Asks before the refund; if it would be refused, says why on the page of the payment and offers no button. */
async function sendQuestion(app: App, visit: ConsoleVisit, shown: ShownPayment, wish: Wish) {
  const { language, send } = visit;
  const { payment, transaction } = shown;
  const refusal = await findRefusal(app, transaction, await partOf(app, shown, wish));
  if (refusal !== null) {
    const typed = typedWish(payment.currency, wish);
    return sendPayment(app, visit, shown, 409, refusedText(visit, refusal), typed);
  }
  const money = formatMoney(wish.amount, payment.currency);
  const at = `${publicPath(app)}/console/payments/${payment.id}`;
  const title = tell(language, 'refund.confirm_title', { amount: money });
  const equal = await lastEqualRefund(app.db, shown.transaction, wish.amount);
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'refund.confirm_text', { reference: payment.reference })}</p>
${await refundEntries(app, language, shown, { amount: wish.amount, equal })}
<p>${tell(language, 'refund.reason')}: ${wish.reason}</p>
<form class="actions" method="post" action="${at}/refund">
${wishFields(shown, wish)}<input type="hidden" name="key" value="${randomToken(16)}"><input type="hidden" name="equal" value="${equal?.id ?? ''}">
<button class="primary">${tell(language, 'refund.confirm', { amount: money })}</button>
<a class="button" href="${at}">${tell(language, 'refund.back')}</a>
</form>`;
  return send(200, { title, main });
}

/** Says that the refund is above the person's limit, and offers to ask another person. */
function sendOffer(
  app: App,
  visit: ConsoleVisit,
  shown: ShownPayment,
  offer: Wish & { limit: string; status: number },
) {
  const { limit, status, ...wish } = offer;
  const { language, send } = visit;
  const { payment } = shown;
  const amount = formatMoney(wish.amount, payment.currency);
  const at = `${publicPath(app)}/console/payments/${payment.id}`;
  const title = tell(language, 'above.title');
  const main = html`<h1>${title}</h1>
<p class="notice" role="alert">${limit}</p>
<p>${tell(language, 'above.text', { amount, reference: payment.reference })}</p>
<p>${tell(language, 'refund.reason')}: ${wish.reason}</p>
<form class="actions" method="post" action="${at}/requests">
${wishFields(shown, wish)}
<button class="primary">${tell(language, 'above.ask')}</button>
<a class="button" href="${at}">${tell(language, 'refund.back')}</a>
</form>`;
  return send(status, { title, main, again: questionPath(visit, shown, wish) });
}

function wishFields({ payment }: ShownPayment, { amount, reason }: Wish): Html {
  return html`<input type="hidden" name="amount" value="${formatPlain(amount, payment.currency)}"><input type="hidden" name="reason" value="${reason}">`;
}
