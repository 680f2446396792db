import type { App } from '../../app.ts';
import { listOwners } from '../../books/list-books.ts';
import type { Language } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { dayOf, shiftDay } from '../../lib/calendar-day.ts';
import { readSum } from '../../lib/exact-sum.ts';
import { formatMoney } from '../../lib/money.ts';
import { closeMonth, describeMonth, isReadyToClose, type MonthState } from '../../movements/close-month.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import { badge, minuteOf, tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { readEnvironment } from '../merchants/visible-merchants.ts';
import { fieldsOf } from '../sign-in.ts';

/** A month: what stands in the way of closing it, and what each merchant was owed at its end. */
export const getConsoleMonth: Screen = {
  handle: consoleHandler((app, visit) =>
    sendMonth(app, visit, 200, '', visit.request.query as Record<string, unknown>),
  ),
};

/** Closes a month in which nothing is open. */
export const postConsoleMonth: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, by, request, goTo } = visit;
    const fields = fieldsOf(request);
    const { month = '' } = fields;
    const environment = readEnvironment(app, fields['environment']);
    const open = await closeMonth(app, month, environment, by);
    if (open === null && /^\d{4}-\d{2}$/.test(month)) return goTo(`/months?month=${month}&environment=${environment}`);
    return sendMonth(app, visit, 409, tell(language, 'month.refused'), fields);
  }),
};

async function sendMonth(app: App, visit: ConsoleVisit, status: number, said: string, asked: Record<string, unknown>) {
  const { language, user, send } = visit;
  const today = dayOf(app.now());
  const lastMonth = shiftDay(`${today.slice(0, 8)}01`, -1).slice(0, 7);
  const month = typeof asked['month'] === 'string' ? asked['month'] : lastMonth;
  const environment = readEnvironment(app, asked['environment']);
  const state = await describeMonth(app, month, environment);
  const title = tell(language, 'months.title');
  const options = ENVIRONMENTS.map(
    (name) =>
      html`<option value="${name}"${name === environment && html` selected`}>${tell(language, `merchant.${name}`)}</option>`,
  );
  const main = html`${said !== '' && html`<p class="notice" role="alert">${said}</p>`}
<h1>${title}</h1>
<form class="filters" action="${publicPath(app)}/console/months">
<label>${tell(language, 'months.month')}<br><input type="month" name="month" value="${month}" required pattern="[0-9]{4}-[0-9]{2}"></label>
<label>${tell(language, 'settlements.environment')}<br><select name="environment">${options}</select></label>
<button>${tell(language, 'months.show')}</button></form>
${state === null ? html`<p class="notice" role="alert">${tell(language, 'months.bad_month')}</p>` : await monthSection(app, language, state, user.may.has('movements:record'))}`;
  return send(state === null ? 400 : status, { title, main });
}

async function monthSection(app: App, language: Language, state: MonthState, mayClose: boolean): Promise<Html> {
  const { month, environment, closed, owed } = state;
  const owners = await listOwners(
    app,
    owed.map(({ environment_id }) => environment_id),
  );
  const rows = owed.map((one) => [
    owners.get(one.environment_id)?.name ?? '',
    formatMoney(readSum(one.owed), one.currency),
  ]);
  const heading = tell(language, 'month.heading', {
    month,
    environment: tell(language, `merchant.${environment}`).toLowerCase(),
  });
  return html`<h2>${heading}</h2>
${closed !== null && html`<p>${badge('good', tell(language, 'month.closed', { time: minuteOf(closed.closed_at), name: closed.closed_by }))}</p>`}
${!state.isAsClosed && html`<p class="notice" role="alert">${tell(language, 'month.changed')}</p>`}
<ul>${checksOf(language, state)}</ul>
<h2>${tell(language, 'month.owed')}</h2>
${tableOf([tell(language, 'column.merchant'), tell(language, 'column.amount')], rows, [1])}
${
  mayClose &&
  isReadyToClose(state) &&
  html`<form class="actions" method="post" action="${publicPath(app)}/console/months"><input type="hidden" name="month" value="${month}"><input type="hidden" name="environment" value="${environment}">
<button class="primary">${tell(language, 'month.close', { month })}</button></form>`
}`;
}

function checksOf(language: Language, { hasEnded, unbooked, suspense, differences }: MonthState): Html[] {
  const open = [
    ...(hasEnded ? [] : [tell(language, 'month.not_ended')]),
    ...(unbooked === 0 ? [] : [tell(language, 'month.unbooked', { n: unbooked })]),
    ...(suspense === 0 ? [] : [tell(language, 'month.suspense', { n: suspense })]),
    ...(differences === 0 ? [] : [tell(language, 'month.differences', { n: differences })]),
  ];
  return (open.length === 0 ? [tell(language, 'month.ready')] : open).map((text) => html`<li>${text}</li>`);
}
