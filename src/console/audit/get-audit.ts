import type { AuditFilter } from '../../audit/audit-queries.ts';
import { type ListedAct, listAudit } from '../../audit/list-audit.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { html } from '../../http/html.ts';
import { emptyState } from '../console-format.ts';
import { type Column, formatOf, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { consoleHandler } from '../console-visit.ts';

const SHOWN = 100;
/** A file has more than one page. */
const EXPORTED = 10_000;

/** The newest acts: who did what, to what, from where and why. */
export const getConsoleAudit: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, request } = visit;
    const filter = filterOf(request.query as Record<string, unknown>);
    const { acts, next } = await listAudit(app, filter, formatOf(visit) === null ? SHOWN : EXPORTED);
    const older = next === null ? '' : `?${String(new URLSearchParams({ ...wordsOf(filter), before: String(next) }))}`;
    return sendList<ListedAct>(visit, {
      title: tell(language, 'audit.title'),
      path: '/audit',
      columns: COLUMNS,
      rows: acts,
      filters: [
        { name: 'who', text: 'column.who', type: 'search' },
        { name: 'action', text: 'column.what', type: 'search' },
        { name: 'subject', text: 'column.subject', type: 'search' },
      ],
      paged: next !== null || filter.before !== undefined,
      empty: emptyState(tell(language, 'audit.none'), 'bin/rubrica audit list'),
      below:
        older !== '' &&
        html`<p class="actions"><a class="button" href="${publicPath(app)}/console/audit${older}">${tell(language, 'payments.next')}</a></p>`,
    });
  }),
};

const COLUMNS: readonly Column<ListedAct>[] = [
  { name: 'at', text: 'column.when', value: ({ at }) => at, kind: 'time' },
  {
    name: 'who',
    text: 'column.who',
    value: ({ who }) => who.name,
    cell: ({ who }) =>
      html`<a href="?who=${encodeURIComponent(who.name)}">${who.name}</a>${who.from !== null && html`<br><span class="quiet">${who.from}</span>`}`,
  },
  { name: 'from', text: 'column.from', value: ({ who }) => who.from, hidden: true },
  {
    name: 'action',
    text: 'column.what',
    value: ({ action }) => action,
    cell: (act) =>
      html`<span class="code">${act.action}</span>${changeOf(act) !== '' && html`<br><span class="code quiet">${changeOf(act)}</span>`}`,
  },
  { name: 'change', text: 'column.change', value: changeOf, hidden: true },
  {
    name: 'subject',
    text: 'column.subject',
    value: ({ subject }) => `${subject.kind} ${subject.id}`,
    cell: ({ subject }) => html`<span class="code">${subject.kind} ${subject.id}</span>`,
  },
  { name: 'reason', text: 'column.reason', value: ({ reason }) => reason },
];

function changeOf({ before, after }: ListedAct): string {
  const said = [before, after].filter((value) => value !== null).map((value) => JSON.stringify(value));
  return said.join(' → ');
}

function filterOf(query: Record<string, unknown>): AuditFilter {
  const { who, action, subject, before } = query;
  return {
    ...(typeof who === 'string' && who !== '' && { who }),
    ...(typeof action === 'string' && action !== '' && { action }),
    ...(typeof subject === 'string' && subject !== '' && { subject }),
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
