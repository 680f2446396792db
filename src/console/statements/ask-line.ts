import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import type { LinePreview } from '../../statements/preview-line.ts';
import { hashOfOpen } from '../../statements/resolve-line.ts';
import type { KeptLine, ListedStatement } from '../../statements/statement.ts';
import { afterwards } from '../accounts/record-by-hand.ts';
import { entriesTable } from '../attention/settle-form.ts';
import { tableOf } from '../console-format.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { typedQuery } from '../kept-typing.ts';
import { listMerchants } from '../merchants/visible-merchants.ts';
import { choicesFor } from './explain-forms.ts';

/** The fields that the question carries. */
const SENT = ['line', 'use', 'is', 'subject', 'commission', 'merchant', 'reason'] as const;

const SHOWN = 100;

type Typed = Readonly<Record<string, string>>;

/** Asks for confirmation of what a line is, with the entries that the books get for it. */
export async function sendLineQuestion(
  app: App,
  visit: ConsoleVisit,
  { id, payment_service_id }: ListedStatement,
  { line, preview, typed }: { line: KeptLine; preview: LinePreview; typed: Typed },
) {
  const { language, user } = visit;
  const { file_line, day, amount, currency } = line;
  const { entries, booked } = preview;
  const choice = choicesFor(app, language, line).find(([value]) => value === typed['is'])?.[1] ?? '';
  const named = typed['merchant'] || payment_service_id;
  const merchant = (await listMerchants(app, user)).find((one) => one.id === named)?.name;
  const commission = booked?.commission ?? 0;
  const fact = (text: ConsoleText, value: Html | string) => html`<dt>${tell(language, text)}</dt><dd>${value}</dd>`;
  return sendQuestion(app, visit, id, {
    title: tell(language, 'explain.question', { line: file_line, amount: formatMoney(Math.abs(amount), currency) }),
    typed,
    effect: html`<div class="card pad narrow"><dl class="facts">
${fact('explain.use', choice)}
${(typed['subject'] ?? '') !== '' && fact('statements.of', html`<span class="code">${typed['subject'] ?? ''}</span>`)}
${booked !== null && merchant !== undefined && fact('column.merchant', merchant)}
${fact('statements.day', day)}
${fact('column.amount', html`<strong>${formatMoney(amount, currency)}</strong>${commission > 0 && html`<br>${tell(language, 'recorded.commission', { amount: formatMoney(commission, currency) })}`}`)}
${fact('refund.reason', typed['reason'] ?? '')}
</dl></div>
${entriesTable(language, entries)}
${booked !== null && html`<p>${await afterwards(app, language, booked)}</p>`}`,
    confirm: tell(language, 'explain.save'),
  });
}

/** Asks whether all these lines are unrelated, with the charges and the credits apart. */
export function sendAllQuestion(
  app: App,
  visit: ConsoleVisit,
  { id }: ListedStatement,
  { lines, typed }: { lines: readonly KeptLine[]; typed: Typed },
) {
  const { language } = visit;
  const rowOf = (text: ConsoleText, some: readonly KeptLine[]) => [
    tell(language, text),
    some.length,
    formatMoney(
      some.reduce((sum, { amount }) => sum + Math.abs(amount), 0),
      'CLP',
    ),
  ];
  const credits = lines.filter(({ amount }) => amount > 0);
  const charges = lines.filter(({ amount }) => amount <= 0);
  const head = [tell(language, 'statements.side'), tell(language, 'statements.lines'), tell(language, 'column.amount')];
  const at = `${publicPath(app)}/console/statements/${id}?use=suspense&line=`;
  const list = credits
    .slice(0, SHOWN)
    .map(({ file_line, day, amount, currency }) => [
      html`<a href="${at}${file_line}#explain">${file_line}</a>`,
      html`<span class="whole">${day}</span>`,
      formatMoney(amount, currency),
    ]);
  const columns = [tell(language, 'column.line'), tell(language, 'statements.day'), tell(language, 'column.amount')];
  return sendQuestion(app, visit, id, {
    title: tell(language, 'statements.all_question', { n: lines.length }),
    typed: { ...typed, shown: hashOfOpen(lines) },
    effect: html`<p>${tell(language, 'statements.all_other_text')}</p>
<p>${tell(language, 'refund.reason')}: ${typed['reason'] ?? ''}</p>
${tableOf(head, [rowOf('statements.charges', charges), rowOf('statements.credits', credits)], [1, 2])}
${
  credits.length > 0 &&
  html`<p class="notice">${tell(language, 'statements.credits_unknown', { n: credits.length })}</p>
<h2>${tell(language, 'statements.credits')}</h2>${tableOf(columns, list, [0, 2])}
${credits.length > SHOWN && html`<p class="quiet">${tell(language, 'batch.more', { n: credits.length - SHOWN })}</p>`}`
}`,
    confirm: tell(language, 'statements.all_other_do', { n: lines.length }),
  });
}

type Question = { title: string; effect: Html; confirm: string; typed: Typed };

function sendQuestion(app: App, visit: ConsoleVisit, id: string, { title, effect, confirm, typed }: Question) {
  const { language, send } = visit;
  const fields = [...SENT, 'shown'].flatMap((name) =>
    typed[name] === undefined ? [] : [[name, typed[name]] as const],
  );
  const back = `/statements/${id}?${typedQuery(visit, typed)}`;
  const main = html`<h1>${title}</h1>
${effect}
<form class="actions" method="post" action="${publicPath(app)}/console/statements/${id}/uses">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<input type="hidden" name="confirm" value="yes">
<button class="primary">${confirm}</button>
<a class="button" href="${publicPath(app)}/console${back}">${tell(language, 'refund.back')}</a></form>`;
  return send(200, { title, main, again: back });
}
