import { publicPath } from '../../http/assets.ts';
import type { Operation } from '../../http/endpoint.ts';
import { html } from '../../http/html.ts';
import { causeOf } from '../../outbox/answer-cause.ts';
import { selectTroubled } from '../../outbox/failing-endpoint-queries.ts';
import { badge, emptyState, tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { consoleHandler } from '../console-visit.ts';

const SHOWN = 200;

const HEAD: readonly ConsoleText[] = [
  'column.address',
  'column.merchant',
  'column.failing_since',
  'column.waiting',
  'column.cause',
  'column.next',
];

/** The endpoints that fail or are gone: whose, since when, why, what mends it, and what waits for them. */
export const getConsoleCallbacks: Operation = {
  handle: consoleHandler(async (app, { language, request, send }) => {
    const endpoints = await selectTroubled(app.db, SHOWN);
    const waiting = endpoints.reduce((sum, one) => sum + one.waiting, 0);
    const rows = endpoints.map((endpoint) => {
      const found = causeOf(endpoint.address, endpoint);
      return [
        html`<span class="code">${endpoint.address}</span>`,
        html`${endpoint.name}${endpoint.environment === 'development' && html` ${badge('calm', tell(language, 'badge.test'))}`}`,
        timeCell(endpoint.failing_since ?? endpoint.disabled_at),
        html`${endpoint.waiting}
<form method="post" action="${publicPath(app)}/console/callbacks/resend"><button class="link" name="endpoint" value="${endpoint.address}">${tell(language, 'callbacks.resend_all')}</button></form>`,
        found === null ? '—' : html`<strong>${found.cause}</strong><br>${found.fix}`,
        endpoint.disabled_at === null ? timeCell(endpoint.next_attempt_at) : tell(language, 'callbacks.disabled'),
      ];
    });
    const { resent } = request.query as Record<string, unknown>;
    const title = tell(language, 'callbacks.title');
    const main = html`${typeof resent === 'string' && html`<p class="notice done" role="status">${tell(language, 'callbacks.resent', { count: resent })}</p>`}
<h1>${title}</h1>
<p class="quiet">${tell(language, 'callbacks.summary', { failing: endpoints.length, waiting })}</p>
${
  rows.length === 0
    ? emptyState(tell(language, 'callbacks.none'), 'bin/rubrica callback list')
    : tableOf(
        HEAD.map((name) => tell(language, name)),
        rows,
        [3],
      )
}`;
    return send(200, { title, main });
  }),
};
