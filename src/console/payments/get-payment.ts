import type { App } from '../../app.ts';
import { findRefundAllowance, sayAllowance } from '../../auth/count-refund.ts';
import { selectAvailable } from '../../books/balance-queries.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney, formatPlain, parseDecimal } from '../../lib/money.ts';
import { type SuspenseEntry, selectSuspenseOf } from '../../movements/movement-queries.ts';
import { selectRefundsOf, sumGone } from '../../refunds/refund-queries.ts';
import { type ShownPayment, showPayment, type TimelineLine } from '../../search/show-payment.ts';
import { badge, paymentBadges, timeCell } from '../console-format.ts';
import { type ConsoleText, tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { typedQuery } from '../kept-typing.ts';
import { doneNotice, type Fault, formField, reasonField, resultNotice } from '../notice.ts';
import { doubtsOf, suspenseOf, unpaidAttemptsOf } from './doubts.ts';
import { causeOfDelivery, declineSaid, isOfWebhook, timelineOf, titleOf } from './payment-lines.ts';
import { waitingRequests } from './waiting-requests.ts';

/** The result of the previous form, by `done` in the address. */
const DONE: Readonly<Record<string, ConsoleText>> = {
  resent: 'resend.done',
  'under-way': 'resend.under_way',
  unwanted: 'resend.unwanted',
  requested: 'above.done_requested',
  approved: 'above.done_approved',
  rejected: 'above.done_rejected',
  withdrawn: 'above.done_withdrawn',
  settled: 'settle.done',
};

/** Shows one payment: its facts, everything that happened to it, and the possible actions. */
export const getConsolePayment = consoleHandler(async (app, visit) => {
  const shown = await paymentOf(app, visit);
  return shown === null ? visit.send(404, notFoundPage(visit.language)) : sendPayment(app, visit, shown, 200, '');
});

/** Returns the payment in the path; null if the person may not see it. */
export function paymentOf(app: App, { request, user }: ConsoleVisit): Promise<ShownPayment | null> {
  const { id } = request.params as { id: string };
  return showPayment(app, id, user.environmentIds);
}

/** Returns the amount that can still be refunded, in minor units. Refunds in progress are already subtracted. */
export async function leftOf(app: App, { transaction }: ShownPayment): Promise<number> {
  return transaction.amount - (await sumGone(app.db, transaction)).gone;
}

/** Sends the page of a payment, with `refused` at the top. `typed`: the fields of a refused refund. */
export async function sendPayment(
  app: App,
  visit: ConsoleVisit,
  shown: ShownPayment,
  status: number,
  refused: string | Fault,
  typed: Record<string, string> = {},
) {
  const { language, send, user } = visit;
  const { payment } = shown;
  const isOwn = user.role === 'merchant';
  const main = html`${noticeOf(visit, shown, refused)}
<div class="head"><div>
<p class="quiet">${tell(language, 'payment.order')} <strong>${payment.reference}</strong> · ${payment.name} · ${tell(language, 'column.transaction').toLowerCase()} ${payment.id}</p>
<h1 class="amount">${formatMoney(payment.amount, payment.currency)}</h1>
<div class="badges">${badgesOf(language, shown)}</div>
</div>
${user.may.has('callbacks:resend') && resendForms(app, language, shown)}
</div>
<div class="columns">
<section aria-labelledby="timeline"><h2 id="timeline">${tell(language, 'payment.timeline')}</h2>
${timelineOf(language, shown, movementsOf(app, visit, shown))}</section>
<div>
<h2>${tell(language, 'payment.facts')}</h2>
${factsOf(language, shown)}
${await doubtsOf(app, visit, shown)}
${await suspenseOf(app, visit, shown)}
${await unpaidAttemptsOf(app, visit, shown)}
${await waitingRequests(app, visit, shown, refused)}
${user.may.has('refunds:create') && (await refundForm(app, visit, shown, refused, typed))}
<h2>${tell(language, isOwn ? 'payment.short' : 'payment.copy')}</h2>
<div class="card pad">${!isOwn && html`<p class="quiet">${tell(language, 'payment.copy_text')}</p>`}<pre>${await answerFor(app, shown)}</pre></div>
</div>
</div>`;
  const { amount = '', reason = '' } = typed;
  const isTyped = amount !== '' || reason !== '';
  // The address of a form may be one that cannot be opened.
  const again = isTyped
    ? `/payments/${payment.id}/refund?${typedQuery(visit, { amount, reason })}`
    : `/payments/${payment.id}`;
  const title = `${payment.reference} · ${formatMoney(payment.amount, payment.currency)}`;
  return send(status, { title, main, ...((isTyped || visit.request.method === 'POST') && { again }) });
}

/** Returns the address of the payment's recorded movements, for a person who may see the list. */
function movementsOf(app: App, { user }: ConsoleVisit, { payment }: ShownPayment): string | null {
  const maySee = user.may.has('books:read') && user.environmentIds === null;
  return maySee ? `${publicPath(app)}/console/movements?text=${payment.id}` : null;
}

function noticeOf(visit: ConsoleVisit, { payment, timeline }: ShownPayment, refused: string | Fault): Html | false {
  const { done, refund } = visit.request.query as Record<string, unknown>;
  const made = timeline.find(({ amount, facts }) => amount !== null && facts['refund'] === refund);
  if (refused !== '' || done !== 'refund' || typeof refund !== 'string' || typeof made?.amount !== 'number')
    return resultNotice(visit, DONE, refused);
  return doneNotice(tell(visit.language, 'refund.done', { amount: formatMoney(made.amount, payment.currency) }));
}

function badgesOf(language: Language, { payment, timeline }: ShownPayment): Html[] {
  const untold = timeline.some(
    ({ kind, what, facts }) =>
      kind === 'callback' && !isOfWebhook(facts) && ['queued', 'dead', 'disabled'].includes(what),
  );
  return [...paymentBadges(language, payment), ...(untold ? [badge('bad', tell(language, 'badge.untold'))] : [])];
}

function resendForms(app: App, language: Language, { payment, timeline }: ShownPayment): Html {
  const callbacks = timeline.filter(({ kind }) => kind === 'callback');
  return html`${callbacks.map(
    ({ facts }) => html`<form method="post" action="${publicPath(app)}/console/payments/${payment.id}/resend">
<button name="callback" value="${String(facts['callback'])}">${tell(language, 'resend.button')}</button></form>`,
  )}`;
}

function factsOf(language: Language, { payment, transaction, timeline }: ShownPayment): Html {
  const { payment_method: method } = payment;
  const attempt = timeline.findLast(({ kind, what }) => kind === 'attempt' && what === 'approved');
  const facts: [string, Html | string | null][] = [
    [tell(language, 'column.payer'), payment.customer_email || '—'],
    [tell(language, 'column.method'), method === null ? null : methodName(language, { code: method })],
    [tell(language, 'column.code'), payment.authorization_code],
    [tell(language, 'column.card'), payment.card_last_digits === null ? null : `…${payment.card_last_digits}`],
    [tell(language, 'payment.buy_order'), attempt === undefined ? null : String(attempt.facts['payment_attempt'])],
    [tell(language, 'payment.fee'), payment.fee === 0 ? null : formatMoney(payment.fee, payment.currency)],
    [tell(language, 'column.created'), timeCell(payment.created_at)],
    [tell(language, 'payment.expires'), payment.state === 'pending' ? timeCell(transaction.expires_at) : null],
  ];
  const signed = {
    x_reference: payment.reference,
    x_session_id: transaction.session_id,
    x_shop_country: transaction.shop_country,
    x_url_callback: transaction.url_callback,
    x_url_cancel: transaction.url_cancel,
    x_url_complete: transaction.url_complete,
  };
  return html`<div class="card pad"><dl class="facts">${facts
    .filter(([, fact]) => fact !== null)
    .map(([name, fact]) => html`<dt>${name}</dt><dd>${fact}</dd>`)}</dl>
<details><summary>${tell(language, 'payment.request')}</summary><dl class="facts">${Object.entries(signed).map(
    ([name, value]) => html`<dt class="code">${name}</dt><dd class="code">${value}</dd>`,
  )}</dl></details></div>`;
}

async function refundForm(
  app: App,
  { language, user }: ConsoleVisit,
  shown: ShownPayment,
  refused: string | Fault,
  typed: Record<string, string>,
): Promise<Html | false> {
  const { payment } = shown;
  if (payment.state !== 'completed') return false;
  const left = await leftOf(app, shown);
  const available = await selectAvailable(app.db, [payment.environment_id], payment.currency);
  const allowance = await findRefundAllowance(app.db, { userId: user.id, currency: payment.currency }, app.now());
  const title = html`<h2>${tell(language, 'refund.title')}</h2>`;
  if (left <= 0) return html`${title}<div class="card pad">${tell(language, 'refund.nothing')}</div>`;
  // Beyond the person's rest for today there are only requests, and without a rest the form is for one.
  const most = allowance === null || allowance.left === 0 ? left : Math.min(left, allowance.left);
  const { amount = formatPlain(most, payment.currency), reason = '' } = typed;
  return html`${title}<form class="card pad" method="post" action="${publicPath(app)}/console/payments/${payment.id}/refund">
<p class="quiet">${tell(language, 'refund.left', { amount: formatMoney(left, payment.currency) })}
${tell(language, 'refund.merchant_now', { amount: formatMoney(available, payment.currency) })}</p>
${allowance !== null && html`<p class="quiet">${sayAllowance(allowance, payment.currency)[language]} ${tell(language, 'above.else')}</p>`}
${formField(refused, 'amount', (attributes) => html`<label>${tell(language, 'refund.amount')}<input name="amount" inputmode="decimal" required value="${amount}"${attributes}></label>`)}
${reasonField(language, refused, { value: reason })}
<button class="primary">${tell(language, 'refund.review')}</button>
</form>`;
}

/** Writes the Spanish answer that support sends to a shop; it has only facts. */
async function answerFor(app: App, shown: ShownPayment): Promise<string> {
  const { payment, timeline, transaction } = shown;
  const underWay = (await selectRefundsOf(app.db, transaction)).filter(({ state }) => state === 'processing');
  const told = timeline.findLast(({ kind }) => kind === 'delivery');
  const failed = told?.facts['failure'] === undefined ? null : causeOfDelivery('es', told, transaction.url_callback);
  const answer =
    told && (failed === null ? titleOf('es', told) : tell('es', 'delivery.failure', { answer: failed.cause }));
  // After a refusal by the bank the payer may try again, so the payment is still open.
  const tried = timeline.findLast(({ kind, what }) => kind === 'attempt' && what !== 'commit_sent');
  return [
    `Orden ${payment.reference}, transacción ${payment.id}, ${formatMoney(payment.amount, payment.currency)}: ${tell('es', `state.${payment.state}`).toLowerCase()}.`,
    ...(tried === undefined ? [] : triedAnswer(shown, tried)),
    ...(payment.authorization_code === null ? [] : [`Código de autorización ${payment.authorization_code}.`]),
    ...(payment.refunded === 0 ? [] : [`Devuelto: ${formatMoney(payment.refunded, payment.currency)}.`]),
    ...timeline.filter(({ what }) => what === 'refund.completed').map(refundAnswer),
    ...failedRefunds(timeline).map(failedAnswer),
    ...underWay.map(({ amount }) => `Devolución en proceso: ${formatMoney(amount, payment.currency)}.`),
    ...(await selectSuspenseOf(app.db, transaction)).map(suspenseAnswer),
    ...(told === undefined ? [] : [`Último callback, ${clockOf(told.at)}: ${answer}.`]),
  ].join('\n');
}

/** Says how the last attempt of an open or declined payment ended, and why, in the words that its payer read. */
function triedAnswer({ payment, transaction }: ShownPayment, tried: TimelineLine): string[] {
  const why = declineSaid('es', transaction, tried);
  // Without a reason, the state of a declined payment says the same.
  if (payment.state !== 'pending' && (payment.state !== 'failed' || why === null)) return [];
  return [`Último intento, ${clockOf(tried.at)}: ${titleOf('es', tried)}.${why === null ? '' : ` ${why}`}`];
}

/** Says what a method took or refunded that nobody asked for, such as a chargeback, and what was decided about it. */
function suspenseAnswer({ kind, amount, currency, decision }: SuspenseEntry): string {
  const end = decision === null ? 'En revisión' : tellKind('es', 'suspense', `${kind}.${decision}`);
  return `${formatMoney(amount, currency)}: ${tellKind('es', 'suspense', kind)} ${end}.`;
}

/** Returns the failures of refunds that were not completed later. */
function failedRefunds(timeline: readonly TimelineLine[]): TimelineLine[] {
  const idOf = ({ facts }: TimelineLine) => (facts['refund'] as { id?: string }).id;
  const done = timeline.filter(({ what }) => what === 'refund.completed').map(idOf);
  return timeline.filter((line) => line.what === 'refund.failed' && !done.includes(idOf(line)));
}

function failedAnswer({ at, facts }: TimelineLine): string {
  const { amount = '', currency = '' } = facts['refund'] as Record<string, string>;
  return `Devolución fallida, ${clockOf(at)}: ${formatMoney(parseDecimal(amount, currency) ?? 0, currency)}.`;
}

/** Says when a refund went back, with the code by which the payer's bank finds it. */
function refundAnswer({ at, facts }: TimelineLine): string {
  const { amount = '', currency = '', authorization_code: code } = facts['refund'] as Record<string, string>;
  const minor = parseDecimal(amount, currency) ?? 0;
  const named = code === undefined ? '' : `, código de autorización ${code}`;
  return `Devolución del ${clockOf(at)}: ${formatMoney(minor, currency)}${named}.`;
}
