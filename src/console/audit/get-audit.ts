import type { AuditFilter } from '../../audit/audit-queries.ts';
import { type ListedAct, listAudit } from '../../audit/list-audit.ts';
import { publicPath } from '../../http/assets.ts';
import type { Operation } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { emptyState, tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { consoleHandler } from '../console-visit.ts';

const SHOWN = 100;

const HEAD: readonly ConsoleText[] = ['column.when', 'column.who', 'column.what', 'column.subject', 'column.reason'];

/** Who did what, to what, from where and why: the newest acts. */
export const getConsoleAudit: Operation = {
  handle: consoleHandler(async (app, { language, request, send }) => {
    const filter = filterOf(request.query as Record<string, unknown>);
    const { acts, next } = await listAudit(app, filter, SHOWN);
    const title = tell(language, 'audit.title');
    const older = next === null ? '' : `?${String(new URLSearchParams({ ...wordsOf(filter), before: String(next) }))}`;
    const main = html`<h1>${title}</h1>
${
  acts.length === 0
    ? emptyState(tell(language, 'audit.none'), 'bin/rubrica audit list')
    : tableOf(
        HEAD.map((name) => tell(language, name)),
        acts.map(cellsOf),
      )
}
${older !== '' && html`<p class="actions"><a class="button" href="${publicPath(app)}/console/audit${older}">${tell(language, 'payments.next')}</a></p>`}`;
    return send(200, { title, main });
  }),
};

function filterOf(query: Record<string, unknown>): AuditFilter {
  const { who, action, subject, before } = query;
  return {
    ...(typeof who === 'string' && { who }),
    ...(typeof action === 'string' && { action }),
    ...(typeof subject === 'string' && { subject }),
    ...(typeof before === 'string' && /^\d{1,15}$/.test(before) && { before: Number(before) }),
  };
}

function wordsOf({ who, action, subject }: AuditFilter): Record<string, string> {
  return {
    ...(who !== undefined && { who }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
  };
}

function cellsOf({ at, who, action, subject, before, after, reason }: ListedAct): (Html | string)[] {
  const said = [before, after].filter((value) => value !== null).map((value) => JSON.stringify(value));
  return [
    timeCell(at),
    html`<a href="?who=${encodeURIComponent(who.name)}">${who.name}</a>${who.from !== null && html`<br><span class="quiet">${who.from}</span>`}`,
    html`<span class="code">${action}</span>${said.length > 0 && html`<br><span class="code quiet">${said.join(' → ')}</span>`}`,
    html`<span class="code">${subject.kind} ${subject.id}</span>`,
    reason ?? '—',
  ];
}
