import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import type { Owner } from '../../books/journal-queries.ts';
import { listOwners } from '../../books/list-books.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { LANGUAGE_TAGS } from '../../http/page.ts';
import { askVerification, readVerification, type VerificationState } from '../../proof/ask-verification.ts';
import type { ReportLine, VerificationReport } from '../../proof/verification-report.ts';
import { actorText, minuteOf, tableOf, testBadge, timeCell } from '../console-format.ts';
import { type ConsoleText, tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { alertNotice } from '../notice.ts';
import { whoMay } from '../permission-texts.ts';
import { nameFound, nameWork, sayFeeInSpanish } from './found-texts.ts';

const PATH = '/verification';

/** Shows the verification of the books that is under way, and what the last one compared and found. */
export const getConsoleVerification = consoleHandler((app, visit) => sendVerification(app, visit));

/** Asks for a verification, which a worker carries out. */
export const postConsoleVerification = consoleHandler(async (app, visit) => {
  if (await askVerification(app, visit.by)) return visit.goTo(PATH);
  return sendVerification(app, visit, 409);
});

async function sendVerification(app: App, visit: ConsoleVisit, status = 200): Promise<FastifyReply> {
  const { language, send } = visit;
  const state = await readVerification(app);
  const ids = new Set(state.report?.lines.flatMap(({ environment_id: id }) => (id === null ? [] : [id])));
  const owners = await listOwners(app, [...ids]);
  const title = tell(language, 'verify.title');
  const main = html`${status === 409 && alertNotice(tell(language, 'verify.already'))}
<h1>${title}</h1>
${verdictPart(visit, state)}
${state.asked === null ? askForm(app, visit, state) : runningPart(app, visit, state.asked)}
${state.report !== null && reportPart(visit, state.report, owners)}
<p class="quiet">${tell(language, 'verify.audit')} <code>bin/rubrica audit verify</code></p>`;
  return send(status, { title, main, again: PATH });
}

/** Shows whether the last verification found everything right, and when it ended. */
function verdictPart({ language }: ConsoleVisit, { report, ended_at }: VerificationState): Html {
  if (report === null || ended_at === null) return html`<p class="notice">${tell(language, 'verify.never')}</p>`;
  const count = Object.values(report.found).reduce((sum, one) => sum + one, 0);
  const says = report.ok
    ? tell(language, 'verify.right')
    : tell(language, 'verify.wrong', { count: countText(language, count) });
  return html`<p class="notice${report.ok && ' done'}" role="status">${says}</p>
<p>${tell(language, 'verify.ended', { at: minuteOf(ended_at) })}</p>`;
}

function askForm(app: App, { language, user }: ConsoleVisit, { failed_at }: VerificationState): Html {
  const failed = failed_at !== null && tell(language, 'verify.failed', { at: minuteOf(failed_at) });
  return html`${failed !== false && alertNotice(failed)}
<p class="quiet">${tell(language, 'verify.what')}</p>
${
  user.may.has('audit:read')
    ? html`<form method="post" action="${publicPath(app)}/console${PATH}"><p class="actions"><button class="primary">${tell(language, 'verify.now')}</button></p></form>`
    : html`<p class="quiet">${tell(language, 'verify.another', { who: whoMay(language, 'audit:read') })}</p>`
}`;
}

type Asked = NonNullable<VerificationState['asked']>;

function runningPart(app: App, { language }: ConsoleVisit, { at, by, begun_at, progress }: Asked): Html {
  const says: ConsoleText = begun_at === null ? 'verify.waits' : 'verify.runs';
  return html`<p class="notice" role="status">${tell(language, says, { by: actorText(language, by), at: minuteOf(begun_at ?? at) })}</p>
${progress !== null && html`<p>${progressText(language, progress)}</p>`}
<p><a href="${publicPath(app)}/console${PATH}">${tell(language, 'verify.reload')}</a></p>`;
}

function progressText(
  language: ConsoleVisit['language'],
  { what, rows, part }: NonNullable<Asked['progress']>,
): string {
  const facts = { what: nameWork(language, what), rows: countText(language, rows) };
  if (part === null) return tell(language, 'verify.progress', facts);
  return tell(language, 'verify.progress_part', { ...facts, percent: Math.floor(Math.min(1, part) * 100) });
}

function reportPart(visit: ConsoleVisit, report: VerificationReport, owners: ReadonlyMap<number, Owner>): Html {
  const { language } = visit;
  const { entries, environments, facts, events, waiting, callbacks, users, older, acts, anchors } = report;
  const said = (count: number) => countText(language, count);
  const rows: readonly (readonly [ConsoleText, string])[] = [
    ['verify.entries', tell(language, 'verify.entries_in', { entries: said(entries), count: environments })],
    ['verify.facts', said(facts)],
    [
      'verify.events',
      waiting === 0
        ? said(events)
        : tell(language, 'verify.events_waiting', { events: said(events), waiting: said(waiting) }),
    ],
    ['verify.callbacks', said(callbacks)],
    [
      'verify.users',
      older === 0 ? said(users) : tell(language, 'verify.users_older', { users: said(users), older: said(older) }),
    ],
    ['verify.acts', said(acts)],
    ['verify.anchors', said(anchors)],
    ...report.outside.map((source) => ['verify.outside', outsideText(language, source)] as const),
  ];
  const isAlone = report.outside.every((source) => source.anchors === 0);
  return html`${foundPart(visit, report, owners)}
<h2>${tell(language, 'verify.compared')}</h2>
<div class="card pad"><dl class="facts">${rows.map(([name, value]) => html`<dt>${tell(language, name)}</dt><dd>${value}</dd>`)}</dl></div>
${isAlone && html`<p class="notice">${tell(language, 'verify.alone')}</p>`}`;
}

function countText(language: ConsoleVisit['language'], count: number): string {
  return count.toLocaleString(LANGUAGE_TAGS[language]);
}

function outsideText(language: ConsoleVisit['language'], source: VerificationReport['outside'][number]): string {
  const { anchors: count, first_day: first, last_day: last } = source;
  if (count === 0) return tell(language, 'verify.outside_none', { source: source.source });
  return tell(language, 'verify.outside_days', { count, source: source.source, first: first ?? '', last: last ?? '' });
}

/** Shows a table for each kind of finding. */
function foundPart(
  visit: ConsoleVisit,
  { lines, found }: VerificationReport,
  owners: ReadonlyMap<number, Owner>,
): Html {
  const { language } = visit;
  if (lines.length === 0) return html``;
  const head = tellAll(language, ['column.finding', 'column.merchant', 'verify.since']);
  const parts = [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const count = found[kind] ?? ofKind.length;
    const more = html`<p class="quiet">${tell(language, 'verify.first', { n: ofKind.length })} <code>bin/rubrica books verify --json</code></p>`;
    return html`<h3>${tell(language, 'verify.kind', { name: nameFound(language, kind), count: countText(language, count) })}</h3>
${tableOf(
  head,
  ofKind.map((line) => lineCells(visit, line, owners)),
)}${count > ofKind.length && more}`;
  });
  return html`<h2>${tell(language, 'verify.found')}</h2>${parts}`;
}

function lineCells({ language }: ConsoleVisit, line: ReportLine, owners: ReadonlyMap<number, Owner>): Html[] {
  const { en, es, environment_id: id, since } = line;
  const owner = id === null ? undefined : owners.get(id);
  const merchant =
    owner === undefined ? html`${id ?? '—'}` : html`${owner.name}${testBadge(language, owner.environment)}`;
  const says = language === 'es' ? (es ?? sayFeeInSpanish(line)) : en;
  return [says === null ? html`<span lang="en">${en}</span>` : html`${says}`, merchant, timeCell(since)];
}
