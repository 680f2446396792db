import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { selectAvailable } from '../../books/balance-queries.ts';
import { MERCHANT_PAYABLE, methodOfReceivable, SUSPENSE } from '../../books/journal-entry.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import { addUp, type Sum } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { type Decision, movementPosting } from '../../movements/movement.ts';
import type { SuspenseEntry } from '../../movements/movement-queries.ts';
import {
  findSuspense,
  newResolution,
  resolveImported,
  resolveSuspense,
  type SuspensePlace,
} from '../../movements/resolve-suspense.ts';
import { tableOf } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { alertNotice, doneNotice, type Fault, radioField, reasonField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';

const DECISIONS: readonly Decision[] = ['returned', 'kept'];

/** Shows money in suspense with the entries of each decision, and asks for one; or the decision that was made. */
export const getConsoleSuspense = consoleHandler(async (app, visit) => {
  const found = await findMoney(app, visit);
  if (found === null) return visit.send(404, notFoundPage(visit.language));
  return requireProof(app, visit, pathTo(visit)) ?? sendQuestion(app, visit, found.money, sealedOf(visit));
});

/** Records the decision, as `books resolve` does, after the second factor. */
export const postConsoleSuspense = consoleHandler(async (app, visit) => {
  const { language, request, by } = visit;
  const found = await findMoney(app, visit);
  if (found === null) return visit.send(404, notFoundPage(language));
  const { money, place } = found;
  const { decision: chosen = '', reason: text = '' } = fieldsOf(request);
  const [decision, reason] = [DECISIONS.find((one) => one === chosen), text.trim()];
  const typed = { decision: decision ?? '', reason };
  const asked = requireProof(app, visit, `${pathTo(visit)}?${typedQuery(visit, typed)}`);
  if (asked !== null) return asked;
  const refuse = (field: string, said: string) => sendQuestion(app, visit, money, typed, { status: 400, said, field });
  if (decision === undefined) return refuse('decision', tell(language, 'suspense.no_decision'));
  if (!isReason(reason)) return refuse('reason', tell(language, 'refund.no_reason'));
  const decided = { decision, reason, by };
  const { kind } =
    'transactionId' in place
      ? await resolveSuspense(app, place.transactionId, { ...decided, entry: place.entry })
      : await resolveImported(app, place, decided);
  if (kind !== 'different') return visit.goTo(pathTo(visit));
  const now = (await findSuspense(app, place)) ?? money;
  return sendQuestion(app, visit, now, {}, { status: 409, said: tell(language, 'suspense.other') });
});

/**
 * The money is named in the path by its entry, such as `12.0`, after its transaction (`t7-12.0`) or, if it belongs to
 * none, its environment (`e7-12.0`).
 */
const PLACE = /^([te])([1-9]\d{0,14})-(\d{1,15})\.(\d{1,4})$/;

function pathTo({ request }: ConsoleVisit): string {
  return `/suspense/${(request.params as { id: string }).id}`;
}

async function findMoney(app: App, { request }: ConsoleVisit) {
  const [, owner, id, link, line] = PLACE.exec((request.params as { id: string }).id) ?? [];
  if (owner === undefined) return null;
  const entry = `${link}.${line}`;
  const place: SuspensePlace =
    owner === 't' ? { transactionId: Number(id), entry } : { environmentId: Number(id), link: Number(link), entry };
  const money = await findSuspense(app, place);
  return money === null ? null : { money, place };
}

type Answer = Fault & { status: number };

async function sendQuestion(
  app: App,
  visit: ConsoleVisit,
  money: SuspenseEntry,
  typed: Record<string, string>,
  { status, ...fault }: Answer = { status: 200, said: '' },
): Promise<FastifyReply> {
  const { language, send, user } = visit;
  const { kind, name, environment, transaction_id, created_at } = money;
  const at = `${publicPath(app)}/console`;
  const amount = formatMoney(money.amount, money.currency);
  const title = tell(language, 'suspense.title', { amount });
  const facts = {
    merchant: name,
    environment: tell(language, environment === 'production' ? 'mode.production' : 'mode.development').toLowerCase(),
    method: methodOf(language, money),
    time: clockOf(created_at),
  };
  const main = html`<h1>${title}</h1>
${alertNotice(fault)}
<p>${tell(language, `suspense.${kind}`)}</p>
<p class="quiet">${tell(language, 'suspense.facts', facts)}</p>
${transaction_id !== null && user.may.has('payments:read') && html`<p><a href="${at}/payments/${transaction_id}">${tell(language, 'suspense.payment', { id: transaction_id })}</a></p>`}
${money.decision === null ? await questionForm(app, visit, money, { typed, fault }) : decidedNotice(language, money)}
<p class="actions"><a class="button" href="${at}/attention?kind=suspense">${tell(language, 'attention.title')}</a></p>`;
  const again = `${pathTo(visit)}${Object.keys(typed).length === 0 ? '' : `?${typedQuery(visit, typed)}`}`;
  return send(status, { title, main, again });
}

function decidedNotice(language: Language, { kind, decision, reason }: SuspenseEntry): Html {
  const values = { decision: decisionText(language, kind, decision ?? ''), reason: reason ?? '' };
  return doneNotice(tell(language, 'suspense.decided', values));
}

type Asked = { typed: Record<string, string>; fault: Fault };

async function questionForm(app: App, visit: ConsoleVisit, money: SuspenseEntry, { typed, fault }: Asked) {
  const { language } = visit;
  const { environment_id, currency } = money;
  const available = await selectAvailable(app.db, [environment_id], currency);
  const choices = DECISIONS.map(
    (decision) =>
      html`<label class="inline"><input type="radio" name="decision" value="${decision}" required${typed['decision'] === decision && html` checked`}> ${decisionText(language, money.kind, decision)}</label>`,
  );
  return html`${DECISIONS.map((decision) => entriesPart(language, money, decision, available))}
<p>${tell(language, 'suspense.final')}</p>
<form class="card pad" method="post" action="${publicPath(app)}/console${pathTo(visit)}">
${radioField(fault, 'decision', tell(language, 'suspense.what'), choices)}
${reasonField(language, fault, { value: typed['reason'] })}
<p class="actions"><button class="primary">${tell(language, 'suspense.confirm', { amount: formatMoney(money.amount, currency) })}</button></p></form>`;
}

/** Shows the entries that a decision adds to the books, and the merchant's money afterwards if it changes. */
function entriesPart(language: Language, money: SuspenseEntry, decision: Decision, available: Sum): Html {
  const resolution = newResolution(money, { decision, reason: '', recordedBy: '' }, 0);
  const [moved] = movementPosting(resolution, money.kind).transfers;
  if (moved === undefined) throw new Error('A resolution has no entry');
  const other = moved.debit === SUSPENSE ? moved.credit : moved.debit;
  // A merchant is owed more after a credit, and a method owes more after a debit.
  const isMore = (other === MERCHANT_PAYABLE) === (other === moved.credit);
  const change = isMore ? money.amount : -money.amount;
  const signed = (amount: number) => `${amount < 0 ? '' : '+'}${formatMoney(amount, money.currency)}`;
  const rows = [
    [tell(language, 'suspense.account'), signed(-money.amount)],
    [
      other === MERCHANT_PAYABLE
        ? tell(language, 'booked.merchant')
        : tell(language, 'booked.method', { method: methodOf(language, money) }),
      signed(change),
    ],
  ];
  return html`<h2>${tell(language, 'suspense.entries', { decision: decisionText(language, money.kind, decision) })}</h2>
${tableOf([tell(language, 'refund.account'), tell(language, 'column.amount')], rows, [1])}
${other === MERCHANT_PAYABLE && html`<p>${tell(language, 'refund.merchant_left', { amount: formatMoney(addUp([available, change]), money.currency) })}</p>`}`;
}

function methodOf(language: Language, { method_account }: SuspenseEntry): string {
  const code = methodOfReceivable(method_account);
  return methodName(language, { code });
}

function decisionText(language: Language, kind: SuspenseEntry['kind'], decision: string): string {
  return tellKind(language, `suspense.${kind}`, decision);
}
