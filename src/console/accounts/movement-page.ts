import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { selectAvailable } from '../../books/balance-queries.ts';
import { MERCHANT_PAYABLE, type Transfer } from '../../books/journal-entry.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import { addUp } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { type Movement, movementPosting, returnOf } from '../../movements/movement.ts';
import { type ListedMovement, selectListedMovement, selectReturn } from '../../movements/movement-queries.ts';
import { returnPayout } from '../../movements/return-movement.ts';
import { selectLineOf } from '../../statements/bank-statement-queries.ts';
import { returnDeposit } from '../../statements/return-deposit.ts';
import type { KeptLine } from '../../statements/statement.ts';
import { entriesTable } from '../attention/settle-form.ts';
import { actorText, testBadge, timeCell } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { alertNotice, type Fault, reasonField, resultNotice } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';

/** Shows a recorded deposit or payout to a merchant; to a person who may take it back, with the entries of that. */
export const getConsoleMovement = consoleHandler(async (app, visit) => {
  const movement = await visibleMovement(app, visit);
  if (movement === null) return visit.send(404, notFoundPage(visit.language));
  return sendMovement(app, visit, movement, sealedOf(visit)['reason']);
});

/** Takes it back, as `deposit return` and `payout return` do, after the second factor. */
export const postConsoleMovementReturn = consoleHandler(async (app, visit) => {
  const { language, by, request } = visit;
  const movement = await visibleMovement(app, visit);
  if (movement === null) return visit.send(404, notFoundPage(language));
  const reason = (fieldsOf(request)['reason'] ?? '').trim();
  const refuse = (status: number, fault: Fault) => sendMovement(app, visit, movement, reason, { status, ...fault });
  if (!isReason(reason)) return refuse(400, { said: tell(language, 'refund.no_reason'), field: 'reason' });
  const path = `/movements/${movement.id}`;
  const asked = requireProof(app, visit, `${path}?${typedQuery(visit, { reason })}`);
  if (asked !== null) return asked;
  const { kind, reference, payment_service_id: paymentServiceId, environment } = movement;
  const back = kind === 'payout' ? returnPayout : returnDeposit;
  const taken = await back(app, { paymentServiceId, environment }, { reference, reason, by });
  if (taken.kind === 'returned') return visit.goTo(`${path}?done=returned`);
  if (taken.kind === 'already') return visit.goTo(path);
  // The page says why it cannot be taken back, in place of the form.
  return refuse(409, { said: '' });
});

/** Returns the deposit or payout in the path; null: it does not exist, or the person may not see it. */
async function visibleMovement(app: App, { request, user }: ConsoleVisit): Promise<ListedMovement | null> {
  const movement = await selectListedMovement(app.db, (request.params as { id: string }).id);
  const isSeen = movement !== null && (user.environmentIds?.has(movement.environment_id) ?? true);
  return isSeen ? movement : null;
}

async function sendMovement(
  app: App,
  visit: ConsoleVisit,
  movement: ListedMovement,
  reason = '',
  { status, ...fault }: Fault & { status: number } = { status: 200, said: '' },
) {
  const { language, user, send } = visit;
  const { id, kind, reference } = movement;
  const back = await selectReturn(app.db, movement);
  const lines = await linesOf(app, movement);
  const title = tell(language, kind === 'deposit' ? 'back.deposit' : 'back.payout', { reference });
  const again = `/movements/${id}${reason === '' ? '' : `?${typedQuery(visit, { reason })}`}`;
  const mayTakeBack = back === null && user.may.has('movements:record');
  const main = html`${resultNotice(visit, { returned: 'back.done', recorded: 'recorded.done', replayed: 'recorded.before' })}${alertNotice(fault)}
<h1>${title}</h1>
${factsOf(app, visit, movement, lines)}
${back !== null && html`<p class="notice">${takenBackText(language, back)}</p>`}
${mayTakeBack && (await takeBackPart(app, visit, movement, { lines, reason, fault }))}`;
  return send(status, { title, main, again });
}

/** Returns the lines of bank statements by which it came or left, and came back. */
async function linesOf(app: App, { id, kind }: ListedMovement): Promise<KeptLine[]> {
  const uses = kind === 'deposit' ? (['deposit'] as const) : (['payout', 'return'] as const);
  const lines = await Promise.all(uses.map((use) => selectLineOf(app.db, use, [id])));
  return lines.filter((line) => line !== null);
}

function factsOf(app: App, { language }: ConsoleVisit, movement: ListedMovement, lines: readonly KeptLine[]): Html {
  const { name, environment, payment_method: code, amount, commission, currency } = movement;
  const { created_at, recorded_by } = movement;
  const kept = tell(language, 'recorded.commission', { amount: formatMoney(commission, currency) });
  return html`<div class="card pad narrow"><dl class="facts">
<dt>${tell(language, 'column.merchant')}</dt><dd>${name} ${testBadge(language, environment)}</dd>
<dt>${tell(language, 'back.amount')}</dt><dd><strong>${formatMoney(amount, currency)}</strong>${commission > 0 && html`<br>${kept}`}</dd>
${code !== null && html`<dt>${tell(language, 'column.method')}</dt><dd>${methodName(language, { code })}</dd>`}
<dt>${tell(language, 'back.recorded')}</dt><dd>${timeCell(created_at)}</dd>
<dt>${tell(language, 'back.by')}</dt><dd class="mail">${actorText(language, recorded_by)}</dd>
${lines.length > 0 && html`<dt>${tell(language, 'back.lines')}</dt><dd>${lines.map((line) => html`${lineLink(app, language, line)} `)}</dd>`}
</dl></div>`;
}

function lineLink(app: App, language: Language, line: KeptLine): Html {
  const { used_as, file_line } = line;
  const text = tell(language, 'back.line', { line: file_line, use: tellKind(language, 'use', used_as) });
  return html`<a href="${pathToLine(app, line)}">${text}</a>`;
}

/** The page of the statement, with the form that says what the line is instead. */
function pathToLine(app: App, { statement_id, used_as, file_line }: KeptLine): string {
  return `${publicPath(app)}/console/statements/${statement_id}?use=${used_as}&line=${file_line}`;
}

function takenBackText(language: Language, { created_at, recorded_by, reason }: Movement): string {
  const name = actorText(language, recorded_by);
  return tell(language, 'back.was', { time: clockOf(created_at), name, reason: reason ?? '' });
}

type Asked = { lines: readonly KeptLine[]; reason: string; fault: Fault };

/** Asks for the reason, below what the books will say; or says why it cannot be taken back. */
async function takeBackPart(
  app: App,
  { language }: ConsoleVisit,
  movement: ListedMovement,
  { lines, reason, fault }: Asked,
) {
  const { id, kind, amount, currency, payment_method, environment_id } = movement;
  const [line] = lines;
  if (kind === 'deposit' && line !== undefined && line.resolved_at === null) {
    const at = { line: line.file_line };
    return html`<p class="notice">${tell(language, 'back.matched', at)}</p>
<p class="actions"><a class="button" href="${pathToLine(app, line)}">${tell(language, 'back.line_wrong', at)}</a></p>`;
  }
  const available = await selectAvailable(app.db, [environment_id], currency);
  if (kind === 'deposit' && payment_method === null && amount > available)
    return html`<p class="notice">${tell(language, 'back.used', { amount: formatMoney(available, currency) })}</p>`;
  const { transfers } = movementPosting(returnOf(movement, { id: '', at: 0, by: '', reason: '' }));
  const entries = transfers.map(({ debit, credit, ...transfer }) => ({
    ...transfer,
    debit_account: debit,
    credit_account: credit,
  }));
  const change = changeOfMerchant(transfers);
  const left = { amount: formatMoney(addUp([available, change]), currency) };
  return html`<h2>${tell(language, 'back.title')}</h2>
<p>${tell(language, kind === 'deposit' ? 'back.deposit_when' : 'back.payout_when')}</p>
${line !== undefined && html`<p>${kind === 'deposit' ? tell(language, 'back.reopens', { line: line.file_line }) : tell(language, 'back.left')}</p>`}
${entriesTable(language, entries)}
${change !== 0 && html`<p>${tell(language, 'refund.merchant_left', left)}</p>`}
<p>${tell(language, 'back.stays')}</p>
<form class="card pad narrow" method="post" action="${publicPath(app)}/console/movements/${id}/return">
${reasonField(language, fault, { value: reason })}
<p class="actions"><button class="primary">${tell(language, 'back.do', { amount: formatMoney(amount, currency) })}</button></p></form>`;
}

/** Returns how much more the merchant is owed after these transfers, in minor units. */
function changeOfMerchant(transfers: readonly Transfer[]): number {
  const part = (account: string, amount: number) => (account === MERCHANT_PAYABLE ? amount : 0);
  return transfers.reduce((sum, { debit, credit, amount }) => sum + part(credit, amount) - part(debit, amount), 0);
}
