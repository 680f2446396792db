import type { App } from '../app.ts';
import type { Payment } from '../checkout/find-payment.ts';
import { formatAmount, formatRemaining, formatTime } from '../checkout/format-for-payer.ts';
import { returnToShop } from '../checkout/return-to-shop.ts';
import { type Language, methodName, say, type TextKey } from '../checkout/texts.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { GIVEN_UP_FIELD, type PaymentMethod } from '../payment-methods/payment-method.ts';
import { payToken } from '../transactions/transaction.ts';
import { declineNotice, declineText } from './decline-notice.ts';

/** Why something that the payer asked for was not done. */
export type Refusal = 'INVALID_PARAMETER' | 'NOT_PAYABLE' | 'PAYMENT_IN_PROGRESS' | 'HELD_AFTER_RESTORE';

type PageParts = Omit<Page, 'status' | 'language' | 'payment'>;

/** The path of a payment's page as browsers see it. */
export function payPath(app: App, payment: Payment): string {
  return `${publicPath(app)}/pay/${payToken(payment.transaction)}`;
}

/**
 * The page of a payment as it stands. `chosen` is the code of the method that the shop has chosen for the payer; it
 * comes first. `refusal` is said above everything else; without one, why the last attempt took no money.
 */
export function payPage(
  app: App,
  payment: Payment,
  language: Language,
  { chosen, refusal }: { chosen?: string; refusal?: Refusal } = {},
): Omit<Page, 'status'> {
  const parts = partsOf(app, payment, language, chosen);
  const notice =
    refusal === undefined
      ? payment.stage === 'payable' && declineNotice(payment, language)
      : html`<p class="notice" role="alert">${say(language, `notice.${refusal}`)}</p>`;
  return { ...parts, main: html`${notice}${parts.main}`, language, payment: markOf(payment) };
}

/** Asks whether the payer means it: a cancelled transaction is over for good. */
export function cancelPage(app: App, payment: Payment, language: Language): Omit<Page, 'status'> {
  const path = payPath(app, payment);
  const { url_cancel } = payment.transaction;
  const main = html`
<h1>${say(language, 'cancel.title')}</h1>
<p>${say(language, 'cancel.text')}</p>
${summary(payment, language)}
<p><a class="primary" href="${path}">${say(language, 'cancel.back')}</a></p>
<form method="post" action="${path}/cancel"><button class="secondary">${say(language, 'cancel.confirm')}</button></form>`;
  return { language, payment: markOf(payment), title: say(language, 'cancel.title'), main, formTarget: url_cancel };
}

/**
 * Starts the payment with the only method by a form that sends itself: a program that follows links runs no script, and a
 * visit without one shows the button.
 */
export function forwardPage(
  app: App,
  payment: Payment,
  language: Language,
  method: PaymentMethod,
): Omit<Page, 'status'> {
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
  return { language, payment: markOf(payment), title, main, script: 'submit-form.js' };
}

/** Sends the payer to a payment method by a form post. */
export function redirectPage(
  payment: Payment,
  language: Language,
  { method, url, fields }: { method: PaymentMethod; url: string; fields: Record<string, string> },
): Omit<Page, 'status'> {
  const title = say(language, 'redirect.title', { method: methodName(language, method) });
  const main = html`
<h1>${title}</h1>
<p>${redirectText(payment, language)}</p>
${submittingForm(url, fields, say(language, 'redirect.button'), 0)}`;
  return { language, payment: markOf(payment), title, main, script: 'submit-form.js', formTarget: url };
}

function redirectText(payment: Payment, language: Language): string {
  const merchant = payment.environment.paymentServiceName;
  return say(language, 'redirect.text', { amount: amountOf(payment, language), merchant });
}

function partsOf(app: App, payment: Payment, language: Language, chosen: string | undefined): PageParts {
  const { stage } = payment;
  if (stage === 'payable') return payableParts(app, payment, language, chosen);
  if (stage === 'in_progress') return inProgressParts(app, payment, language);
  return endParts(payment, language, stage);
}

function payableParts(app: App, payment: Payment, language: Language, chosen: string | undefined): PageParts {
  const { transaction, environment, methods } = payment;
  const merchant = environment.paymentServiceName;
  const amount = amountOf(payment, language);
  const path = payPath(app, payment);
  const left = transaction.expires_at - app.now();
  const ordered = [...methods].sort((a, b) => Number(b.code === chosen) - Number(a.code === chosen));
  const labelOf = (method: PaymentMethod) => {
    const name = methodName(language, method);
    return methods.length === 1 ? say(language, 'payable.with', { method: name }) : name;
  };
  const main = html`
<h1><span class="to">${say(language, 'payable.to')} <strong>${merchant}</strong></span> <span class="${amountClass(amount)}">${amount}</span></h1>
<dl><div><dt>${say(language, 'summary.reference')}</dt><dd>${transaction.reference}</dd></div></dl>
${ordered.length === 0 && html`<p class="notice">${say(language, 'payable.no_method')}</p>`}
${ordered.length > 1 && html`<h2>${say(language, 'payable.choose')}</h2>`}
<form method="post" action="${path}" class="methods">
${ordered.map((method, at) => methodButton(app, method, labelOf(method), at === 0))}
</form>
<p class="quiet">${say(language, 'payable.time', { time: formatRemaining(language, left) })}</p>
<p><a class="secondary" href="${path}/cancel">${say(language, 'payable.cancel')}</a></p>`;
  return { title: say(language, 'payable.title', { amount, merchant }), main, ...reloadAfter(left, path) };
}

/** A number is never broken into lines, so the longer it is, the smaller. */
function amountClass(amount: string): string {
  if (amount.length <= 10) return 'amount';
  return amount.length <= 16 ? 'amount long' : 'amount longest';
}

const DAY = 24 * 60 * 60 * 1000;

/** A page that stays open says by itself when the time is over. Browsers cannot wait for much more than a day. */
function reloadAfter(milliseconds: number, url: string): { refresh?: { seconds: number; url: string } } {
  return milliseconds > DAY ? {} : { refresh: { seconds: Math.ceil(milliseconds / 1000) + 1, url } };
}

function methodButton(app: App, method: PaymentMethod, label: string, first: boolean): Html {
  return html`<button name="method" value="${method.code}" class="${first ? 'method primary' : 'method'}">
${mark(app, method)}
<span>${label}</span>
</button>
`;
}

function mark(app: App, method: PaymentMethod): Html {
  return html`<img src="${publicPath(app)}${method.imagePath}" alt="" width="48" height="32">`;
}

function inProgressParts(app: App, payment: Payment, language: Language): PageParts {
  const url = payPath(app, payment);
  const age = app.now() - (payment.attempt?.created_at ?? 0);
  const stage = payment.attempt?.state === 'unknown' ? 'finding_out' : 'in_progress';
  const title = say(language, `${stage}.title`);
  const main = html`
${outcome('waiting', title, say(language, `${stage}.text`))}
${summary(payment, language)}
<p><a class="primary" href="${url}">${say(language, 'in_progress.again')}</a></p>
${givenUpForm(payment, language, url)}`;
  return { title, main, refresh: { seconds: secondsUntilNextLook(age), url } };
}

/** For who came back from the method's page by the browser's Back button: the method is asked before it is believed. */
function givenUpForm({ attempt, method }: Payment, language: Language, path: string): Html | false {
  if (attempt?.state !== 'pending' || method?.redirects !== true) return false;
  return html`<form method="post" action="${path}/return">
<input type="hidden" name="${GIVEN_UP_FIELD}" value="${attempt.id}">
<button class="secondary">${say(language, 'in_progress.given_up')}</button>
</form>`;
}

/** Most answers come within seconds; a payer who waits longer does not have to listen to a page that keeps reloading. */
function secondsUntilNextLook(age: number): number {
  if (age < 30_000) return 3;
  return age < 5 * 60_000 ? 10 : 60;
}

type EndStage = Exclude<Payment['stage'], 'payable' | 'in_progress'>;

const ICONS: Record<EndStage, Icon> = {
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  expired: 'neutral',
  under_review: 'waiting',
};

function endParts(payment: Payment, language: Language, stage: EndStage): PageParts {
  const merchant = payment.environment.paymentServiceName;
  const title = say(language, `${stage}.title`);
  const back = returnToShop(payment.transaction, payment.environment);
  const button = say(language, 'return.button');
  const head = html`
${outcome(ICONS[stage], title, say(language, `${stage}.text`, { merchant, why: declineText(payment, language) }))}
${summary(payment, language)}`;
  if (back.kind === 'get')
    return { title, main: html`${head}<p><a class="primary" href="${back.url}">${button}</a></p>` };

  // The payer of a payment under review has a number to write down first.
  const submits = stage !== 'under_review';
  const main = html`${head}
${submittingForm(back.url, back.fields, button, submits ? RETURN_AFTER_MS : null)}
${submits && html`<p class="quiet scripted">${say(language, 'return.now', { merchant })}</p>`}`;
  return { title, main, formTarget: back.url, ...(submits && { script: 'submit-form.js' as const }) };
}

/** Long enough to see whom and how much one pays, and to choose otherwise. */
const FORWARD_AFTER_MS = 1000;

/** Long enough to see how it ended. */
const RETURN_AFTER_MS = 2000;

/** The button has no name: it would become a field of its own beside the signed ones. */
function submittingForm(url: string, fields: Record<string, string>, button: string, afterMs: number | null): Html {
  const marked = afterMs !== null && html` data-submit-after="${afterMs}"`;
  return html`<form method="post" action="${url}" accept-charset="utf-8"${marked}>
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="primary">${button}</button>
</form>`;
}

type Icon = 'good' | 'bad' | 'neutral' | 'waiting';

const DRAWINGS: Record<Icon, Html> = {
  good: html`<path d="m20 33 9 9 16-19"/>`,
  bad: html`<path d="m23 23 18 18m0-18L23 41"/>`,
  neutral: html`<path d="M21 32h22"/>`,
  waiting: html`<path d="M32 20v13l8 5"/>`,
};

function outcome(icon: Icon, title: string, text: string): Html {
  return html`<div role="status" class="outcome ${icon}">
<svg viewBox="0 0 64 64" width="64" height="64" aria-hidden="true"><circle cx="32" cy="32" r="30"/>${DRAWINGS[icon]}</svg>
<h1>${title}</h1>
<p>${text}</p>
</div>`;
}

function summary(payment: Payment, language: Language): Html {
  const { transaction, environment, attempt, method, givenBack } = payment;
  const detail = JSON.parse(attempt?.detail ?? '{}') as { authorization_code?: string };
  const paidAt = payment.stage === 'completed' ? transaction.settled_at : null;
  const rows: [TextKey, string | undefined][] = [
    ['summary.amount', amountOf(payment, language)],
    ['summary.refunded', givenBack === 0 ? undefined : formatAmount(language, givenBack, transaction.currency)],
    ['summary.merchant', environment.paymentServiceName],
    ['summary.reference', transaction.reference],
    ['summary.method', method === null ? undefined : methodName(language, method)],
    // A bank that declines may send one too, which authorises nothing.
    ['summary.authorization', attempt?.state === 'approved' ? detail.authorization_code : undefined],
    ['summary.time', paidAt === null ? undefined : formatTime(language, paidAt)],
    ['summary.transaction', String(transaction.id)],
  ];
  const shown = rows.filter(([, value]) => value !== undefined) as [TextKey, string][];
  return html`<dl>${shown.map(([key, value]) => html`<div><dt>${say(language, key)}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function amountOf({ transaction }: Payment, language: Language): string {
  return formatAmount(language, transaction.amount, transaction.currency);
}

function markOf(payment: Payment): { test: boolean } {
  return { test: payment.environment.environment === 'development' };
}
