import type { App } from '../../app.ts';
import type { Language } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Operation } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import { formatMoney, formatPlain, parseDecimal } from '../../lib/money.ts';
import { writeCsv } from '../../lib/tables/write-csv.ts';
import { findPayments } from '../../search/find-payments.ts';
import { type FoundPayment, NO_FILTER, type PaymentFilter } from '../../search/payment-filter.ts';
import { searchPayments } from '../../search/search-payments.ts';
import type { TransactionState } from '../../transactions/transaction-state.ts';
import { emptyState, paymentBadges, tableOf, timeCell } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';

const STATES: readonly TransactionState[] = ['pending', 'completed', 'failed', 'cancelled', 'expired'];
const SHOWN = 50;
const EXPORTED = 10_000;

/** What the address of a list says: the box, or filters; unknown values are as if they were not there. */
type Asked = { q: string; state: string; since: string; until: string; email: string; amount: string; after: string };

/** Finds a payment by one text, or lists the newest ones by filters that stand in the address. */
export const getConsolePayments: Operation = {
  handle: consoleHandler(async (app, visit) => {
    const asked = readAsked(visit);
    return asked.q === '' ? sendList(app, visit, asked) : sendFound(app, visit, asked.q);
  }),
};

/** The list as the filters show it, whole, for a spreadsheet. */
export const getConsolePaymentsCsv: Operation = {
  handle: consoleHandler(async (app, { user, language, request, reply }) => {
    const filter = filterOf(readAsked({ request }));
    const { payments } = await findPayments(app, {
      filter,
      environmentIds: user.environmentIds,
      after: null,
      limit: EXPORTED,
    });
    const rows = payments.map((payment) => plainCells(payment, language));
    return reply
      .header('content-type', 'text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="payments.csv"')
      .send(`\ufeff${writeCsv([plainHead(language), ...rows], { separator: ',', lineEnd: '\r\n' })}`);
  }),
};

async function sendFound(app: App, { user, language, send, goTo }: ConsoleVisit, text: string) {
  const { payments, complete } = await searchPayments(app, text, user.environmentIds, SHOWN);
  const [only, ...others] = payments;
  // A person who pastes an id wants the payment and not a list of one.
  if (only !== undefined && others.length === 0) return goTo(`/payments/${only.id}`);
  const head = [...headOf(language), tell(language, 'column.found_by')];
  const rows = payments.map((payment) => [
    ...cellsOf(app, language, payment),
    tellKind(language, 'found', payment.found_by),
  ]);
  const main = html`<h1>${tell(language, 'payments.found', { text })}</h1>
${incompleteNote(language, complete)}
${
  rows.length === 0
    ? html`<div class="card empty"><p>${tell(language, 'payments.none')}</p><p class="quiet">${tell(language, 'payments.none_hint')}</p></div>`
    : tableOf(head, rows, [2])
}`;
  return send(200, { title: tell(language, 'payments.title'), main, search: text });
}

async function sendList(app: App, { user, language, send }: ConsoleVisit, asked: Asked) {
  const filter = filterOf(asked);
  const after = asked.after === '' ? null : asked.after;
  const search = { filter, environmentIds: user.environmentIds, after, limit: SHOWN };
  const { payments, next, complete } = await findPayments(app, search);
  const at = `${publicPath(app)}/console/payments`;
  const query = (changes: Partial<Asked>) => queryOf({ ...asked, after: '', ...changes });
  const rows = payments.map((payment) => cellsOf(app, language, payment));
  const main = html`<div class="head"><h1>${tell(language, 'payments.title')}</h1>
<a class="button" href="${at}.csv${query({})}">${tell(language, 'payments.export')}</a></div>
${filterForm(at, language, asked)}
${incompleteNote(language, complete)}
${rows.length === 0 ? nothingToList(language, asked) : tableOf(headOf(language), rows, [2])}
<p class="actions">${after !== null && html`<a class="button" href="${at}${query({})}">${tell(language, 'payments.first')}</a>`}
${next !== null && html`<a class="button" href="${at}${query({ after: next })}">${tell(language, 'payments.next')}</a>`}</p>`;
  return send(200, { title: tell(language, 'payments.title'), main });
}

function nothingToList(language: Language, asked: Asked): Html {
  const isFiltered = queryOf({ ...asked, after: '' }) !== '';
  if (isFiltered) return emptyState(tell(language, 'payments.none'), '');
  return emptyState(tell(language, 'payments.empty'), 'bin/rubrica demo');
}

function incompleteNote(language: Language, complete: boolean): Html | false {
  return !complete && html`<p class="notice">${tell(language, 'payments.incomplete')}</p>`;
}

function filterForm(at: string, language: Language, asked: Asked): Html {
  const options = STATES.map(
    (state) =>
      html`<option value="${state}"${asked.state === state && html` selected`}>${tellKind(language, 'state', state)}</option>`,
  );
  const field = (name: 'since' | 'until' | 'email' | 'amount', type: string) =>
    html`<label>${tell(language, `filter.${name}`)}<br><input type="${type}" name="${name}" value="${asked[name]}"></label>`;
  return html`<form class="filters" action="${at}">
<label>${tell(language, 'filter.state')}<br><select name="state"><option value="">${tell(language, 'filter.any')}</option>${options}</select></label>
${field('since', 'date')}${field('until', 'date')}${field('email', 'search')}${field('amount', 'search')}
<button>${tell(language, 'payments.filter')}</button>
</form>`;
}

function headOf(language: Language): string[] {
  return (['transaction', 'reference', 'amount', 'state', 'created', 'payer', 'merchant'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
}

function cellsOf(app: App, language: Language, payment: FoundPayment): (Html | string)[] {
  return [
    html`<a href="${publicPath(app)}/console/payments/${payment.id}">${payment.id}</a>`,
    html`<span class="code">${payment.reference}</span>`,
    formatMoney(payment.amount, payment.currency),
    html`<span>${paymentBadges(language, payment).map((one) => html`${one} `)}</span>`,
    timeCell(payment.created_at),
    payment.customer_email,
    payment.name,
  ];
}

const PLAIN = [
  'transaction',
  'reference',
  'amount',
  'state',
  'refunded',
  'created',
  'payer',
  'method',
  'code',
  'merchant',
] as const;

function plainHead(language: Language): string[] {
  return PLAIN.map((name) => tell(language, `column.${name}`));
}

function plainCells(payment: FoundPayment, language: Language): string[] {
  return [
    String(payment.id),
    payment.reference,
    formatPlain(payment.amount, payment.currency),
    tellKind(language, 'state', payment.state),
    formatPlain(payment.refunded, payment.currency),
    new Date(payment.created_at).toISOString(),
    payment.customer_email,
    payment.payment_method ?? '',
    payment.authorization_code ?? '',
    payment.name,
  ];
}

function readAsked({ request }: Pick<ConsoleVisit, 'request'>): Asked {
  const values = request.query as Record<string, unknown>;
  const text = (name: string) => (typeof values[name] === 'string' ? values[name].trim() : '');
  return {
    q: text('q'),
    state: text('state'),
    since: text('since'),
    until: text('until'),
    email: text('email'),
    amount: text('amount'),
    after: text('after'),
  };
}

function filterOf({ state, since, until, email, amount }: Asked): PaymentFilter {
  const minor = parseDecimal(amount.replace(/[$.\s]/g, ''), 'CLP');
  return {
    ...NO_FILTER,
    state: STATES.find((known) => known === state) ?? null,
    since: isDay(since) ? boundsOfDay(since).from : null,
    until: isDay(until) ? boundsOfDay(until).to : null,
    email: email === '' ? null : email,
    amount: minor === null ? null : { amount: minor, currency: 'CLP' },
  };
}

function queryOf(asked: Asked): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${String(new URLSearchParams(given))}`;
}
