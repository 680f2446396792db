import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { BOOKED_KINDS } from '../../movements/movement.ts';
import type { BookedMovement } from '../../movements/movement-queries.ts';
import { selectBookedMovements } from '../../movements/movement-queries.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import { actorText, ageText, emptyState, testBadge, timeCell } from '../console-format.ts';
import { amountColumns, askedOf, type Column, EXPORTED, type Filter, readFirst, sendList } from '../console-list.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { alertNotice } from '../notice.ts';
import { recordingWays } from './record-by-hand.ts';

const SHOWN = 500;

/** Lists what people recorded in the books: deposits, payouts to merchants, their returns and decisions. */
export const getConsoleMovements = consoleHandler(async (app, visit) => {
  const { language } = visit;
  const { environment = '', kind = '', from = '', to = '', text = '' } = askedOf(visit);
  const isPeriod = [from, to].every((day) => day === '' || isDay(day)) && (from === '' || to === '' || from <= to);
  const search = {
    environment,
    kind,
    text,
    from: isPeriod && from !== '' ? boundsOfDay(from).from : 0,
    to: isPeriod && to !== '' ? boundsOfDay(to).to : Number.MAX_SAFE_INTEGER,
  };
  const most = formatOf(visit) === null ? SHOWN : EXPORTED;
  return sendList<BookedMovement>(visit, {
    title: tell(language, 'recorded.title'),
    status: isPeriod ? 200 : 400,
    path: '/movements',
    columns: columnsFor(app, visit),
    ...(await readFirst(most, (limit) => selectBookedMovements(app.db, search, limit))),
    filters: filtersFor(language),
    above: html`${!isPeriod && alertNotice(tell(language, 'statement.bad_period'))}
<p class="quiet">${tell(language, 'recorded.text')}</p>
${recordingWays(app, visit)}`,
    empty: emptyState(
      visit,
      tell(language, 'recorded.none'),
      'bin/rubrica deposit create --payment-service … --amount … --currency CLP --reference …',
    ),
  });
});

function filtersFor(language: Language): Filter[] {
  return [
    {
      name: 'environment',
      text: 'merchant.environment',
      type: ENVIRONMENTS.map((name) => [name, tell(language, `merchant.${name}`)] as const),
    },
    { name: 'kind', text: 'column.kind', type: BOOKED_KINDS.map((one) => [one, nameOf(language, one)] as const) },
    { name: 'from', text: 'statement.from', type: 'date' },
    { name: 'to', text: 'statement.to', type: 'date' },
    { name: 'text', text: 'recorded.filter', type: 'search' },
  ];
}

function nameOf(language: Language, booked: string): string {
  return tellKind(language, 'movement', booked);
}

function columnsFor(app: App, { language, user }: ConsoleVisit): Column<BookedMovement>[] {
  const at = `${publicPath(app)}/console`;
  const mayOpen = mayAny(user.may, readWith('movements:record'));
  return [
    {
      name: 'at',
      text: 'column.when',
      kind: 'time',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) =>
        html`${timeCell(created_at)}<br><span class="quiet whole">${ageText(language, app.now() - created_at)}</span>`,
    },
    {
      name: 'kind',
      text: 'column.kind',
      value: ({ booked }) => nameOf(language, booked),
      cell: ({ booked, payment_method: code }) =>
        html`${nameOf(language, booked)}${code !== null && html`<br><span class="quiet">${methodName(language, { code })}</span>`}`,
    },
    { name: 'method', text: 'column.method', value: ({ payment_method }) => payment_method, hidden: true },
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ name }) => name,
      cell: ({ payment_service_id: id, name, environment }) =>
        html`<a href="${at}/accounts/${id}?environment=${environment}">${name}</a>${testBadge(language, environment)}`,
    },
    { name: 'environment', text: 'merchant.environment', value: ({ environment }) => environment, hidden: true },
    ...amountColumns<BookedMovement>((movement) => movement).map((column) =>
      column.name === 'amount'
        ? { ...column, cell: (movement: BookedMovement) => amountCell(language, movement) }
        : column,
    ),
    {
      name: 'commission',
      text: 'column.commission',
      kind: 'number',
      value: (movement) => Number(formatPlain(movement.commission, movement.currency)),
      hidden: true,
    },
    {
      name: 'reference',
      text: 'recorded.reference',
      value: ({ reference }) => reference,
      cell: ({ id, kind, reference, transaction_id: transaction }) =>
        html`${kind === 'resolution' || !mayOpen ? html`<span class="code">${reference}</span>` : html`<a class="code" href="${at}/movements/${id}">${reference}</a>`}${transaction !== null && html`<br>${paymentLink(user.may.has('payments:read') ? at : null, transaction)}`}`,
    },
    { name: 'transaction', text: 'column.transaction', value: ({ transaction_id }) => transaction_id, hidden: true },
    {
      name: 'by',
      text: 'recorded.by',
      value: ({ recorded_by }) => actorText(language, recorded_by),
      cell: ({ recorded_by, reason, reference }) =>
        html`${actorText(language, recorded_by)}${reason === null ? ofLine(at, language, reference) : html`<br><span class="quiet">${reason}</span>`}`,
    },
    { name: 'reason', text: 'refund.reason', value: ({ reason }) => reason, hidden: true },
    { name: 'id', text: 'column.id', value: ({ id }) => id, hidden: true },
  ];
}

function amountCell(language: Language, { amount, commission, currency }: BookedMovement): Html {
  const kept = tell(language, 'recorded.commission', { amount: formatMoney(commission, currency) });
  return html`${formatMoney(amount, currency)}${commission > 0 && html`<br><span class="quiet">${kept}</span>`}`;
}

/** Links the line of a bank statement that a movement was booked with, where its reason is. */
function ofLine(at: string, language: Language, reference: string): Html | false {
  const [, statement, line = ''] = /^(st_[0-9a-z]{20})\/(\d+)(?:-\d+)?$/.exec(reference) ?? [];
  if (statement === undefined) return false;
  return html`<br><a href="${at}/statements/${statement}?shown=${line}#line-${line}">${tell(language, 'recorded.of_line', { line })}</a>`;
}

function paymentLink(at: string | null, transaction: number) {
  return at === null ? transaction : html`<a href="${at}/payments/${transaction}">${transaction}</a>`;
}
