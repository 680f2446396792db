import type { App } from '../../app.ts';
import type { Language } from '../../checkout/texts.ts';
import { CATALOGUE, type ErrorCode, Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { wordsOf } from '../../http/problem-words.ts';
import { listRefusedRequests, type ReadRefused, readRefused } from '../../refused-requests/list-refused-requests.ts';
import { badge, emptyState, tableOf, testBadge, timeCell } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import { consoleHandler, notFoundPage } from '../console-visit.ts';

const SHOWN = 100;

/** The refused requests of the person's payment services: by `request_id`, by code, or the newest. */
export const getConsoleRequests: Screen = {
  handle: consoleHandler(async (app, { language, user, request, send }) => {
    const query = request.query as Record<string, unknown>;
    const text = (name: string) => (typeof query[name] === 'string' && query[name] !== '' ? query[name].trim() : null);
    const [requestId, code, paymentServiceId] = [text('request_id'), text('code'), text('merchant')];
    const search = { environmentIds: user.environmentIds, requestId, code, paymentServiceId, after: text('after') };
    const { requests, next } = await listRefusedRequests(app, search, SHOWN);
    const title = tell(language, 'requests.title');
    const at = `${publicPath(app)}/console/requests`;
    const older = new URLSearchParams({ code: code ?? '', merchant: paymentServiceId ?? '', after: next ?? '' });
    const main = html`<h1>${title}</h1>
<p class="quiet">${tell(language, 'requests.text')}</p>
<form class="filters" action="${at}"><input type="hidden" name="merchant" value="${paymentServiceId ?? ''}">
<label>${tell(language, 'requests.id')}<br><input type="search" name="request_id" value="${requestId ?? ''}" maxlength="60"></label>
<label>${tell(language, 'requests.code')}<br><input type="search" name="code" value="${code ?? ''}" maxlength="60"></label>
<button>${tell(language, 'requests.filter')}</button></form>
${requests.length === 0 ? emptyState(tell(language, 'requests.none'), 'bin/rubrica request list') : requestTable(app, language, requests.map(readRefused))}
${next !== null && html`<p class="actions"><a class="button" href="${at}?${String(older)}">${tell(language, 'payments.next')}</a></p>`}`;
    return send(200, { title, main });
  }),
};

/** One refused request: what was sent, as far as it is no secret, and what was wrong. */
export const getConsoleRequest: Screen = {
  handle: consoleHandler(async (app, { language, user, request, send }) => {
    const { id } = request.params as { id: string };
    const search = { environmentIds: user.environmentIds, requestId: id };
    const [found] = (await listRefusedRequests(app, search, 1)).requests.map(readRefused);
    if (found === undefined) return send(404, notFoundPage(language));
    return send(200, { title: tell(language, 'request.title', { id }), main: requestPage(app, language, found) });
  }),
};

function requestTable(app: App, language: Language, requests: readonly ReadRefused[]): Html {
  const head = tellAll(language, [
    'column.when',
    'column.request',
    'column.merchant',
    'column.endpoint',
    'column.answer',
  ]);
  const rows = requests.map((row) => [
    timeCell(row.at),
    html`<a class="code" href="${publicPath(app)}/console/requests/${row.request_id}">${row.request_id}</a>`,
    merchantCell(language, row),
    html`<span class="code">${row.method} ${row.route}</span>`,
    html`${row.status} <span class="code">${row.code}</span>${row.repeated > 0 && html` ${badge('warn', `+${row.repeated}`)}`}`,
  ]);
  return tableOf(head, rows);
}

function merchantCell(language: Language, { name, environment }: ReadRefused): Html {
  if (name === null) return html`${tell(language, 'request.unknown')}`;
  return html`${name}${testBadge(language, environment)}`;
}

/** In Spanish as far as there are words for it: English is what is kept. */
function wordsIn(language: Language, { code, title, detail, errors }: ReadRefused) {
  if (language === 'en' || !isErrorCode(code)) return { title, detail, errors };
  const isOwn = errors.length === 0 && detail !== CATALOGUE[code].fix;
  return wordsOf(new Problem(code, { ...(isOwn && { detail: { en: detail, es: detail } }), errors }), language);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(CATALOGUE, code);
}

function requestPage(app: App, language: Language, found: ReadRefused): Html {
  const { request_id: id, method, route, status, code, fields, repeated } = found;
  const { title, detail, errors } = wordsIn(language, found);
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
