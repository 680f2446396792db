import { Readable } from 'node:stream';
import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import type { EntryKind } from '../../books/journal-entry.ts';
import { makeStatement, readStatementLines, type Statement } from '../../books/merchant-statement.ts';
import type { StatementLine, StatementScope } from '../../books/statement-queries.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, clockOf, dayOf, isDay } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { writeCsv } from '../../lib/tables/write-csv.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { PAYOUT_CURRENCY, type PayoutState } from '../../payouts/payout.ts';
import { sumOpenPayouts } from '../../payouts/payout-queries.ts';
import { emptyState, tableOf } from '../console-format.ts';
import { askedOf, type Filter, sendList } from '../console-list.ts';
import { type ConsoleText, tell, tellAll, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { environmentsOf, merchantOf } from '../merchants/visible-merchants.ts';
import { alertNotice } from '../notice.ts';
import { accountHead, environmentAsked, idOf, listPayable, sumsOf } from './account-list.ts';
import { movementColumns, olderLink, readMovements } from './account-movements.ts';
import { recordingWays } from './record-by-hand.ts';

/** Shows the account of a merchant: the amount owed now, the statement of a period, and every movement in it. */
export const getConsoleAccount = consoleHandler(async (app, visit) => {
  const asked = await readAsked(app, visit);
  if (asked === null) return visit.send(404, notFoundPage(visit.language));
  const { language } = visit;
  const { merchant, environment, scope, from, to, mistake } = asked;
  const statement = await makeStatement(app, scope);
  const at = `${publicPath(app)}/console/accounts/${merchant.id}`;
  const period = { environment, currency: scope.currency, from, to };
  const { lines, older } = await readMovements(app, visit, scope);
  return sendList<StatementLine>(visit, {
    title: tell(language, 'account.title', { name: merchant.name }),
    status: mistake === null ? 200 : 400,
    path: `/accounts/${merchant.id}`,
    columns: movementColumns(visit, scope.currency),
    rows: lines,
    filters: filtersFor(visit, asked, statement),
    cut: older !== null && lines.length,
    paged: older !== null || askedOf(visit)['before'] !== undefined,
    above: html`${mistake !== null && alertNotice(tell(language, mistake))}
<p class="quiet">${tell(language, `merchant.${environment}`)} · ${scope.currency} · ${tell(language, 'account.in_process_hint')}</p>`,
    summary: html`${await sumsTable(app, visit, asked)}
${await payoutSection(app, visit, asked)}
${statementTable(language, statement, { at, period })}
<p class="actions"><a class="button" href="${at}/statement.csv?${String(new URLSearchParams(period))}">${tell(language, 'statement.csv')}</a></p>
${recordingWays(app, visit, scope.environmentId)}
<h2>${tell(language, 'movements.title')}</h2>`,
    empty: emptyState(
      visit,
      tell(language, 'movements.none'),
      `bin/rubrica books statement ${merchant.id} --environment ${environment} --from ${from} --to ${to}`,
    ),
    below: older !== null && olderLink(visit, at, older),
  });
});

async function sumsTable(app: App, visit: ConsoleVisit, { merchant, scope }: Asked): Promise<Html | false> {
  const accounts = await listPayable(app, [scope.environmentId]);
  const rows = accounts
    .filter(({ currency }) => currency === scope.currency)
    .map((account) => [merchant.name, ...sumsOf(account)]);
  return rows.length > 0 && tableOf(accountHead(visit), rows, [1, 2, 3, 4, 5]);
}

function filtersFor(visit: ConsoleVisit, asked: Asked, { kinds }: Statement): Filter[] {
  const { language } = visit;
  const { merchant, environment, scope, from, to } = asked;
  const { kind: chosen } = askedOf(visit);
  return [
    {
      name: 'environment',
      text: 'callbacks.environment',
      type: environmentsOf(merchant).map((one) => [one, tell(language, `merchant.${one}`)] as const),
      otherwise: environment,
      isOne: true,
    },
    { name: 'currency', text: 'column.currency', type: 'search', otherwise: scope.currency },
    { name: 'from', text: 'statement.from', type: 'date', otherwise: from },
    { name: 'to', text: 'statement.to', type: 'date', otherwise: to },
    {
      name: 'kind',
      text: 'column.kind',
      // A chosen kind stays a choice in a period without it.
      type: ACCOUNT_KINDS.filter((one) => one === chosen || kinds.some(({ kind }) => kind === one)).map(
        (one) => [one, tellKind(language, 'kind', one)] as const,
      ),
    },
  ];
}

/** The kinds of entries of a merchant's account. */
const ACCOUNT_KINDS: readonly EntryKind[] = [
  'payment',
  'fee',
  'refund',
  'payout',
  'payout_returned',
  'paid_in',
  'paid_in_returned',
  'payout_reserved',
  'payout_released',
  'payout_reversed',
  'kept',
  'charged',
];

/** Streams every line of the period: a large merchant's month needs no more memory than a small merchant's day. */
export const getConsoleStatementCsv = consoleHandler(async (app, visit) => {
  const { language, reply, send } = visit;
  const asked = await readAsked(app, visit);
  if (asked === null || asked.mistake !== null) return send(404, notFoundPage(language));
  const { scope, from, to } = asked;
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${tell(language, 'statement.file')}-${from}-${to}.csv"`)
    .send(Readable.from(csvLines(app, language, scope)));
});

/** Shows the money that is on its way to others: reserved, or handed to the bank without a result. */
async function payoutSection(app: App, { language, user }: ConsoleVisit, { merchant, environment, scope }: Asked) {
  const { environmentId, currency } = scope;
  const sums = currency === PAYOUT_CURRENCY ? await sumOpenPayouts(app.db, environmentId) : [];
  if (sums.length === 0) return false;
  const rows = sums.map(({ state, count, amount }) => [
    user.may.has('recipients:read')
      ? html`<a href="${publicPath(app)}/console/payouts?${String(new URLSearchParams({ state, merchant: merchant.id, environment }))}">${tell(language, `payout_state.${state}`)}</a>`
      : tell(language, `payout_state.${state}`),
    String(count),
    formatMoney(amount, currency),
    tell(language, POSITIONS[state] ?? 'position.in_process'),
  ]);
  const head = [
    tell(language, 'column.state'),
    tell(language, 'payouts.title'),
    tell(language, 'column.amount'),
    tell(language, 'position.means'),
  ];
  return html`<h2>${tell(language, 'payouts.title')}</h2>${tableOf(head, rows, [1, 2])}`;
}

/** Says what each state of a payout means for the money. */
const POSITIONS: Readonly<Partial<Record<PayoutState, ConsoleText>>> = {
  awaiting_approval: 'position.waiting',
  approved: 'position.reserved',
};

type Asked = {
  merchant: ListedPaymentService;
  environment: Environment;
  scope: StatementScope;
  from: string;
  to: string;
  /** The mistake in the period or currency of the address; the page then shows this month, or pesos. */
  mistake: 'statement.bad_period' | 'statement.bad_currency' | null;
};

async function readAsked(app: App, visit: ConsoleVisit): Promise<Asked | null> {
  const merchant = await merchantOf(app, visit);
  const environment = environmentAsked(app, visit);
  const [environmentId] = merchant === null ? [] : idOf(merchant, environment);
  if (merchant === null || environmentId === undefined) return null;
  const query = visit.request.query as Record<string, unknown>;
  const today = dayOf(app.now());
  const text = (name: string, otherwise: string) => (typeof query[name] === 'string' ? query[name] : otherwise);
  const [since, until] = [text('from', `${today.slice(0, 8)}01`), text('to', today)];
  const isPeriod = isDay(since) && isDay(until) && since <= until;
  const [from, to] = isPeriod ? [since, until] : [`${today.slice(0, 8)}01`, today];
  const named = text('currency', 'CLP').trim().toUpperCase();
  const isCurrency = currencyExponent(named) !== undefined;
  const currency = isCurrency ? named : 'CLP';
  const scope = { environmentId, currency, from: boundsOfDay(from).from, to: boundsOfDay(to).to };
  const badPeriod = isPeriod ? null : 'statement.bad_period';
  return { merchant, environment, scope, from, to, mistake: isCurrency ? badPeriod : 'statement.bad_currency' };
}

type Shown = { at: string; period: { environment: Environment; currency: string; from: string; to: string } };

/** Shows the totals of the period by kind. Each kind links to its movements. */
function statementTable(language: Language, { opening, closing, kinds }: Statement, { at, period }: Shown): Html {
  const { currency } = period;
  const of = (kind: string) => `${at}?${String(new URLSearchParams({ ...period, kind }))}`;
  const rows = [
    [tell(language, 'statement.opening'), '', formatMoney(opening, currency)],
    ...kinds.map(({ kind, entries, amount }) => [
      html`<a href="${of(kind)}">${tellKind(language, 'kind', kind)}</a>`,
      String(entries),
      formatMoney(amount, currency),
    ]),
    [html`<strong>${tell(language, 'statement.closing')}</strong>`, '', formatMoney(closing, currency)],
  ];
  const head = tellAll(language, ['column.kind', 'column.entries', 'column.amount']);
  return html`<h2>${tell(language, 'statement.title', period)}</h2>${tableOf(head, rows, [1, 2])}`;
}

async function* csvLines(app: App, language: Language, scope: StatementScope): AsyncGenerator<string> {
  const csv = (row: string[]) => writeCsv([row], { separator: ',', lineEnd: '\r\n' });
  const head = ['when', 'what', 'amount', 'transaction', 'reference'] as const;
  yield `\ufeff${csv(head.map((name) => tell(language, `column.${name}`)))}`;
  for await (const { created_at, kind, amount, transaction_id, reference } of readStatementLines(app, scope)) {
    const of = [String(transaction_id ?? ''), reference ?? ''];
    yield csv([clockOf(created_at), tellKind(language, 'kind', kind), formatPlain(amount, scope.currency), ...of]);
  }
}
