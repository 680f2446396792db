import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import type { DifferenceCause } from '../../books/explain-difference.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { addUp, readSum } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { acceptDifferences, showSettlement } from '../../movements/accept-difference.ts';
import {
  BOOKABLE_CAUSES,
  importCommandOf,
  type KeptDifference,
  type KeptSettlement,
  type SettlementSum,
} from '../../movements/settlement.ts';
import { actorText, tableOf, timeCell } from '../console-format.ts';
import { exportLinks, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { alertNotice, countIn, doneNotice, type Fault, reasonField } from '../notice.ts';
import { whoMay } from '../permission-texts.ts';
import { fieldsOf, lineNumberIn } from '../sign-in.ts';

/** Shows one file: its sums next to the sums in the books, and its differences by cause. */
export const getConsoleSettlement = consoleHandler((app, visit) => sendSettlement(app, visit, 200, { said: '' }));

/** Accepts the differences of a cause, with a reason, after the second factor. */
export const postConsoleAccept = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo, send } = visit;
  const { id } = request.params as { id: string };
  const { cause = '', number = '', reason: text = '' } = fieldsOf(request);
  const shown = await showSettlement(app, id);
  if (shown === null || !shown.differences.some((one) => one.cause === cause)) return send(404, notFoundPage(language));
  const one = lineNumberIn(number);
  const reason = text.trim();
  const typed = { cause, one: number, reason };
  if (!isReason(reason))
    return sendSettlement(
      app,
      visit,
      400,
      { said: tell(language, 'refund.no_reason'), field: reasonFor({ cause, one }) },
      typed,
    );
  const asked = requireProof(app, visit, `/settlements/${id}?${typedQuery(visit, typed)}`);
  if (asked !== null) return asked;
  const accepted = await acceptDifferences(app, {
    settlementId: id,
    cause: cause as DifferenceCause,
    number: one,
    line: null,
    reason,
    by,
  });
  return goTo(`/settlements/${id}?accepted=${accepted}`);
});

async function sendSettlement(
  app: App,
  visit: ConsoleVisit,
  status: number,
  fault: Fault,
  typed: Record<string, string> = sealedOf(visit, ['one']),
) {
  const { language, user, request, send } = visit;
  const { id } = request.params as { id: string };
  const shown = await showSettlement(app, id);
  if (shown === null) return send(404, notFoundPage(language));
  const { settlement, differences } = shown;
  if (formatOf(visit) !== null) return sendDifferences(visit, settlement, differences);
  const causes = [...Map.groupBy(differences, ({ cause }) => cause)];
  const { payment_method: code } = settlement;
  const { cause: typedFor = '', one = '', reason = '' } = typed;
  const isReplaced = settlement.replaced_at !== null;
  const accepting = { may: !isReplaced && user.may.has('movements:record'), typedFor, one, reason, fault };
  const main = html`${alertNotice(fault)}
${resultOf(visit)}
<div class="head"><h1>${settlement.file_name}</h1>${differences.length > 0 && exportLinks(visit, `/settlements/${id}`)}</div>
<p class="quiet">${settlement.first_day} – ${settlement.last_day} · ${methodName(language, { code })} · ${tell(language, 'settlement.kept', { name: actorText(language, settlement.kept_by) })} ${timeCell(settlement.kept_at)}</p>
${isReplaced && html`<p class="notice">${tell(language, 'settlement.replaced')} <a href="${publicPath(app)}/console/settlements">${tell(language, 'settlements.title')}</a></p>`}
${totalsTable(language, settlement)}
<p>${tell(language, 'settlement.matched', { n: settlement.matched })}</p>
<h2>${tell(language, 'settlement.by_cause')}</h2>
${!isReplaced && differences.some(({ accepted_at }) => accepted_at === null) && html`<p>${accepting.may ? tell(language, 'settlement.accept_text') : tell(language, 'settle.another', { who: whoMay(language, 'movements:record') })}</p>`}
${causes.length === 0 && html`<div class="card pad">${tell(language, 'settlement.no_differences')}</div>`}
${causes.map(([cause, of]) => causeSection(app, language, settlement, cause, of, accepting))}`;
  const again = `/settlements/${id}?${typedQuery(visit, { cause: typedFor, one, reason })}`;
  return send(status, { title: settlement.file_name, main, ...(reason !== '' && { again }) });
}

function resultOf({ language, request }: ConsoleVisit): Html {
  const asked = request.query as Record<string, unknown>;
  const accepted = countIn(asked['accepted']);
  const booked = countIn(asked['booked']);
  const declined = countIn(asked['declined']);
  return html`${accepted !== null && doneNotice(tell(language, accepted === 0 ? 'settlement.done_before' : 'settlement.done', { n: accepted }))}
${booked !== null && doneNotice(tell(language, 'book.done', { n: booked }))}
${declined !== null && html`<p class="notice" role="status">${tell(language, 'settlement.declined', { n: declined })}</p>`}`;
}

/** Sends every difference as a file. */
function sendDifferences(visit: ConsoleVisit, { id, file_name }: KeptSettlement, rows: readonly KeptDifference[]) {
  const { language } = visit;
  const money = (amount: number | null, currency: string) =>
    amount === null ? null : Number(formatPlain(amount, currency));
  return sendList<KeptDifference>(visit, {
    title: file_name,
    path: `/settlements/${id}`,
    columns: [
      { name: 'number', text: 'settlement.number', value: ({ number }) => number },
      { name: 'cause', text: 'column.cause', value: ({ cause }) => tell(language, `cause.${cause}`) },
      { name: 'line', text: 'column.line', value: ({ file_line }) => file_line },
      { name: 'day', text: 'column.days', value: ({ day }) => day },
      { name: 'reference', text: 'column.reference', value: ({ buy_order }) => buy_order },
      { name: 'transaction', text: 'column.transaction', value: ({ transaction_id }) => transaction_id },
      { name: 'settled', text: 'column.settled', value: ({ settled, currency }) => money(settled, currency) },
      { name: 'booked', text: 'column.booked', value: ({ booked, currency }) => money(booked, currency) },
      { name: 'currency', text: 'column.currency', value: ({ currency }) => currency },
      { name: 'entry', text: 'column.entry', value: ({ entry }) => entry },
      {
        name: 'accepted',
        text: 'settlement.accepted_by',
        value: ({ accepted_by }) => accepted_by && actorText(language, accepted_by),
      },
      { name: 'reason', text: 'column.reason', value: ({ reason }) => reason },
    ],
    rows,
    empty: html``,
  });
}

function totalsTable(language: Language, { totals }: KeptSettlement): Html {
  const sides = (['settled', 'booked', 'difference'] as const).map((name) => tell(language, `column.${name}`));
  const head = [tell(language, 'merchant.currency'), ...sides];
  const rows = (JSON.parse(totals) as SettlementSum[]).map(({ currency, settled, booked, difference }) => [
    currency,
    ...[settled, booked, difference].map((sum) => formatMoney(readSum(sum), currency)),
  ]);
  return tableOf(head, rows, [1, 2, 3]);
}

function causeSection(
  app: App,
  language: Language,
  settlement: KeptSettlement,
  cause: DifferenceCause,
  differences: readonly KeptDifference[],
  accepting: Accepting,
): Html {
  const sums = [...Map.groupBy(differences, ({ currency }) => currency)].map(([currency, of]) =>
    formatMoney(addUp(of.map(({ settled, booked }) => (settled ?? 0) - (booked ?? 0))), currency),
  );
  const open = differences.filter(({ accepted_at }) => accepted_at === null);
  const head = (['line', 'days', 'reference', 'settled', 'booked', 'entry', 'reason'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
  const command = importCommandOf(settlement);
  return html`<h3>${tell(language, `cause.${cause}`)} · ${differences.length} · ${sums.join(' · ')}</h3>
${cause === 'refund_missing_in_books' && html`<p class="quiet">${tell(language, 'settlement.chargebacks')}</p>`}
${
  BOOKABLE_CAUSES.includes(cause) &&
  html`${accepting.may && html`<p class="actions"><a class="button" href="${publicPath(app)}/console/settlements/${settlement.id}/book">${tell(language, 'settlement.book')}</a></p>`}
<p class="quiet">${tell(language, 'settlement.import', { command })}</p>`
}
${tableOf(
  head,
  differences.map((one) => cellsOf(app, language, one, accepting)),
  [3, 4],
)}
${
  accepting.may &&
  open.length > 0 &&
  html`<form class="card pad narrow" method="post" action="${publicPath(app)}/console/settlements/${settlement.id}/accept"><input type="hidden" name="cause" value="${cause}">
${reasonField(language, accepting.fault, { value: accepting.one === '' && accepting.typedFor === cause ? accepting.reason : '', as: reasonFor({ cause, one: null }) })}
<p class="actions"><button>${tell(language, 'settlement.accept')} (${open.length})</button></p></form>`
}`;
}

function cellsOf(app: App, language: Language, one: KeptDifference, accepting: Accepting): (Html | string)[] {
  const { file_line, day, buy_order, settled, booked, currency, entry, transaction_id } = one;
  const money = (amount: number | null) => (amount === null ? '—' : formatMoney(amount, currency));
  return [
    String(file_line ?? '—'),
    day,
    transaction_id === null
      ? (buy_order ?? '—')
      : html`<a href="${publicPath(app)}/console/payments/${transaction_id}">${buy_order ?? transaction_id}</a>`,
    money(settled),
    money(booked),
    entry ?? '—',
    acceptCell(app, language, one, accepting),
  ];
}

/**
 * Whether the person may accept, the number of the one line to accept, and the reason typed for a cause or for that
 * line.
 */
type Accepting = { may: boolean; typedFor: string; one: string; reason: string; fault: Fault };

/** Returns how `Fault` names the reason for a cause, or for one of its differences. */
function reasonFor({ cause, one }: { cause: string; one: number | null }): string {
  return `reason-${one ?? cause}`;
}

/** Shows who accepted a line and why, or the link to accept this line alone. */
function acceptCell(app: App, language: Language, one: KeptDifference, accepting: Accepting): Html | string {
  const { settlement_id, number, cause, accepted_by, reason } = one;
  if (accepted_by !== null)
    return tell(language, 'settlement.accepted', { name: actorText(language, accepted_by), reason: reason ?? '' });
  if (!accepting.may) return '—';
  const at = `${publicPath(app)}/console/settlements/${settlement_id}`;
  if (String(number) !== accepting.one) {
    return html`<a id="d${number}" href="${at}?one=${number}#d${number}">${tell(language, 'settlement.accept_one')}…</a>`;
  }
  return html`<form id="d${number}" method="post" action="${at}/accept"><input type="hidden" name="cause" value="${cause}"><input type="hidden" name="number" value="${number}">
${reasonField(language, accepting.fault, { value: accepting.reason, as: reasonFor({ cause, one: number }) })}
<p class="actions"><button class="primary">${tell(language, 'settlement.accept_one')}</button></p></form>`;
}
