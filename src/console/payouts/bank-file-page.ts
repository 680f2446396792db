import { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import { describeEvidence } from '../../lib/evidence-file.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { environmentOf } from '../../payment-services/find-environment.ts';
import { BANK_FILES } from '../../payout-senders/bank-files.ts';
import { findPayoutFile } from '../../payouts/files/find-payout-file.ts';
import type { PayoutFile } from '../../payouts/files/payout-file-queries.ts';
import type { ReadResults } from '../../payouts/files/read-results.ts';
import { openContent } from '../../payouts/files/seal-payout-file.ts';
import { sayReason } from '../../payouts/kept-texts.ts';
import { compareOutcome, PAYOUT_CURRENCY, PAYOUT_STATES, type Payout, type PayoutState } from '../../payouts/payout.ts';
import { selectPayoutsOfFile } from '../../payouts/payout-queries.ts';
import { settlePayouts } from '../../payouts/settling/settle-payouts.ts';
import { actorText, badge, tableOf, timeCell } from '../console-format.ts';
import { exportLinks, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { formRefusal } from '../form-refusal.ts';
import { alertNotice, countIn, doneNotice, type Fault, formField } from '../notice.ts';
import { sureBadge } from './bank-file-list.ts';
import { carriedFile, MOST_FILE_BYTES, readSentFile, type SentFile, sayUnusable } from './kept-upload.ts';
import {
  accountCell,
  invalidDetail,
  payoutBadges,
  recipientCell,
  type SeenPayout,
  seePayouts,
  stateBadge,
} from './payout-cells.ts';
import { payoutColumns } from './payout-list.ts';

const SHOWN = 500;

/** Shows one file: its lines with their results, a download, and a form for the bank's result. */
export const getConsolePayoutFile = consoleHandler((app, visit) => sendFile(app, visit, 200, { said: '' }));

/** Sends the same bytes that the file had when it was created. */
export const getConsolePayoutFileContent = consoleHandler(async (app, visit) => {
  const file = await fileOf(app, visit);
  return visit.reply
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', `attachment; filename="${file.name}"`)
    .header('cache-control', 'no-store')
    .send(openContent(app, file));
});

/** Shows what a bank's result would change; with `confirm` applies it, after the second factor. */
export const postConsolePayoutResults = consoleHandler(async (app, visit) => {
  const { language, user, by, request, goTo } = visit;
  const file = await fileOf(app, visit);
  const asked = requireProof(app, visit, `/payout-files/${file.id}?done=proved`);
  if (asked !== null) return asked;
  const upload = await readSentFile(request);
  const { fields, file: sent } = upload;
  if (sent === null || sent.content.length > MOST_FILE_BYTES)
    return sendFile(app, visit, 400, { said: sayUnusable(language, upload), field: 'file' });
  try {
    const { readResults } = await import('../../payouts/files/read-results.ts');
    const payouts = await selectPayoutsOfFile(app.db, file.environment_id, file.id);
    const results = await readInTurn(app, user, () => readResults(app, Readable.from([sent.content]), payouts));
    if (fields['confirm'] === undefined) return await sendEffect(app, visit, file, { payouts, results, sent });
    const owner = await environmentOf(app, file);
    const evidence = describeEvidence(sent.name, sent.content);
    const { settled, already, contradicted } = await settlePayouts(app, {
      owner,
      by,
      outcomes: results.outcomes,
      evidence,
      file: file.id,
    });
    const counts = { settled: settled.length, already: already.length, contradicted: contradicted.length };
    const query = Object.entries(counts).map(([name, count]) => `${name}=${count}`);
    return await goTo(`/payout-files/${file.id}?${query.join('&')}`);
  } catch (error) {
    const { status, said } = formRefusal(language, error);
    const why = invalidDetail(language, error);
    const fault = why === null ? { said } : { said: tell(language, 'results.unread', { why }), field: 'file' };
    return sendFile(app, visit, status, fault);
  }
});

function fileOf(app: App, { user, request }: ConsoleVisit): Promise<PayoutFile> {
  const { id } = request.params as { id: string };
  return findPayoutFile(app, user.environmentIds, id);
}

/** Sends every line with its result as a file: the columns of a list of payouts after the line number. */
async function sendLines(app: App, visit: ConsoleVisit, file: PayoutFile, payouts: readonly Payout[]) {
  return sendList<SeenPayout>(visit, {
    title: file.name,
    path: `/payout-files/${file.id}`,
    columns: [
      { name: 'line', text: 'column.line', value: ({ payout }) => payout.file_line },
      ...payoutColumns(app, visit.language),
    ],
    rows: await seePayouts(app, payouts),
    empty: html``,
  });
}

async function sendFile(app: App, visit: ConsoleVisit, status: number, fault: Fault) {
  const { language, user, send } = visit;
  const file = await fileOf(app, visit);
  const format = BANK_FILES.find(({ code }) => code === file.format);
  const payouts = await selectPayoutsOfFile(app.db, file.environment_id, file.id);
  if (formatOf(visit) !== null) return sendLines(app, visit, file, payouts);
  const seen = await seePayouts(app, payouts.slice(0, SHOWN));
  const at = `${publicPath(app)}/console/payout-files/${file.id}`;
  const head = (['line', 'payout', 'recipient', 'account', 'amount', 'state', 'reason'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
  const rows = seen.map((one) => [
    String(one.payout.file_line ?? '—'),
    html`<a class="code" href="${publicPath(app)}/console/payouts/${one.payout.id}">${one.payout.reference}</a>`,
    recipientCell(language, one),
    accountCell(one.bank, one.payout.account_masked),
    formatMoney(one.payout.amount, one.payout.currency),
    html`<span>${payoutBadges(language, one)}</span>`,
    one.payout.reason === null ? '—' : sayReason(one.payout.reason)[language],
  ]);
  const isTest = seen[0]?.isTest === true;
  const main = html`${fault.said === '' ? noticeOf(visit, isTest) : alertNotice(fault)}
${isTest && html`<p class="notice">${tell(language, 'files.test')}</p>`}
<div class="head"><div>
<p class="quiet">${seen[0]?.merchant ?? ''} · <span class="code">${file.id}</span></p>
<h1 class="code">${file.name}</h1>
<p>${format?.means[language] ?? file.format} ${format !== undefined && sureBadge(language, format.sure)}</p>
<p>${tell(language, 'batch.sum', { n: file.payouts, amount: formatMoney(file.total, PAYOUT_CURRENCY) })} · ${tell(language, 'line.by', { name: actorText(language, file.made_by) })} · ${timeCell(file.created_at)}</p>
<p class="quiet code">SHA-256 ${file.sha256}</p>
<div class="badges">${statesIn(payouts).map(([state, count]) => stateBadge(language, state, count))}</div>
</div><div>${mayAny(user.may, readWith('payouts:create')) && html`<p class="exports"><a class="button" download href="${at}/content">${tell(language, 'files.download')}</a></p>`}
${exportLinks(visit, `/payout-files/${file.id}`)}</div></div>
${tableOf(head, rows, [0, 4])}
${payouts.length > SHOWN && html`<p class="quiet">${tell(language, 'batch.more', { n: payouts.length - SHOWN })}</p>`}
${
  user.may.has('movements:record') &&
  html`<h2>${tell(language, 'results.title')}</h2>
<p class="quiet">${tell(language, 'results.text')}</p>
<form class="card pad narrow" method="post" enctype="multipart/form-data" action="${at}/results">
${formField(fault, 'file', (attributes) => html`<label>${tell(language, 'upload.file')}<input type="file" name="file" required accept=".csv,.txt,.xlsx,.xls"${attributes}></label>`)}
<p class="actions"><button class="primary">${tell(language, 'results.look')}</button></p></form>`
}`;
  return send(status, { title: file.name, main });
}

/** Counts payouts by state, in the order of the states. */
function statesIn(payouts: readonly Payout[]): [PayoutState, number][] {
  const byState = Map.groupBy(payouts, ({ state }) => state);
  const states = Object.keys(PAYOUT_STATES) as PayoutState[];
  return states.flatMap((state) => {
    const count = byState.get(state)?.length ?? 0;
    return count === 0 ? [] : [[state, count] as [PayoutState, number]];
  });
}

function noticeOf({ request, language }: ConsoleVisit, isTest: boolean): Html | false {
  const { done, settled, already, contradicted } = request.query as Record<string, unknown>;
  // A person comes back from the second factor without the file that they chose.
  if (done === 'proved') return alertNotice(tell(language, 'results.file_again'));
  if (done === 'filed') return doneNotice(tell(language, isTest ? 'files.test_done' : 'files.done'));
  const [n, same, against] = [settled, already, contradicted].map(countIn);
  if (n === null || n === undefined) return false;
  return html`<p class="notice${against === 0 && html` done`}" role="status">${tell(language, 'results.done', { n, same: same ?? 0, against: against ?? 0 })}</p>`;
}

type Effect = { payouts: readonly Payout[]; results: ReadResults; sent: SentFile };

/** Shows each line of the result next to its payout, before anything changes. */
async function sendEffect(app: App, visit: ConsoleVisit, file: PayoutFile, { payouts, results, sent }: Effect) {
  const { language, send } = visit;
  const byId = new Map((await seePayouts(app, payouts)).map((seen) => [seen.payout.id, seen]));
  const at = `${publicPath(app)}/console/payout-files/${file.id}`;
  const rows = results.outcomes.flatMap(({ id, outcome, reason }) => {
    const seen = byId.get(id);
    if (seen === undefined) return [];
    const { payout } = seen;
    return [
      [
        html`<span class="code">${payout.reference}</span>`,
        recipientCell(language, seen),
        formatMoney(payout.amount, payout.currency),
        html`<span>${payoutBadges(language, seen)}</span>`,
        effectOf(language, payout, outcome),
        reason === null ? '—' : sayReason(reason)[language],
      ],
    ];
  });
  const head = (['payout', 'recipient', 'amount', 'state', 'effect', 'reason'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
  const ended = new Set(results.outcomes.map(({ id }) => id));
  const open = payouts.filter(({ id, state }) => ['sent', 'unknown'].includes(state) && !ended.has(id));
  const news = results.outcomes.filter(({ id, outcome }) => {
    const seen = byId.get(id);
    return seen !== undefined && compareOutcome(seen.payout.state, outcome) !== 'already';
  });
  const title = tell(language, 'results.preview', { n: rows.length });
  const main = html`<h1>${title}</h1>
<p>${sent.name} · <span class="code">${file.name}</span></p>
${results.unmatched.length > 0 && html`<p class="notice">${tell(language, 'results.unmatched', { lines: linesText(language, results.unmatched) })}</p>`}
${results.unclear.length > 0 && html`<p class="notice">${tell(language, 'results.unclear', { lines: linesText(language, results.unclear) })}</p>`}
${open.length > 0 && html`<p class="notice">${tell(language, 'results.open', { n: open.length, which: referencesText(open) })}</p>`}
${rows.length > 0 && news.length === 0 && html`<p class="notice">${tell(language, 'results.nothing')}</p>`}
${tableOf(head, rows.slice(0, SHOWN), [2])}
${rows.length > SHOWN && html`<p class="quiet">${tell(language, 'upload.more', { n: rows.length - SHOWN })}</p>`}
<form class="actions" method="post" enctype="multipart/form-data" action="${at}/results">
${carriedFile(sent)}<input type="hidden" name="confirm" value="yes">
${news.length > 0 && html`<button class="primary">${tell(language, 'results.confirm', { n: news.length })}</button>`}
<a class="button" href="${at}">${tell(language, 'refund.back')}</a></form>`;
  return send(200, { title, main });
}

function effectOf(language: Language, { state }: Payout, outcome: Payout['state']): Html {
  const said = tell(language, `payout_state.${outcome}`);
  const effect = compareOutcome(state, outcome);
  if (effect === 'already') return badge('calm', tell(language, 'results.already', { said }));
  if (effect === 'settles') return badge(outcome === 'confirmed' ? 'good' : 'warn', `→ ${said}`);
  return badge('bad', tell(language, 'results.contradicts', { said }));
}

function referencesText(payouts: readonly Payout[]): string {
  const some = payouts.slice(0, 50).map(({ reference }) => reference);
  return `${some.join(', ')}${payouts.length > 50 ? ' …' : ''}`;
}

/** Returns the lines by number. Without the word "line" a single number reads as a count. */
function linesText(language: Language, lines: readonly number[]): string {
  const numbers = `${lines.slice(0, 50).join(', ')}${lines.length > 50 ? ' …' : ''}`;
  return tell(language, lines.length === 1 ? 'results.line' : 'results.lines', { numbers });
}
