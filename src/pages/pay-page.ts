import type { App } from '../app.ts';
import type { Payment } from '../checkout/find-payment.ts';
import { formatAmount, formatDeadline } from '../checkout/format-for-payer.ts';
import { linkSubject, orderLines } from '../checkout/order-lines.ts';
import { shopAddress } from '../checkout/return-to-shop.ts';
import type { StartRefusal } from '../checkout/start-payment.ts';
import { methodName, methodTakes, say, sayOf } from '../checkout/texts.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import type { PageContent } from '../http/page.ts';
import type { Language } from '../lib/language.ts';
import { GIVEN_UP_FIELD, type PaymentMethod } from '../payment-methods/payment-method.ts';
import { payToken } from '../transactions/transaction.ts';
import { declineNotice } from './decline-notice.ts';
import { amountHeading, amountOf, outcome, summary } from './payment-summary.ts';
import { resultParts } from './result-page.ts';
import { payerFrame } from './shop-frame.ts';
import { submittingForm } from './submitting-form.ts';

/** The reason why the payer's request was refused. */
export type Refusal = StartRefusal;

/** The result of a request for a receipt. */
export type Asked = 'sent' | 'address' | 'too_often';

type PageParts = Omit<PageContent, 'language' | 'payment'>;

/** Returns the path of a payment's page as browsers see it. */
export function payPath(app: App, payment: Payment): string {
  return `${publicPath(app)}/pay/${payToken(payment.transaction)}`;
}

/**
 * Returns the page of a payment in its current state. `chosen` is the code of the method that the shop chose; it comes
 * first. The notice on top is `refusal`, else the result of a request for a receipt (`asked`), else the reason why the
 * last attempt took no money.
 */
export function payPage(
  app: App,
  payment: Payment,
  language: Language,
  said: { chosen?: string; refusal?: Refusal; asked?: Asked; isFirstReturn?: boolean } = {},
): PageContent {
  const { chosen, asked, isFirstReturn = false } = said;
  const parts = partsOf(app, payment, language, { chosen, isFirstReturn, asked: asked !== undefined });
  const notice = noticeOf(said, language) ?? (payment.stage === 'payable' && declineNotice(payment, language));
  return { ...parts, main: html`${notice}${parts.main}`, ...payerFrame(app, payment, language) };
}

function noticeOf({ refusal, asked }: { refusal?: Refusal; asked?: Asked }, language: Language): Html | null {
  if (refusal !== undefined) return html`<p class="notice" role="alert">${say(language, `notice.${refusal}`)}</p>`;
  if (asked === undefined) return null;
  const role = asked === 'sent' ? 'status' : 'alert';
  return html`<p class="notice" role="${role}">${say(language, `mailed.${asked}`)}</p>`;
}

/** Asks the payer to confirm: a cancelled transaction cannot be paid again. */
export function cancelPage(app: App, payment: Payment, language: Language): PageContent {
  const path = payPath(app, payment);
  const { url_cancel } = payment.transaction;
  const main = html`
<h1>${say(language, 'cancel.title')}</h1>
<p>${sayOf(language, 'cancel.text', linkSubject(payment.transaction))}</p>
${summary(payment, language)}
<p><a class="primary" href="${path}">${say(language, 'cancel.back')}</a></p>
<form method="post" action="${path}/cancel"><button class="secondary">${say(language, 'cancel.confirm')}</button></form>`;
  return {
    ...payerFrame(app, payment, language),
    title: say(language, 'cancel.title'),
    main,
    formTarget: url_cancel,
  };
}

/**
 * Forwards the payer to a method with a form that a script submits. Programs that follow links run no script, so they
 * start no payment; a browser without scripts shows the button.
 */
export function forwardPage(app: App, payment: Payment, language: Language, method: PaymentMethod): PageContent {
  const path = payPath(app, payment);
  const name = methodName(language, method);
  const title = say(language, 'redirect.title', { method: name });
  const others = payment.methods.filter(({ code }) => code !== method.code);
  const main = html`
<h1>${title}</h1>
${mark(app, method)}
<p>${redirectText(payment, language)}</p>
${submittingForm(path, { method: method.code }, say(language, 'payable.with', { method: name }), FORWARD_AFTER_MS)}
${others.length > 0 && html`<p><a class="secondary" href="${path}">${say(language, 'redirect.other')}</a></p>`}
<p><a class="secondary" href="${path}/cancel">${say(language, 'payable.cancel')}</a></p>`;
  return { ...payerFrame(app, payment, language), title, main, script: 'submit-form.js' };
}

/** Sends the payer to a payment method by a form post. */
export function redirectPage(
  app: App,
  payment: Payment,
  language: Language,
  { method, url, fields }: { method: PaymentMethod; url: string; fields: Record<string, string> },
): PageContent {
  const title = say(language, 'redirect.title', { method: methodName(language, method) });
  const main = html`
<h1>${title}</h1>
<p>${redirectText(payment, language)}</p>
${submittingForm(url, fields, say(language, 'redirect.button'), 0)}`;
  return { ...payerFrame(app, payment, language), title, main, script: 'submit-form.js', formTarget: url };
}

function redirectText(payment: Payment, language: Language): string {
  const merchant = payment.environment.paymentServiceName;
  return say(language, 'redirect.text', { amount: amountOf(payment, language), merchant });
}

function partsOf(
  app: App,
  payment: Payment,
  language: Language,
  { chosen, ...shown }: { chosen: string | undefined; isFirstReturn: boolean; asked: boolean },
): PageParts {
  const { stage } = payment;
  if (stage === 'payable') return payableParts(app, payment, language, chosen);
  if (stage === 'in_progress') return inProgressParts(app, payment, language);
  return resultParts(app, payment, language, { stage, ...shown });
}

function payableParts(app: App, payment: Payment, language: Language, chosen: string | undefined): PageParts {
  const { transaction, environment } = payment;
  const merchant = environment.paymentServiceName;
  const amount = amountOf(payment, language);
  const path = payPath(app, payment);
  const now = app.now();
  const time = say(language, 'payable.time', { time: formatDeadline(language, transaction.expires_at, now) });
  const main = html`
<section class="sheet">
${amountHeading(amount, language)}
${linkSubject(transaction) === null && html`<p class="order">${say(language, 'payable.order', { reference: transaction.reference })}</p>`}
${orderList(payment, language)}
</section>
${methodList(app, payment, language, chosen)}
<p class="quiet">${time}</p>
<p><a class="secondary" href="${path}/cancel">${say(language, 'payable.cancel')}</a></p>`;
  return {
    title: say(language, 'payable.title', { amount, merchant }),
    main,
    sheets: true,
    ...reloadAfter(transaction.expires_at - now, path),
  };
}

function orderList({ transaction }: Payment, language: Language): Html | false {
  const lines = orderLines(transaction);
  if (lines.length === 0) return false;
  const items = lines.map(({ name, quantity, amount }) => {
    const price = amount !== null && html`<span>${formatAmount(language, amount, transaction.currency)}</span>`;
    return html`<li><span>${name}${quantity !== 1 && ` × ${quantity}`}</span>${price}</li>`;
  });
  return html`<ul class="lines">${items}</ul>`;
}

const DAY = 24 * 60 * 60 * 1000;

/** Reloads an open page when the payer's time ends. Browsers cannot wait for much more than a day. */
function reloadAfter(milliseconds: number, url: string): { refresh?: { seconds: number; url: string } } {
  return milliseconds > DAY ? {} : { refresh: { seconds: Math.ceil(milliseconds / 1000) + 1, url } };
}

/**
 * Lists the methods as equal rows, so that none looks preselected. A method that the shop chose comes first. A single
 * method is a plain button.
 */
function methodList(app: App, payment: Payment, language: Language, chosen: string | undefined): Html {
  const methods = [...payment.methods].sort((a, b) => Number(b.code === chosen) - Number(a.code === chosen));
  const [only, ...others] = methods;
  if (only === undefined) {
    return html`<p class="notice">${sayOf(language, 'payable.no_method', linkSubject(payment.transaction))}</p>`;
  }
  const path = payPath(app, payment);
  const row = (method: PaymentMethod) => html`<button name="method" value="${method.code}">
${mark(app, method)}
<span class="what"><strong>${methodName(language, method)}</strong>${takes(language, method)}</span>
<span class="verb">${say(language, 'payable.verb')}</span>
</button>
`;
  if (others.length > 0) {
    const label = say(language, 'payable.choose');
    return html`<form method="post" action="${path}" class="sheet methods" aria-label="${label}">${methods.map(row)}</form>`;
  }
  return html`<form method="post" action="${path}">
<button name="method" value="${only.code}" class="primary">${say(language, 'payable.with', { method: methodName(language, only) })}</button>
</form>`;
}

function takes(language: Language, method: PaymentMethod): Html | false {
  const said = methodTakes(language, method);
  return said !== null && html`<small>${said}</small>`;
}

function mark(app: App, method: PaymentMethod): Html {
  return html`<img src="${publicPath(app)}${method.imagePath}" alt="" width="48" height="32">`;
}

function inProgressParts(app: App, payment: Payment, language: Language): PageParts {
  const url = payPath(app, payment);
  const age = app.now() - (payment.attempt?.created_at ?? 0);
  const stage = payment.attempt?.state === 'unknown' ? 'finding_out' : 'in_progress';
  const title = say(language, `${stage}.title`);
  const shop = shopAddress(payment);
  const main = html`
${outcome('waiting', title, say(language, `${stage}.text`))}
${summary(payment, language)}
<p><a class="primary" href="${url}">${say(language, 'in_progress.again')}</a></p>
${givenUpForm(payment, language, url)}
${shop !== null && html`<p><a class="secondary" href="${shop}">${say(language, 'return.button')}</a></p>`}`;
  return { title, main, refresh: { seconds: secondsUntilNextLook(age), url } };
}

/**
 * A form for payers who left the method's page with the Back button. The method is still asked before the attempt ends.
 */
function givenUpForm({ attempt, method }: Payment, language: Language, path: string): Html | false {
  if (attempt?.state !== 'pending' || method?.redirects !== true) return false;
  return html`<form method="post" action="${path}/return">
<input type="hidden" name="${GIVEN_UP_FIELD}" value="${attempt.id}">
<button class="secondary">${say(language, 'in_progress.given_up')}</button>
</form>`;
}

/**
 * Most results come within seconds. Later the page reloads less often, so that screen readers do not repeat it all the
 * time.
 */
function secondsUntilNextLook(age: number): number {
  if (age < 30_000) return 3;
  return age < 5 * 60_000 ? 10 : 60;
}

/** Long enough to read the merchant and the amount, and to choose another method. */
const FORWARD_AFTER_MS = 1000;
