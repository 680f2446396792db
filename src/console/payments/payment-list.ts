import type { App } from '../../app.ts';
import { readRut } from '../../bank-validation/rut.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { formatPlain } from '../../lib/money.ts';
import { findPayments } from '../../search/find-payments.ts';
import { type FoundPayment, NO_FILTER, type PaymentFilter } from '../../search/payment-filter.ts';
import { readAmounts } from '../../search/read-search.ts';
import { searchWithParts } from '../../search/search-payments.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction-state.ts';
import { emptyState, paymentBadges } from '../console-format.ts';
import { amountColumns, askedOf, type Column, EXPORTED, type Filter, sendList } from '../console-list.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { addressQuery, pageLinks, typedOf, unopenedNote } from '../kept-typing.ts';
import { merchantFilter } from '../merchants/visible-merchants.ts';
import { otherPlace, payoutPlace } from './place-of-text.ts';

const SHOWN = 50;
/** A search has no further pages, so its file has more than its page. */
const FOUND_IN_FILE = 1000;

/** Finds payments by one text, or lists the newest ones by the filters in the address. */
export const getConsolePayments = consoleHandler(async (app, visit) => {
  const { q = '' } = typedOf(visit);
  return q === '' ? sendPayments(app, visit) : sendFound(app, visit, q);
});

async function sendFound(app: App, visit: ConsoleVisit, text: string) {
  const { user, language, goTo } = visit;
  const named = payoutPlace(visit, text);
  if (named !== null) return goTo(named);
  const most = formatOf(visit) === null ? SHOWN : FOUND_IN_FILE;
  const { payments: found, complete, isAll, part } = await searchWithParts(app, text, user.environmentIds, most + 1);
  const payments = found.slice(0, most);
  const [only, ...others] = payments;
  // A person who pastes an id wants the payment, not a list of one. A match of a part of an order, or of the digits of
  // a card, may be another payment.
  const isSure =
    only !== undefined && others.length === 0 && only.found_by !== 'reference_part' && only.found_by !== 'card';
  if (isSure && formatOf(visit) === null) return goTo(`/payments/${only.id}`);
  const other = payments.length === 0 ? await otherPlace(app, visit, text) : null;
  if (other !== null) return goTo(other);
  return sendList<(typeof payments)[number]>(visit, {
    // A browser keeps the title beside the address: what is of a person stands in the box alone.
    title: tell(language, askedOf(visit)['q'] === undefined ? 'payments.title' : 'payments.found', { text }),
    path: '/payments',
    search: text,
    columns: [
      ...columnsFor(app, language),
      { name: 'found_by', text: 'column.found_by', value: ({ found_by }) => tellKind(language, 'found', found_by) },
    ],
    cut: found.length > most && most,
    rows: payments,
    above: html`${incompleteNote(language, complete)}${!isAll && html`<p class="notice">${tell(language, 'payments.newest_parts')} <a href="${publicPath(app)}/console/payments?${addressQuery(visit, { order: part })}">${tell(language, 'payments.all_parts')}</a></p>`}`,
    empty: html`<div class="card empty"><p>${tell(language, 'payments.none')}</p>${readRut(text).canonical !== null && html`<p>${tell(language, 'payments.no_rut')}</p>`}<p class="quiet">${tell(language, 'payments.none_hint')} <a href="${publicPath(app)}/console/payments">${tell(language, 'payments.by_day')}</a></p></div>`,
  });
}

async function sendPayments(app: App, visit: ConsoleVisit) {
  const { user, language } = visit;
  const { after = '', ...asked } = typedOf(visit);
  const found = await findPayments(app, {
    filter: filterOf(asked),
    environmentIds: user.environmentIds,
    after: after === '' ? null : after,
    // A file has the whole list, not one page.
    limit: formatOf(visit) === null ? SHOWN : EXPORTED,
  });
  return sendList<FoundPayment>(visit, {
    title: tell(language, 'payments.title'),
    path: '/payments',
    columns: columnsFor(app, language),
    rows: found.payments,
    typed: asked,
    filters: [...filtersIn(language), ...(await merchantFilter(app, user))],
    // This many payments were read; fewer may have passed the filter.
    cut: found.next !== null && EXPORTED,
    paged: found.next !== null || after !== '',
    empty: emptyState(visit, tell(language, 'payments.empty'), 'bin/rubrica demo'),
    noneSuch: emptyState(visit, tell(language, found.next === null ? 'payments.none' : 'payments.none_yet'), ''),
    above: html`${unopenedNote(visit)}${incompleteNote(language, found.complete)}`,
    below: pageLinks(visit, '/payments', asked, { after, next: found.next }),
  });
}

function incompleteNote(language: Language, complete: boolean): Html | false {
  return !complete && html`<p class="notice">${tell(language, 'payments.incomplete')}</p>`;
}

function filtersIn(language: Language): Filter[] {
  return [
    {
      name: 'state',
      text: 'filter.state',
      type: TRANSACTION_STATES.map((state) => [state, tellKind(language, 'state', state)] as const),
    },
    { name: 'since', text: 'filter.since', type: 'date' },
    { name: 'until', text: 'filter.until', type: 'date' },
    { name: 'order', text: 'filter.order', type: 'search' },
    { name: 'email', text: 'filter.whole_email', type: 'search' },
    { name: 'amount', text: 'filter.amount', type: 'search' },
    { name: 'card', text: 'filter.card', type: 'search' },
  ];
}

function columnsFor(app: App, language: Language): Column<FoundPayment>[] {
  return [
    {
      name: 'transaction',
      text: 'column.transaction',
      value: ({ id }) => id,
      cell: ({ id }) => html`<a href="${publicPath(app)}/console/payments/${id}">${id}</a>`,
    },
    {
      name: 'reference',
      text: 'column.reference',
      value: ({ reference }) => reference,
      cell: ({ reference }) => html`<span class="code">${reference}</span>`,
    },
    ...amountColumns<FoundPayment>((row) => row),
    {
      name: 'state',
      text: 'column.state',
      value: ({ state }) => tellKind(language, 'state', state),
      cell: (payment) => html`<span>${paymentBadges(language, payment).map((one) => html`${one} `)}</span>`,
    },
    {
      name: 'refunded',
      text: 'column.refunded',
      value: ({ refunded, currency }) => Number(formatPlain(refunded, currency)),
      hidden: true,
    },
    { name: 'created', text: 'column.created', value: ({ created_at }) => created_at, kind: 'time' },
    { name: 'payer', text: 'column.payer', value: ({ customer_email }) => customer_email || null },
    { name: 'method', text: 'column.method', value: ({ payment_method }) => payment_method, hidden: true },
    { name: 'code', text: 'column.code', value: ({ authorization_code }) => authorization_code, hidden: true },
    { name: 'card', text: 'column.card', value: ({ card_last_digits }) => card_last_digits, hidden: true },
    { name: 'merchant', text: 'column.merchant', value: ({ name }) => name },
  ];
}

type Asked = Record<string, string>;

/** `sendList` refuses an unknown state or day. Other text than an amount or a card matches no payment. */
function filterOf(asked: Asked): PaymentFilter {
  const { state, since = '', until = '', order = '', email = '', amount = '', card = '', merchant = '' } = asked;
  return {
    ...NO_FILTER,
    state: TRANSACTION_STATES.find((known) => known === state) ?? null,
    since: isDay(since) ? boundsOfDay(since).from : null,
    until: isDay(until) ? boundsOfDay(until).to : null,
    referencePart: order.trim() === '' ? null : order.trim(),
    email: email === '' ? null : email,
    cardDigits: card === '' ? null : card.replace(/\D/g, '').slice(-4) || card,
    paymentService: merchant === '' ? null : merchant,
    amount: amount === '' ? null : (readAmounts(amount)[0] ?? { amount: -1, currency: 'CLP' }),
  };
}
