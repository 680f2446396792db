import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { listRefusedRequests, type ReadRefused, readRefused } from '../../refused-requests/list-refused-requests.ts';
import { badge, emptyState, tableOf, testBadge, timeCell } from '../console-format.ts';
import { askedOf, type Column, EXPORTED, type Filter, sendList } from '../console-list.ts';
import { tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { merchantFilter } from '../merchants/visible-merchants.ts';

const SHOWN = 100;

/** Lists the refused requests of the person's payment services, by `request_id`, code or merchant, newest first. */
export const getConsoleRequests = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { request_id = '', code = '', merchant = '', after = '' } = askedOf(visit);
  const search = {
    environmentIds: user.environmentIds,
    requestId: request_id || null,
    code: code || null,
    paymentServiceId: merchant || null,
    after: after || null,
  };
  const limit = formatOf(visit) === null ? SHOWN : EXPORTED;
  const { requests, next } = await listRefusedRequests(app, search, limit);
  const older = new URLSearchParams({ code, merchant, after: next ?? '' });
  return sendList<ReadRefused>(visit, {
    title: tell(language, 'requests.title'),
    path: '/requests',
    columns: columnsFor(app, language),
    rows: requests.map((row) => readRefused(row, language)),
    filters: await filtersFor(app, visit),
    cut: next !== null && requests.length,
    paged: next !== null || after !== '',
    above: html`<p class="quiet">${tell(language, 'requests.text')}</p>`,
    empty: emptyState(visit, tell(language, 'requests.none'), 'bin/rubrica request list'),
    below:
      next !== null &&
      html`<p class="actions"><a class="button" href="${publicPath(app)}/console/requests?${String(older)}">${tell(language, 'payments.next')}</a></p>`,
  });
});

async function filtersFor(app: App, { user }: ConsoleVisit): Promise<Filter[]> {
  return [
    { name: 'request_id', text: 'requests.id', type: 'search' },
    { name: 'code', text: 'requests.code', type: 'search' },
    ...(await merchantFilter(app, user)),
  ];
}

/** Shows one refused request: its content without secrets, and what was wrong. */
export const getConsoleRequest = consoleHandler(async (app, { language, user, request, send }) => {
  const { id } = request.params as { id: string };
  const search = { environmentIds: user.environmentIds, requestId: id };
  const [found] = (await listRefusedRequests(app, search, 1)).requests.map((row) => readRefused(row, language));
  if (found === undefined) return send(404, notFoundPage(language));
  return send(200, { title: tell(language, 'request.title', { id }), main: requestPage(app, language, found) });
});

function columnsFor(app: App, language: Language): Column<ReadRefused>[] {
  return [
    { name: 'at', text: 'column.when', value: ({ at }) => at, kind: 'time' },
    {
      name: 'request_id',
      text: 'column.request',
      value: (row) => row.request_id,
      cell: (row) =>
        html`<a class="code" href="${publicPath(app)}/console/requests/${row.request_id}">${row.request_id}</a>`,
    },
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ name }) => name,
      cell: (row) => html`<span>${merchantCell(language, row)}</span>`,
    },
    { name: 'environment', text: 'callbacks.environment', value: ({ environment }) => environment, hidden: true },
    {
      name: 'endpoint',
      text: 'column.endpoint',
      value: ({ method, route }) => `${method} ${route}`,
      cell: ({ method, route }) => html`<span class="code">${method} ${route}</span>`,
    },
    {
      name: 'answer',
      text: 'column.answer',
      value: ({ status, code }) => `${status} ${code}`,
      cell: ({ status, code, repeated }) =>
        html`<span>${status} <span class="code">${code}</span>${repeated > 0 && html` ${badge('warn', `+${repeated}`)}`}</span>`,
    },
    { name: 'wrong', text: 'column.wrong', value: ({ detail }) => detail, hidden: true },
    { name: 'repeated', text: 'column.repeated', value: ({ repeated }) => repeated, hidden: true },
  ];
}

function merchantCell(language: Language, { name, environment }: ReadRefused): Html {
  if (name === null) return html`${tell(language, 'request.unknown')}`;
  return html`${name}${testBadge(language, environment)}`;
}

function requestPage(app: App, language: Language, found: ReadRefused): Html {
  const { request_id: id, method, route, status, code, title, detail, errors, fields, repeated } = found;
  const wrong = errors.map((item) => [html`<span class="code">${item.pointer}</span>`, item.message, item.fix]);
  const sent = fields.map(({ name, value }) => [
    html`<span class="code">${name}</span>`,
    html`<span class="code">${value}</span>`,
  ]);
  const columns = tellAll(language, ['column.field', 'column.wrong', 'column.fix']);
  return html`<h1>${tell(language, 'request.title', { id })}</h1>
<p class="quiet">${timeCell(found.at)} · ${merchantCell(language, found)} · <span class="code">${method} ${route}</span></p>
<div class="card pad"><p><strong>${status} ${code}</strong>: ${title}</p><p>${detail}</p>
<p><a href="${publicPath(app)}/errors/${code}">${tell(language, 'request.page')}</a></p>
${repeated > 0 && html`<p>${tell(language, 'request.repeated', { n: repeated })}</p>`}</div>
${wrong.length > 0 && html`<h2>${tell(language, 'request.wrong')}</h2>${tableOf(columns, wrong)}`}
${sent.length > 0 && html`<h2>${tell(language, 'request.sent')}</h2>${tableOf([tell(language, 'column.field'), tell(language, 'column.value')], sent)}`}`;
}
