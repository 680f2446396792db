import type { App } from '../../app.ts';
import { listOwners } from '../../books/list-books.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { dayOf, shiftDay } from '../../lib/calendar-day.ts';
import { readSum } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { closeMonth, describeMonth, isReadyToClose, lastDayOf, type MonthState } from '../../movements/close-month.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import { countOpenLines } from '../../statements/bank-statement-queries.ts';
import { actorText, emptyState, minuteOf } from '../console-format.ts';
import { amountColumns, type Column, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { choiceNames, readEnvironment } from '../merchants/visible-merchants.ts';
import { alertNotice } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';

/** Shows a month: what prevents closing it, and the amount owed to each merchant at its end. */
export const getConsoleMonth = consoleHandler((app, visit) =>
  sendMonth(app, visit, 200, '', visit.request.query as Record<string, unknown>),
);

/** Closes a month without open items, after the second factor: auditors rely on it. */
export const postConsoleMonth = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo } = visit;
  const fields = fieldsOf(request);
  const { month = '' } = fields;
  const environment = readEnvironment(app, fields['environment']);
  const asked = requireProof(app, visit, `/months?${String(new URLSearchParams({ month, environment }))}`);
  if (asked !== null) return asked;
  const open = await closeMonth(app, month, environment, by);
  // Another person, or the same in another tab, may have been first.
  const isClosed = open === null || open.closed !== null;
  if (isClosed && /^\d{4}-\d{2}$/.test(month)) return goTo(`/months?month=${month}&environment=${environment}`);
  return sendMonth(app, visit, 409, tell(language, 'month.refused'), fields);
});

async function sendMonth(app: App, visit: ConsoleVisit, status: number, said: string, asked: Record<string, unknown>) {
  const { language, user } = visit;
  const today = dayOf(app.now());
  const lastMonth = shiftDay(`${today.slice(0, 8)}01`, -1).slice(0, 7);
  const month = typeof asked['month'] === 'string' ? asked['month'] : lastMonth;
  const environment = readEnvironment(app, asked['environment']);
  const state = await describeMonth(app, month, environment);
  const owners = await listOwners(app, state?.owed.map(({ environment_id }) => environment_id) ?? []);
  const merchants = new Map([...owners.values()].map((one) => [one.payment_service_id, one.name]));
  const names = choiceNames([...merchants].map(([id, name]) => ({ id, name })));
  return sendList<OwedMerchant>(visit, {
    title: tell(language, 'months.title'),
    status: state === null ? 400 : status,
    path: '/months',
    columns: columnsFor(app, state ?? { month: lastMonth, environment }),
    rows:
      state?.owed.map((one) => {
        const id = owners.get(one.environment_id)?.payment_service_id ?? '';
        return { ...one, merchant: id, name: names.get(id) ?? null };
      }) ?? [],
    filters: [
      { name: 'month', text: 'months.month', type: 'month', otherwise: month },
      {
        name: 'environment',
        text: 'settlements.environment',
        type: ENVIRONMENTS.map((name) => [name, tell(language, `merchant.${name}`)] as const),
        otherwise: environment,
        isOne: true,
      },
    ],
    above: alertNotice(said),
    summary: state !== null && standing(app, language, state, await linesNote(app, language, state)),
    empty:
      state === null
        ? alertNotice(tell(language, 'months.bad_month'))
        : emptyState(visit, tell(language, 'month.none_owed'), {
            path: `${publicPath(app)}/console/accounts?environment=${environment}`,
            title: tell(language, 'accounts.title'),
          }),
    below:
      state !== null && user.may.has('movements:record') && isReadyToClose(state) && closeForm(app, language, state),
  });
}

/** `merchant`: its id. `name`: with the id where several have the same name; null: the store does not have it. */
type OwedMerchant = MonthState['owed'][number] & { merchant: string; name: string | null };

function columnsFor(app: App, { month, environment }: Pick<MonthState, 'month' | 'environment'>) {
  const period = { environment, from: `${month}-01`, to: lastDayOf(`${month}-01`) };
  const columns: Column<OwedMerchant>[] = [
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ name }) => name,
      cell: ({ merchant, name, currency }) =>
        html`<a href="${publicPath(app)}/console/accounts/${merchant}?${String(new URLSearchParams({ ...period, currency }))}">${name ?? '—'}</a>`,
    },
    ...amountColumns<OwedMerchant>(({ owed, currency }) => ({ amount: readSum(owed), currency })),
  ];
  return columns;
}

/** Shows whether the month is closed, and what prevents closing it. */
function standing(app: App, language: Language, state: MonthState, lines: Html | false): Html {
  const { month, environment, closed } = state;
  const heading = tell(language, 'month.heading', {
    month,
    environment: tell(language, `merchant.${environment}`).toLowerCase(),
  });
  return html`<h2>${heading}</h2>
${closed !== null && html`<p class="notice done">${tell(language, 'month.closed', { time: minuteOf(closed.closed_at), name: actorText(language, closed.closed_by) })}</p>`}
${!state.isAsClosed && alertNotice(tell(language, 'month.changed'))}
${state.clockWentBack && html`<p class="notice">${tell(language, 'month.clock_back')}</p>`}
${closed === null && html`<ul>${checksOf(app, language, state)}</ul>${lines}`}
<p><a href="${publicPath(app)}/console/movements?${String(new URLSearchParams({ environment, from: `${month}-01`, to: lastDayOf(`${month}-01`) }))}">${tell(language, 'month.movements')}</a></p>
<h2>${tell(language, state.hasEnded ? 'month.owed' : 'month.owed_so_far')}</h2>`;
}

/** Counts the lines of bank statements of the month that nobody has explained: they do not prevent closing it. */
async function linesNote(app: App, language: Language, { month, environment }: MonthState): Promise<Html | false> {
  const days = { first: `${month}-01`, last: lastDayOf(`${month}-01`) };
  const n = await countOpenLines(app.db, environment, days);
  return (
    n > 0 &&
    html`<p class="notice"><a href="${publicPath(app)}/console/attention?kind=statement">${tell(language, 'month.lines', { n })}</a> ${tell(language, 'month.lines_text')}</p>`
  );
}

/** The address has the month, so that the page of a refusal shows the same month. */
function closeForm(app: App, language: Language, { month, environment }: MonthState): Html {
  const query = String(new URLSearchParams({ month, environment }));
  return html`<form class="actions" method="post" action="${publicPath(app)}/console/months?${query}"><input type="hidden" name="month" value="${month}"><input type="hidden" name="environment" value="${environment}">
<button class="primary">${tell(language, 'month.close', { month })}</button></form>`;
}

/** Lists what prevents closing the month, each with a link to the screen that ends it. */
function checksOf(
  app: App,
  language: Language,
  { hasEnded, hasBooks, unbooked, suspense, differences }: MonthState,
): Html[] {
  const at = `${publicPath(app)}/console`;
  const open = [
    ...(hasEnded ? [] : [html`${tell(language, 'month.not_ended')}`]),
    ...(hasBooks ? [] : [html`${tell(language, 'month.no_books')}`]),
    ...(unbooked === 0 ? [] : [html`<a href="${at}/health">${tell(language, 'month.unbooked', { n: unbooked })}</a>`]),
    ...(suspense === 0
      ? []
      : [html`<a href="${at}/attention?kind=suspense">${tell(language, 'month.suspense', { n: suspense })}</a>`]),
    ...(differences === 0
      ? []
      : [html`<a href="${at}/settlements?open=yes">${tell(language, 'month.differences', { n: differences })}</a>`]),
  ];
  return (open.length === 0 ? [html`${tell(language, 'month.ready')}`] : open).map((text) => html`<li>${text}</li>`);
}
