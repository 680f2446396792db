import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { beginSentence } from '../../lib/begin-sentence.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import { type Diagnosis, diagnoseEndpoint } from '../../outbox/endpoints/diagnose-endpoint.ts';
import type { EndpointAnswer } from '../../outbox/endpoints/endpoint-answer-queries.ts';
import { inLanguage, type ReceiverLines } from '../../outbox/endpoints/receiver-lines.ts';
import { receiverOf } from '../../outbox/webhooks/find-subscribers.ts';
import { sayWebhook } from '../../outbox/webhooks/say-webhook.ts';
import { emptyState, tableOf, testBadge, timeCell } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { causeText, type Fault, formField } from '../notice.ts';

/** Shows one endpoint: the diagnosis, its last responses, and the possible actions. */
export const getConsoleEndpoint = consoleHandler((app, visit) => {
  const { id } = visit.request.params as { id: string };
  return sendEndpoint(app, visit, id, { status: 200, said: false });
});

/** `days`: the fault in the days of the form that resends, and the days as they were typed. */
type Shown = { status: number; said: Html | false; days?: Fault & Days };
type Days = { since: string; until: string };

/** Sends the page of an endpoint, with `said` at the top. */
export async function sendEndpoint(app: App, visit: ConsoleVisit, id: string, { status, said, days }: Shown) {
  const { language, send } = visit;
  const diagnosis = /^\d{1,15}$/.test(id) ? await diagnoseEndpoint(app, Number(id), language, clockOf) : null;
  if (diagnosis === null) return send(404, notFoundPage(language));
  const { endpoint, answers, lines } = diagnosis;
  const webhook = receiverOf(diagnosis);
  const at = `${publicPath(app)}/console`;
  const main = html`${said}<p class="quiet">${endpoint.name}${testBadge(language, endpoint.environment)}</p>
<h1 class="code">${endpoint.address}</h1>
${webhook !== null && html`<p>${sayWebhook(webhook)[language]}</p>`}
${verdict(language, diagnosis)}
<div class="columns"><div>
<h2>${tell(language, 'doctor.answers')}</h2>
${answers.length === 0 ? emptyState(visit, tell(language, 'doctor.no_answers'), 'bin/rubrica callback show ID') : answerTable(visit, at, answers)}
${lines !== null && linesSection(language, lines)}
</div><div>
${visit.user.may.has('callbacks:resend') && forms(at, language, endpoint.id, days)}
${diagnosis.found !== null && messageSection(language, diagnosis)}
</div></div>`;
  return send(status, { title: endpoint.address, main });
}

function verdict(language: Language, { endpoint, found, others, took }: Diagnosis): Html {
  if (found === null) return html`<p class="notice done">${tell(language, 'doctor.fine')}</p>`;
  const { failing_since: since } = endpoint;
  return html`<p class="notice">${causeText(found)}</p>
<p class="quiet">${since !== null && tell(language, 'doctor.since', { since: clockOf(since) })}
${took !== null && tell(language, 'doctor.took', { callback: took.callback, at: clockOf(took.at), ms: took.duration_ms })}
${others.map((other) => tell(language, 'doctor.also', other))}</p>`;
}

function answerTable(visit: ConsoleVisit, at: string, answers: readonly EndpointAnswer[]): Html {
  const { language } = visit;
  const head = tellAll(language, [
    'doctor.callback',
    'column.transaction',
    'column.when',
    'doctor.answer',
    'doctor.duration',
  ]);
  const rows = answers.map((answer) => {
    const cause = causeOf(answer.url, answer, language);
    return [
      html`<span class="code">${answer.callback}</span>`,
      transactionCell(visit, at, answer.transaction_id),
      timeCell(answer.at),
      html`<div>${cause === null ? (answer.status ?? '—') : beginSentence(cause.cause)}${
        answer.excerpt !== null &&
        answer.excerpt !== '' &&
        html`<details><summary>${tell(language, 'doctor.page')}</summary><pre>${answer.excerpt.slice(0, 500)}</pre></details>`
      }</div>`,
      answer.duration_ms,
    ];
  });
  return tableOf(head, rows, [4]);
}

/** Id 0: a post about a payout. */
function transactionCell({ user }: ConsoleVisit, at: string, id: number): Html | number | string {
  if (id === 0) return '—';
  return user.may.has('payments:read') ? html`<a href="${at}/payments/${id}">${id}</a>` : id;
}

const LANGUAGES: readonly [keyof ReceiverLines, string][] = [
  ['php', 'PHP'],
  ['node', 'Node'],
  ['python', 'Python'],
];

function linesSection(language: Language, lines: ReceiverLines): Html {
  const parts = LANGUAGES.map(
    ([key, name], at) =>
      html`<details${at === 0 && html` open`}><summary>${name}</summary><pre>${inLanguage(language, lines[key])}</pre></details>`,
  );
  return html`<h2>${tell(language, 'doctor.lines')}</h2><div class="card pad">${parts}</div>`;
}

function forms(
  at: string,
  language: Language,
  id: number,
  days: Fault & Days = { said: '', since: '', until: '' },
): Html {
  return html`<h2>${tell(language, 'callbacks.resend_range')}</h2>
<form class="card pad" method="post" action="${at}/callbacks/resend">
<p class="quiet">${tell(language, 'callbacks.resend_range_text')}</p>
<input type="hidden" name="id" value="${id}">
${formField(days, 'since', (attributes) => html`<label>${tell(language, 'filter.since')}<input type="date" name="since" value="${days.since}"${attributes}></label>`)}
<label>${tell(language, 'filter.until')}<input type="date" name="until" value="${days.until}"></label>
<p class="actions"><button class="primary">${tell(language, 'callbacks.resend_button')}</button></p>
</form>
<h2>${tell(language, 'doctor.test')}</h2>
<form class="card pad" method="post" action="${at}/callbacks/${id}/test">
<p class="quiet">${tell(language, 'doctor.test_text')}</p>
<button>${tell(language, 'doctor.test_button')}</button>
</form>`;
}

/** Writes the message that support sends to the shop: the facts, the cause and the fix. */
function messageSection(language: Language, { endpoint, found, answers, lines }: Diagnosis): Html {
  const { failing_since: since } = endpoint;
  const ids = answers.map(({ transaction_id }) => transaction_id).filter((id) => id !== 0);
  const orders = ids.slice(0, 5);
  const text = [
    `${endpoint.address}: ${found?.cause}.`,
    ...(since === null ? [] : [tell(language, 'doctor.since', { since: clockOf(since) })]),
    ...(orders.length === 0 ? [] : [`${tell(language, 'column.transaction')}: ${orders.join(', ')}.`]),
    found?.fix ?? '',
    ...(lines === null ? [] : ['', inLanguage(language, lines.php)]),
  ].join('\n');
  return html`<h2>${tell(language, 'doctor.message')}</h2>
<div class="card pad"><p class="quiet">${tell(language, 'doctor.message_text')}</p><pre>${text}</pre></div>`;
}
