import { AUDIT_ACTIONS } from '../../audit/audit-action.ts';
import type { AuditFilter } from '../../audit/audit-queries.ts';
import type { ListedAct } from '../../audit/list-audit.ts';
import { mayAny, type Needed, type Permission, readWith } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import { actorText, emptyState, typedActor } from '../console-format.ts';
import { askedOf, type Column, EXPORTED, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { actionsLike, detailsOf, reasonOfAct, sayAction } from './act-details.ts';
import { findActs, MOST_FOUND } from './find-acts.ts';
import { nameOfSubject, sayWhich } from './subject-kinds.ts';

const SHOWN = 100;

/** Lists the newest acts: who did what, to what, from where and why. */
export const getConsoleAudit = consoleHandler(async (app, visit) => {
  const { language } = visit;
  const { before = '', ...asked } = askedOf(visit);
  const filter = filterOf(asked, before);
  const { who = '', action = '' } = asked;
  const wish = {
    filter,
    who: typedActor(language, who),
    actions: isKnown(action) ? [] : actionsLike(language, action),
  };
  const { acts, next, isCut } = await findActs(app, wish, formatOf(visit) === null ? SHOWN : EXPORTED);
  const older = new URLSearchParams({ ...asked, before: String(next ?? '') });
  return sendList<ListedAct>(visit, {
    title: tell(language, 'audit.title'),
    path: '/audit',
    columns: columnsFor(visit),
    rows: acts,
    filters: [
      { name: 'who', text: 'column.who', type: 'search' },
      { name: 'action', text: 'column.what', type: 'search' },
      { name: 'subject', text: 'column.subject', type: 'search' },
      { name: 'since', text: 'filter.since', type: 'date' },
      { name: 'until', text: 'filter.until', type: 'date' },
    ],
    above: isCut && html`<p class="notice">${tell(language, 'audit.many', { n: MOST_FOUND })}</p>`,
    cut: next !== null && acts.length,
    paged: next !== null || filter.before !== undefined,
    empty: emptyState(visit, tell(language, 'audit.none'), 'bin/rubrica audit list'),
    below:
      next !== null &&
      html`<p class="actions"><a class="button" href="${publicPath(app)}/console/audit?${String(older)}">${tell(language, 'payments.next')}</a></p>`,
  });
});

function columnsFor(visit: ConsoleVisit): Column<ListedAct>[] {
  return [
    { name: 'at', text: 'column.when', value: ({ at }) => at, kind: 'time' },
    {
      name: 'who',
      text: 'column.who',
      value: ({ who }) => actorText(visit.language, who.name),
      cell: ({ who }) =>
        html`<a class="whole" href="?who=${encodeURIComponent(who.name)}">${actorText(visit.language, who.name)}</a>${who.from !== null && html`<br><span class="quiet">${who.from}</span>`}`,
    },
    { name: 'from', text: 'column.from', value: ({ who }) => who.from, hidden: true },
    {
      name: 'action',
      text: 'column.what',
      value: ({ action }) => action,
      cell: (act) => actCell(visit, act),
    },
    { name: 'said', text: 'audit.said', value: ({ action }) => sayAction(visit.language, action), hidden: true },
    { name: 'change', text: 'column.change', value: changeOf, hidden: true },
    {
      name: 'subject',
      text: 'column.subject',
      value: ({ subject }) =>
        `${nameOfSubject(visit.language, kindOf(subject))} ${sayWhich(visit.language, subject.id)}`,
      cell: (act) => subjectCell(visit, act),
    },
    { name: 'reason', text: 'column.reason', value: (act) => reasonOfAct(visit.language, act) },
  ];
}

/** Shows an act as a sentence, with the name of its action for searching and every recorded value. */
function actCell({ language }: ConsoleVisit, act: ListedAct): Html {
  const lines = detailsOf(language, act).map((line) => html`<br><span class="quiet mail">${line}</span>`);
  return html`${sayAction(language, act.action)}<br><span class="code quiet">${act.action}</span>${lines}`;
}

/** Whether the text names an action or a group of actions of the log; an empty text is no filter. */
function isKnown(action: string): boolean {
  return action === '' || Object.keys(AUDIT_ACTIONS).some((one) => one === action || one.startsWith(`${action}.`));
}

function changeOf({ before, after }: ListedAct): string {
  const said = [before, after].filter((value) => value !== null).map((value) => JSON.stringify(value));
  return said.join(' → ');
}

/** The screen of a subject below `/console`, and the permission that it needs. */
const SCREENS: Readonly<Record<string, readonly [path: string, needed: Permission | Needed]>> = {
  transaction: ['/payments', 'payments:read'],
  payment_service: ['/merchants', readWith('tokens:manage')],
  user: ['/staff', readWith('users:manage')],
  payout: ['/payouts', 'recipients:read'],
  batch: ['/batches', 'recipients:read'],
  recipient: ['/recipients', 'recipients:read'],
  settlement: ['/settlements', 'books:read'],
};

function subjectCell({ app, language, user }: ConsoleVisit, { subject }: ListedAct): Html {
  const id = html`<span class="code${!subject.id.includes(' ') && ' whole'}">${sayWhich(language, subject.id)}</span>`;
  const kind = kindOf(subject);
  const shown = html`${nameOfSubject(language, kind)}<br>${id}`;
  const screen = Object.hasOwn(SCREENS, kind) ? SCREENS[kind] : undefined;
  // Several payouts that were decided at once are one subject, their ids separated by spaces; money in suspense can be
  // of no transaction.
  const isOne = !subject.id.includes(' ') && subject.id !== 'none';
  if (screen === undefined || !mayAny(user.may, screen[1]) || !isOne) return shown;
  return html`<a href="${publicPath(app)}/console${screen[0]}/${encodeURIComponent(subject.id)}">${shown}</a>`;
}

/** A payout or deposit that a person recorded has another name, and no page. */
function kindOf({ kind, id }: ListedAct['subject']): string {
  return id.startsWith('mv_') ? 'movement' : kind;
}

/** Ignores a text that is not a day. */
function filterOf(
  { action = '', subject = '', since = '', until = '' }: Record<string, string>,
  before: string,
): AuditFilter {
  return {
    ...(action !== '' && { action }),
    ...(subject !== '' && { subject }),
    ...(isDay(since) && { since: boundsOfDay(since).from }),
    ...(isDay(until) && { until: boundsOfDay(until).to }),
    ...(/^\d{1,15}$/.test(before) && { before: Number(before) }),
  };
}
