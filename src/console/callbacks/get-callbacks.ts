import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { beginSentence } from '../../lib/begin-sentence.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { nextOfCallback } from '../../outbox/callback-state.ts';
import { listTroubled, type TroubledEndpoint } from '../../outbox/endpoints/list-troubled.ts';
import { receiverOf } from '../../outbox/webhooks/find-subscribers.ts';
import { sayWebhook } from '../../outbox/webhooks/say-webhook.ts';
import { emptyState, nextCell, testBadge } from '../console-format.ts';
import { askedOf, type Column, containsText, type Filter, readMatching, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { sealedOf } from '../kept-typing.ts';
import { countIn, doneNotice } from '../notice.ts';

const SHOWN = 500;

/**
 * Lists the endpoints that fail or were disabled: the merchant, since when, the cause, its fix, and the number of
 * callbacks that wait.
 */
export const getConsoleCallbacks = consoleHandler(async (app, visit) => {
  const { language } = visit;
  const asked = askedOf(visit);
  const { text = '', environment = '' } = asked;
  const resent = countIn(asked['resent']);
  const { rows, cut } = await readMatching(
    SHOWN,
    (limit) => listTroubled(app, limit, language),
    `${text}${environment}` === '' ? null : (endpoint) => matches(endpoint, text, environment),
  );
  return sendList<TroubledEndpoint>(visit, {
    title: tell(language, 'callbacks.title'),
    path: '/callbacks',
    columns: columnsFor(visit),
    cut,
    rows,
    filters: filtersIn(language),
    above: html`${resent !== null && doneNotice(tell(language, 'callbacks.resent', { count: resent }))}
${visit.user.may.has('callbacks:resend') && restForm(visit)}
${rows.length > 0 && html`<p class="quiet">${summaryOf(language, rows)}</p>`}`,
    empty: emptyState(visit, tell(language, 'callbacks.none'), 'bin/rubrica callback list'),
    noneSuch: emptyState(visit, tell(language, 'callbacks.none_found'), ''),
  });
});

/**
 * Shows a button that resends the rest of a large resend: it runs in parts, so that no page waits for ten thousand
 * callbacks.
 */
function restForm(visit: ConsoleVisit): Html | false {
  const { app, language } = visit;
  const rest = sealedOf(visit);
  if (rest['behind'] === undefined) return false;
  const fields = ['id', 'since', 'until', 'behind'].map(
    (name) => html`<input type="hidden" name="${name}" value="${rest[name] ?? ''}">`,
  );
  return html`<form class="actions" method="post" action="${publicPath(app)}/console/callbacks/resend">${fields}
<p>${tell(language, 'callbacks.more')}</p><button class="primary">${tell(language, 'callbacks.go_on')}</button></form>`;
}

function summaryOf(language: Language, rows: readonly TroubledEndpoint[]): string {
  const oldest = Math.min(...rows.map(sinceOf).filter((since) => since !== null));
  return tell(language, 'callbacks.summary', {
    failing: rows.length,
    waiting: rows.reduce((sum, one) => sum + one.waiting, 0),
    oldest: Number.isFinite(oldest) ? clockOf(oldest).slice(0, 16) : '—',
  });
}

function sinceOf({ failing_since, disabled_at }: TroubledEndpoint): number | null {
  return failing_since ?? disabled_at;
}

function matches(
  { name, address, environment, user_webhook: webhook }: TroubledEndpoint,
  text: string,
  kind: string,
): boolean {
  return containsText(text, [name, address, webhook?.email ?? '']) && (kind === '' || kind === environment);
}

function sayReceiver(language: Language, one: TroubledEndpoint): string | null {
  const receiver = receiverOf(one);
  return receiver === null ? null : sayWebhook(receiver)[language];
}

function filtersIn(language: Language): Filter[] {
  return [
    { name: 'text', text: 'list.filter_text', type: 'search' },
    {
      name: 'environment',
      text: 'callbacks.environment',
      type: [
        ['production', tell(language, 'mode.production')],
        ['development', tell(language, 'mode.development')],
      ],
    },
  ];
}

function columnsFor({ app, language }: ConsoleVisit): Column<TroubledEndpoint>[] {
  const at = `${publicPath(app)}/console/callbacks`;
  return [
    {
      name: 'address',
      text: 'column.address',
      value: ({ address }) => address,
      cell: (one) => {
        const said = sayReceiver(language, one);
        return html`<a class="code" href="${at}/${one.id}">${one.address}</a>${said !== null && html`<br>${said}`}`;
      },
    },
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ name }) => name,
      cell: ({ name, environment }) => html`${name}${testBadge(language, environment)}`,
    },
    {
      name: 'webhook',
      text: 'callbacks.webhook',
      value: (one) => sayReceiver(language, one),
      hidden: true,
    },
    { name: 'environment', text: 'callbacks.environment', value: ({ environment }) => environment, hidden: true },
    { name: 'since', text: 'column.failing_since', value: sinceOf, kind: 'time' },
    { name: 'waiting', text: 'column.waiting', value: ({ waiting }) => waiting, kind: 'number' },
    {
      name: 'cause',
      text: 'column.cause',
      value: ({ cause }) => cause?.cause ?? null,
      cell: ({ cause, redirected }) =>
        html`<div><strong>${beginSentence(cause?.cause ?? '—')}</strong>${redirected > 0 && html`<br>${tell(language, 'callbacks.redirected', { count: redirected })}`}<br>${cause?.fix ?? ''}</div>`,
    },
    { name: 'fix', text: 'callbacks.fix', value: ({ cause }) => cause?.fix ?? null, hidden: true },
    {
      name: 'next',
      text: 'column.next',
      kind: 'time',
      value: (one) => (one.disabled_at === null ? nextOfCallback(one, app.now()).next_attempt_at : null),
      cell: (one) =>
        one.disabled_at === null
          ? nextCell(language, nextOfCallback(one, app.now()))
          : tell(language, 'callbacks.disabled'),
    },
  ];
}
