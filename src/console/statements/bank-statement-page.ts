import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { findOverlapping, findStatement, readLines } from '../../statements/find-statement.ts';
import { NOTHING_KNOWN, sayNote } from '../../statements/line-notes.ts';
import { type KeptLine, LINE_USES, type LineUse, type ListedStatement } from '../../statements/statement.ts';
import { actorText, tableOf, timeCell } from '../console-format.ts';
import { type Column, exportLinks, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { listMerchants } from '../merchants/visible-merchants.ts';
import { alertNotice, countIn, doneNotice, type Fault } from '../notice.ts';
import { whoMay } from '../permission-texts.ts';
import { merchantOf, proofBadge, sumsText, useBadge } from './bank-statement-list.ts';
import { allOtherForm, explainForm, subjectCell } from './explain-forms.ts';

const SHOWN = 500;

/** Shows one statement: its proof, the use of its lines, and the files that it overlaps. */
export const getConsoleStatement = consoleHandler((app, visit) => sendStatement(app, visit, 200, { said: '' }));

/**
 * Sends the page of the statement in the path, or its lines as a file; the refusal is at the top. `asked`: a filter by
 * use, the line to explain, and the fields typed for it.
 */
export async function sendStatement(
  app: App,
  visit: ConsoleVisit,
  status: number,
  fault: Fault,
  asked: Record<string, string> = sealedOf(visit, ['use', 'line', 'shown']),
) {
  const { language, user, request, send } = visit;
  const { id } = request.params as { id: string };
  const { use: value = '' } = asked;
  const use = LINE_USES.find((one) => one === value) ?? null;
  const statement = await findStatement(app, user.environmentIds, id);
  const lines = await readLines(app, id, null);
  const chosen = use === null ? lines : lines.filter(({ used_as }) => used_as === use);
  const path = `/statements/${id}`;
  // Otherwise the page would show all lines as if each had that use.
  if (use === null && value !== '') {
    const said = tell(language, 'list.wrong_filter', { value, name: tell(language, 'statements.use') });
    const all = html`<p class="actions"><a class="button" href="${publicPath(app)}/console${path}">${tell(language, 'list.all')}</a></p>`;
    return send(400, { title: statement.file_name, main: html`${alertNotice(said)}${all}`, again: path });
  }
  if (formatOf(visit) !== null) {
    const columns = columnsOf(visit);
    return sendList<KeptLine>(visit, { title: statement.file_name, path, columns, rows: chosen, empty: html`` });
  }
  const overlapping = await findOverlapping(app, user.environmentIds, statement);
  const merchants = new Map((await listMerchants(app, user)).map(({ id: one, name }) => [one, name]));
  const at = `${publicPath(app)}/console${path}`;
  const mayExplain = user.may.has('movements:record');
  const explained = mayExplain ? lines.find((line) => String(line.file_line) === asked['line']) : undefined;
  const known = statement.lines - lines.length;
  const unknown = lines.filter(({ used_as, note }) => used_as === 'suspense' && note === NOTHING_KNOWN).length;
  const main = html`${fault.said === '' ? noticeOf(visit) : alertNotice(fault)}
<div class="head"><div>
<p class="quiet">${merchantOf(language, merchants, statement)} · <span class="code">${id}</span></p>
<h1>${statement.file_name}</h1>
<p>…${statement.account.slice(-4)} · ${statement.first_day} – ${statement.last_day} · ${proofBadge(language, statement.proof)}</p>
<p>${sumsText(language, lines)} · ${tell(language, 'line.by', { name: actorText(language, statement.imported_by) })} · ${timeCell(statement.imported_at)}</p>
<p class="quiet code">SHA-256 ${statement.file_sha256}</p>
</div>${exportLinks(visit, path)}</div>
${known > 0 && html`<p class="notice">${tell(language, 'statements.known', { n: known })}</p>`}
${overlapping.length > 0 && html`<p>${tell(language, 'statements.overlaps')} ${overlapping.map((one) => overlapLink(app, one))}</p>`}
<p class="badges">${usesOf(lines).map(([name, count]) => html`<a href="${at}?use=${name}">${useBadge(language, name)} ${count}</a> `)}${use !== null && html`<a class="button" href="${at}">${tell(language, 'filter.any')}</a>`}</p>
${explained !== undefined && (await explainForm(app, visit, statement, { line: explained, typed: asked, fault }))}
<h2>${tell(language, 'statements.lines_of')}</h2>
<p class="quiet">${tell(language, 'statements.kept_without_text')}</p>
${chosen.length === 0 ? html`<div class="card pad">${tell(language, 'statements.no_lines')}</div>` : lineTable(app, visit, shownOf(chosen, asked['shown']), mayExplain)}
${chosen.length > SHOWN && html`<p class="quiet">${tell(language, 'statements.lines_more', { n: chosen.length - SHOWN })}</p>`}
${!mayExplain && lines.some(({ used_as }) => used_as === 'suspense') && html`<p class="quiet">${tell(language, 'settle.another', { who: whoMay(language, 'movements:record') })}</p>`}
${mayExplain && unknown > 0 && allOtherForm(app, visit, statement, { unknown, typed: explained === undefined ? asked : {}, fault })}`;
  const again = `${path}?${typedQuery(visit, asked)}`;
  return send(status, { title: statement.file_name, main, ...(status !== 200 && { again }) });
}

/** Returns the first lines; if the line that a link names is not among them, the lines from it on. */
function shownOf(lines: readonly KeptLine[], named = ''): readonly KeptLine[] {
  const at = lines.findIndex((line) => String(line.file_line) === named);
  const from = at < SHOWN ? 0 : at;
  return lines.slice(from, from + SHOWN);
}

function noticeOf({ request, language }: ConsoleVisit): Html | false {
  const { done, resolved, line } = request.query as Record<string, unknown>;
  const [reopened, count] = [countIn(line), countIn(resolved)];
  if (done === 'reopened' && reopened !== null)
    return doneNotice(tell(language, 'statements.reopened', { line: reopened }));
  if (done === 'imported') return doneNotice(tell(language, 'statements.done'));
  return count !== null && doneNotice(tell(language, 'statements.resolved', { n: count }));
}

function usesOf(lines: readonly KeptLine[]): [LineUse, number][] {
  return LINE_USES.flatMap((use) => {
    const count = lines.filter(({ used_as }) => used_as === use).length;
    return count === 0 ? [] : [[use, count] as [LineUse, number]];
  });
}

function overlapLink(app: App, { id, file_name, first_day, last_day }: ListedStatement): Html {
  return html`<a href="${publicPath(app)}/console/statements/${id}">${file_name}</a> (${first_day} – ${last_day}) `;
}

function lineTable(app: App, { language, user }: ConsoleVisit, lines: readonly KeptLine[], mayExplain: boolean): Html {
  const head = [
    tell(language, 'column.line'),
    tell(language, 'statements.day'),
    tell(language, 'column.amount'),
    tell(language, 'statements.use'),
    tell(language, 'statements.of'),
    tell(language, 'statements.note'),
  ];
  const rows = lines.map((line) => [
    html`<span id="line-${line.file_line}">${line.file_line}</span>`,
    html`<span class="whole">${line.day}</span>`,
    formatMoney(line.amount, line.currency),
    useBadge(language, line.used_as),
    subjectCell(app, line, user),
    whyCell(app, language, line, mayExplain),
  ]);
  return tableOf(head, rows, [0, 2]);
}

function whyCell(app: App, language: ConsoleVisit['language'], line: KeptLine, mayExplain: boolean): Html | string {
  const { reason, resolved_by, used_as, statement_id, file_line } = line;
  const at = `${publicPath(app)}/console/statements/${statement_id}?use=${used_as}&line=${file_line}`;
  const act = used_as === 'suspense' ? 'explain.do' : used_as === 'other' ? 'explain.again' : 'explain.wrong';
  const way = mayExplain && html`<br><a href="${at}">${tell(language, act)}</a>`;
  if (reason !== null)
    return html`<span>${reason}<br><span class="quiet mail">${actorText(language, resolved_by)}</span>${way}</span>`;
  const why = noteText(language, line);
  return html`<span>${why === '' && used_as !== 'suspense' ? '—' : why}${way}</span>`;
}

function noteText(language: ConsoleVisit['language'], { note }: KeptLine): string {
  return note === null ? '' : sayNote(note)[language];
}

function columnsOf({ language }: ConsoleVisit): Column<KeptLine>[] {
  return [
    { name: 'number', text: 'column.line', value: ({ file_line }) => file_line },
    { name: 'day', text: 'statements.day', value: ({ day }) => day },
    { name: 'amount', text: 'column.amount', value: ({ amount, currency }) => Number(formatPlain(amount, currency)) },
    { name: 'currency', text: 'column.currency', value: ({ currency }) => currency },
    { name: 'use', text: 'statements.use', value: ({ used_as }) => tell(language, `use.${used_as}`) },
    { name: 'of', text: 'statements.of', value: ({ subject }) => subject },
    { name: 'note', text: 'statements.note', value: (line) => line.reason ?? noteText(language, line) },
    {
      name: 'by',
      text: 'statements.said_by',
      value: ({ resolved_by }) => resolved_by && actorText(language, resolved_by),
    },
  ];
}
