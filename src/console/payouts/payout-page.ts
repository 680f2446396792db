import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { findPayout } from '../../payouts/find-payout.ts';
import { sayContradiction, sayReason } from '../../payouts/kept-texts.ts';
import { isPayoutState, PAYOUT_STATES, type Payout } from '../../payouts/payout.ts';
import { type HistoryLine, tellPayout } from '../../payouts/payout-history.ts';
import type { LineOfStatement } from '../../statements/bank-statement-queries.ts';
import { findLinesOfPayout } from '../../statements/find-statement.ts';
import { accountName } from '../attention/settle-form.ts';
import { actorText, clockTag, timeCell } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { type Fault, resultNotice } from '../notice.ts';
import { useBadge } from '../statements/bank-statement-list.ts';
import { accountTypeForm } from './account-type-form.ts';
import { DONE_WITH_PAYOUTS, decisionForm } from './decision-forms.ts';
import {
  accountTypeText,
  approverText,
  payoutBadges,
  type SeenPayout,
  seePayouts,
  signersText,
  verdictText,
  warningNotices,
} from './payout-cells.ts';
import { settleWay } from './settle-way.ts';

/** Shows one payout: the recipient, both accounts, the warnings, everything that happened, and the possible actions. */
export const getConsolePayout = consoleHandler((app, visit) => sendPayout(app, visit, 200, ''));

/** Sends the page of the payout in the path, with the refusal at the top. */
export async function sendPayout(app: App, visit: ConsoleVisit, status: number, refused: string | Fault) {
  const { language, user, request, send } = visit;
  const { id } = request.params as { id: string };
  const { payout, owner } = await findPayout(app, user.environmentIds, id);
  const [seen] = (await seePayouts(app, [payout])) as [SeenPayout];
  const money = formatMoney(payout.amount, payout.currency);
  const ofBank = user.may.has('books:read') ? await findLinesOfPayout(app, user.environmentIds, payout) : [];
  const lines = await tellPayout(
    app,
    payout,
    ofBank.map(({ statement_id }) => statement_id),
  );
  const main = html`${resultNotice(visit, DONE_WITH_PAYOUTS, refused)}
<div class="head"><div>
<p class="quiet">${seen.merchant} · <span class="code">${payout.id}</span></p>
<h1 class="amount">${money}</h1>
<p>${tell(language, 'payout.to', { name: seen.recipient?.name ?? tell(language, 'payout.erased') })} · <strong class="code">${payout.reference}</strong></p>
<div class="badges">${payoutBadges(language, seen)}</div>
</div></div>
${warningNotices(app, language, seen.warnings)}
<div class="columns">
<section aria-labelledby="timeline"><h2 id="timeline">${tell(language, 'payment.timeline')}</h2>
${timelineOf(language, seen, lines)}</section>
<div>
<h2>${tell(language, 'payment.facts')}</h2>
${factsOf(app, language, seen, ofBank)}
${settleWay(app, visit, { payout, owner }, ofBank)}
${decisionsOf(app, visit, seen, refused)}
${againWay(app, visit, seen)}
${accountTypeForm(app, visit, seen)}
</div>
</div>`;
  return send(status, { title: `${payout.reference} · ${money}`, main });
}

function timelineOf(language: Language, seen: SeenPayout, lines: readonly HistoryLine[]): Html {
  const { payout } = seen;
  const items = lines.map((line) => {
    const { at, reason } = line;
    const by = line.what === 'approved' && line.by === payout.approved_by ? approverText(language, payout) : line.by;
    return html`<li class="${toneOf(line)}">${clockTag(at)}
<strong>${titleOf(language, line)}</strong>${line.kind === 'entry' && html` · ${formatMoney(payout.amount, payout.currency)} · ${accountName(language, line.debit)} → ${accountName(language, line.credit)}`}${by !== null && html` · ${tell(language, 'line.by', { name: actorText(language, by) })}`}
${line.kind === 'state' && line.what === 'proposed' && html`<br><span class="quiet">${verdictAtProposal(language, payout)}</span>`}${reason !== null && html`<br><span class="quiet">${sayReason(reason)[language]}</span>`}</li>`;
  });
  return html`<ol class="timeline card">${items}</ol>`;
}

const DAY_MS = 86_400_000;

function verdictAtProposal(language: Language, payout: Payout): string {
  const days = Math.floor((payout.created_at - payout.validated_at) / DAY_MS);
  const verdict = tell(language, payout.verdict === 'confirmed' ? 'verdict.confirmed' : 'verdict.plausible');
  const changed = payout.account_changed_by === null ? '' : ` ${tell(language, 'payout.account_changed')}`;
  const then = days < 1 ? 'payout.verdict_then_new' : 'payout.verdict_then';
  return tell(language, then, { verdict, days }) + changed;
}

function titleOf(language: Language, line: HistoryLine): string {
  if (line.kind === 'state')
    return tell(language, line.what === 'proposed' ? 'payout.made' : `payout_state.${line.what}`);
  if (line.kind === 'entry') return tell(language, 'entry', { kind: tellKind(language, 'entry', line.what) });
  if (line.kind === 'contradiction') {
    const said = isPayoutState(line.what)
      ? tell(language, `payout_state.${line.what}`)
      : sayContradiction(line.what)[language];
    return tell(language, 'payout.contradiction', { state: said });
  }
  return tellKind(language, 'act', line.what);
}

function toneOf({ kind, what }: HistoryLine): string {
  if (kind === 'contradiction') return 'is-bad';
  if (kind === 'entry') return 'is-good';
  if (['rejected', 'failed', 'returned', 'cancelled'].includes(what)) return 'is-bad';
  if (['approved', 'confirmed'].includes(what)) return 'is-good';
  return ['awaiting_approval', 'unknown'].includes(what) ? 'is-warn' : '';
}

/** Links the lines of the bank's statements that are of the payout or repeat it. */
function statementLines(app: App, language: Language, lines: readonly LineOfStatement[]): Html | null {
  if (lines.length === 0) return null;
  return html`${lines.map(({ statement_id, file_name, file_line, used_as, day }, index) => {
    const at = `${publicPath(app)}/console/statements/${statement_id}?use=${used_as}`;
    const explains = used_as === 'suspense' ? `&line=${file_line}` : `&shown=${file_line}#line-${file_line}`;
    return html`${index > 0 && html`<br>`}<a href="${at}${explains}">${tell(language, 'payout.statement_line', { file: file_name, line: file_line })}</a>, ${day} ${useBadge(language, used_as)}`;
  })}`;
}

function factsOf(app: App, language: Language, seen: SeenPayout, ofBank: readonly LineOfStatement[]): Html {
  const { payout, recipient, bank } = seen;
  const at = `${publicPath(app)}/console`;
  const facts: [string, Html | string | null][] = [
    [
      tell(language, 'column.recipient'),
      recipient === null ? null : html`<a href="${at}/recipients/${recipient.id}">${recipient.name}</a>`,
    ],
    [tell(language, 'column.rut'), recipient?.rut ?? null],
    [tell(language, 'column.account'), html`${bank} <span class="code">${payout.account_masked}</span>`],
    [tell(language, 'account_type.title'), accountTypeText(language, seen)],
    [tell(language, 'column.verdict'), verdictText(language, seen)],
    [tell(language, 'payout.message'), payout.message || null],
    [tell(language, 'column.maker'), actorText(language, payout.proposed_by)],
    [tell(language, 'column.approver'), approverText(language, payout)],
    [
      tell(language, 'column.batch'),
      payout.batch_id === null ? null : html`<a href="${at}/batches/${payout.batch_id}">${payout.batch_id}</a>`,
    ],
    [
      tell(language, 'column.bank_file'),
      payout.file_id === null
        ? null
        : html`<a href="${at}/payout-files/${payout.file_id}">${payout.file_id}</a>, ${payout.file_line}`,
    ],
    [tell(language, 'payout.on_statement'), statementLines(app, language, ofBank)],
    [tell(language, 'column.created'), timeCell(payout.created_at)],
  ];
  return html`<div class="card pad"><dl class="facts">${facts
    .filter(([, fact]) => fact !== null)
    .map(([name, fact]) => html`<dt>${name}</dt><dd>${fact}</dd>`)}</dl></div>`;
}

/** Shows the decisions that the person may take in this state. */
function decisionsOf(app: App, visit: ConsoleVisit, seen: SeenPayout, refused: string | Fault): Html {
  const { language, user } = visit;
  const { payout, barred } = seen;
  const at = `${publicPath(app)}/console/payouts/${payout.id}`;
  const next = PAYOUT_STATES[payout.state];
  const may = (permission: 'payouts:approve' | 'payouts:create') => user.may.has(permission);
  const why = barred.get(user.id);
  return html`${
    next.includes('approved') &&
    html`<h2>${tell(language, 'decide.approval')}</h2>${
      !may('payouts:approve')
        ? html`<p class="quiet">${signersText(visit, [seen])}</p>`
        : why === undefined
          ? html`<p class="actions"><a class="button primary" href="${at}/approve">${tell(language, 'decide.approve')}</a></p>`
          : html`<p class="notice">${tell(language, 'decide.not_yours', { why: why[language] })}</p><p class="quiet">${signersText(visit, [seen])}</p>`
    }`
  }
${next.includes('rejected') && may('payouts:approve') && decisionForm(visit, { at, act: 'reject', refused })}
${next.includes('cancelled') && may('payouts:create') && decisionForm(visit, { at, act: 'cancel', refused })}`;
}

/**
 * Leads from a payout whose money is available again to its recipient, unless it is in doubt whether the money left, or
 * an equal payout was made: perhaps it was paid again already.
 */
function againWay(app: App, visit: ConsoleVisit, { payout, recipient, warnings }: SeenPayout): Html | false {
  const { language, user } = visit;
  if (warnings.some(({ code }) => code === 'SAME_AMOUNT')) return false;
  const isBack = (payout.state === 'failed' || payout.state === 'returned') && payout.contradiction === null;
  if (!isBack || recipient === null || !user.may.has('payouts:create')) return false;
  const to = `${publicPath(app)}/console/recipients/${recipient.id}`;
  return html`<h2>${tell(language, 'payout.again')}</h2>
<p class="quiet">${tell(language, 'payout.again_text')}</p>
<p class="actions"><a class="button" href="${to}">${tell(language, 'payout.again_to', { name: recipient.name })}</a></p>`;
}
