import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { addUp } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { type BatchLine, tellBatch } from '../../payouts/batch-history.ts';
import { findBatch, type ListedBatch, listPayouts, newestBatches, sumEach } from '../../payouts/find-payout.ts';
import { sayReason } from '../../payouts/kept-texts.ts';
import type { Payout, PayoutState } from '../../payouts/payout.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import type { PayoutBatch } from '../../payouts/payout-batch-queries.ts';
import { MOST_IN_BATCH } from '../../payouts/payout-wish.ts';
import { actorText, clockTag, emptyState, tableOf, timeCell } from '../console-format.ts';
import {
  amountColumns,
  askedOf,
  type Column,
  containsText,
  exportLinks,
  readMatching,
  sendList,
} from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { type Fault, resultNotice } from '../notice.ts';
import { DONE_WITH_PAYOUTS, decisionForm } from './decision-forms.ts';
import {
  accountCell,
  accountTypeText,
  payoutBadges,
  recipientCell,
  type SeenPayout,
  seePayouts,
  signersText,
  stateBadge,
  statesColumn,
  statesFilter,
  warningNotices,
} from './payout-cells.ts';
import { payoutColumns } from './payout-list.ts';

const SHOWN = 200;

/** Lists the newest batches, with the count of payouts in each state. */
export const getConsoleBatches = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { text = '', state = '' } = askedOf(visit);
  const { rows: batches, cut } = await readMatching(
    SHOWN,
    (limit) => newestBatches(app, user.environmentIds, state, { limit }),
    text === '' ? null : ({ id, name, proposed_by }) => containsText(text, [id, name, proposed_by]),
  );
  return sendList<ListedBatch>(visit, {
    title: tell(language, 'batches.title'),
    path: '/batches',
    columns: batchColumns(app, language),
    cut,
    rows: await sumEach(app, batches),
    filters: [{ name: 'text', text: 'list.filter_text', type: 'search' }, statesFilter(language)],
    above:
      user.may.has('payouts:create') &&
      html`<p class="actions"><a class="button primary" href="${publicPath(app)}/console/payouts/upload">${tell(language, 'upload.title')}</a></p>`,
    empty: emptyState(
      visit,
      tell(language, user.may.has('payouts:create') ? 'batches.none_yet' : 'batches.none'),
      'bin/rubrica payout propose nomina.csv --payment-service ID --as EMAIL',
    ),
  });
});

/** Shows one batch: its payouts, their warnings, and the decisions about all of them. */
export const getConsoleBatch = consoleHandler((app, visit) => sendBatch(app, visit, 200, ''));

/** Sends the page of the batch in the path, or its payouts as a file; the refusal is at the top. */
export async function sendBatch(app: App, visit: ConsoleVisit, status: number, refused: string | Fault) {
  const { language, user, request, send } = visit;
  const { id } = request.params as { id: string };
  const { batch, sums, owner } = await findBatch(app, user.environmentIds, id);
  const payouts = await listPayouts(app, new Set([owner.id]), { batchId: id }, { limit: MOST_IN_BATCH });
  const seen = await seePayouts(app, payouts);
  if (formatOf(visit) !== null) {
    const columns = payoutColumns(app, language);
    return sendList<SeenPayout>(visit, {
      title: batch.name,
      path: `/batches/${id}`,
      columns,
      rows: seen,
      empty: html``,
    });
  }
  const name = batch.name || id;
  const total = formatMoney(addUp(payouts.map(({ amount }) => amount)), PAYOUT_CURRENCY);
  const odd = seen.filter(({ warnings }) => warnings.length > 0);
  const main = html`${resultNotice(visit, DONE_WITH_PAYOUTS, refused)}
<div class="head"><div>
<p class="quiet">${seen[0]?.merchant ?? ''} · <span class="code">${id}</span></p>
<h1>${name}</h1>
<p>${tell(language, 'batch.sum', { n: payouts.length, amount: total })} · ${tell(language, 'line.by', { name: actorText(language, batch.proposed_by) })} · ${timeCell(batch.created_at)}</p>
<div class="badges">${sums.map(({ state, count }) => stateBadge(language, state, count))}</div>
</div>${exportLinks(visit, `/batches/${id}`)}</div>
${decisionsOf(app, visit, batch, seen)}
<h2>${tell(language, 'payment.timeline')}</h2>
${historyOf(app, language, await tellBatch(app, batch))}
${odd.length > 0 && html`<h2>${tell(language, 'batch.odd', { n: odd.length })}</h2>${odd.slice(0, SHOWN).map((one) => oddOne(app, language, one))}`}
<h2>${tell(language, 'payouts.title')}</h2>
${payoutTable(app, language, seen, 'batch.more')}
${rejection(app, visit, batch, { payouts, refused })}`;
  return send(status, { title: name, main });
}

/** Shows whom the payouts pay, their accounts and amounts. `more`: the text about the payouts that are not shown. */
export function payoutTable(
  app: App,
  language: Language,
  seen: readonly SeenPayout[],
  more: 'batch.more' | 'decide.more',
): Html {
  const head = (['payout', 'recipient', 'account', 'amount', 'state'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
  const rows = seen
    .slice(0, SHOWN)
    .map((one) => [
      html`<a class="code" href="${publicPath(app)}/console/payouts/${one.payout.id}">${one.payout.reference}</a>`,
      recipientCell(language, one),
      accountCell(one.bank, one.payout.account_masked, accountTypeText(language, one)),
      formatMoney(one.payout.amount, one.payout.currency),
      html`<span>${payoutBadges(language, one)}</span>`,
    ]);
  return html`${tableOf(head, rows, [3])}
${seen.length > SHOWN && html`<p class="quiet">${tell(language, more, { n: seen.length - SHOWN })}</p>`}`;
}

/** Shows who proposed, approved, rejected or took back the batch, why, and the bank files in which it left. */
function historyOf(app: App, language: Language, lines: readonly BatchLine[]): Html {
  const items = lines.map(
    ({ at, what, by, payouts, reason, file }) => html`<li>${clockTag(at)}
<strong>${tell(language, what === 'proposed' ? 'payout.made' : `payout_state.${what}`)}</strong>${payouts !== null && html` · ${tell(language, 'batch.count', { n: payouts })}`} · ${tell(language, 'line.by', { name: actorText(language, by) })}${
      file !== null && html`<br><a class="code" href="${publicPath(app)}/console/payout-files/${file}">${file}</a>`
    }${reason !== null && html`<br><span class="quiet">${sayReason(reason)[language]}</span>`}</li>`,
  );
  return html`<ol class="timeline card">${items}</ol>`;
}

function oddOne(app: App, language: Language, { payout, warnings }: SeenPayout): Html {
  return html`<p><a class="code" href="${publicPath(app)}/console/payouts/${payout.id}">${payout.reference}</a></p>${warningNotices(app, language, warnings)}`;
}

/** Shows the forms for the next step. Nobody approves payouts that they proposed. */
function decisionsOf(
  app: App,
  visit: ConsoleVisit,
  { id, environment_id }: PayoutBatch,
  seen: readonly SeenPayout[],
): Html {
  const { language, user } = visit;
  const at = `${publicPath(app)}/console/batches/${id}`;
  const waiting = seen.filter(({ payout }) => payout.state === 'awaiting_approval');
  const why = waiting.map(({ barred }) => barred.get(user.id)).find((one) => one !== undefined);
  const mayApprove = user.may.has('payouts:approve');
  const approval =
    waiting.length > 0 &&
    (!mayApprove
      ? html`<p class="quiet">${signersText(visit, waiting)}</p>`
      : why === undefined
        ? html`<p class="actions"><a class="button primary" href="${at}/approve">${tell(language, 'decide.approve')} (${waiting.length})</a></p>`
        : html`<p class="notice">${tell(language, 'decide.not_yours', { why: why[language] })}</p><p class="quiet">${signersText(visit, waiting)}</p>`);
  // A provider looks at its payouts by itself; the others wait for a file.
  const waitsForFile = seen.some(({ payout }) => payout.state === 'approved' && payout.next_look_at === null);
  const file = new URLSearchParams({ of: String(environment_id), batch: id });
  const isDraft = seen.some(({ payout }) => payout.state === 'draft') && user.may.has('payouts:create');
  return html`${approval}${
    waitsForFile &&
    user.may.has('payouts:create') &&
    html`<p class="actions"><a class="button primary" href="${publicPath(app)}/console/payout-files/new?${String(file)}">${tell(language, 'files.make')}</a></p>`
  }${
    isDraft &&
    html`<form method="post" action="${at}/submit"><p class="quiet">${tell(language, 'batch.draft')}</p><button class="primary">${tell(language, 'decide.submit')}</button></form>`
  }`;
}

type Rejected = { payouts: readonly Payout[]; refused: string | Fault };

/** Shows the form that rejects or cancels the batch, if a payout can still be rejected or cancelled. */
function rejection(app: App, visit: ConsoleVisit, { id }: PayoutBatch, { payouts, refused }: Rejected): Html {
  const { user } = visit;
  const at = `${publicPath(app)}/console/batches/${id}`;
  const has = (...states: PayoutState[]) => payouts.some(({ state }) => states.includes(state));
  return html`<div class="narrow">${has('awaiting_approval') && user.may.has('payouts:approve') && decisionForm(visit, { at, act: 'reject', refused })}
${has('draft', 'awaiting_approval', 'approved') && user.may.has('payouts:create') && decisionForm(visit, { at, act: 'cancel', refused })}</div>`;
}

function batchColumns(app: App, language: Language): Column<ListedBatch>[] {
  const amountOf = ({ sums }: ListedBatch) => addUp(sums.map(({ amount }) => amount));
  return [
    {
      name: 'name',
      text: 'column.batch',
      value: ({ batch }) => batch.name,
      cell: ({ batch }) =>
        html`<a href="${publicPath(app)}/console/batches/${batch.id}">${batch.name === '' ? batch.id : batch.name}</a>`,
    },
    { name: 'id', text: 'column.batch_id', value: ({ batch }) => batch.id, hidden: true },
    {
      name: 'count',
      text: 'payouts.title',
      kind: 'number',
      value: ({ sums }) => sums.reduce((count, sum) => count + sum.count, 0),
    },
    ...amountColumns<ListedBatch>((row) => ({ amount: amountOf(row), currency: PAYOUT_CURRENCY })),
    statesColumn(language),
    { name: 'created', text: 'column.created', kind: 'time', value: ({ batch }) => batch.created_at },
    { name: 'maker', text: 'column.maker', value: ({ batch }) => actorText(language, batch.proposed_by) },
  ];
}
