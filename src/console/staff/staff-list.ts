import { listInvitations } from '../../auth/invitations/invite-user.ts';
import { type ListedUser, listUsers } from '../../auth/list-users.ts';
import { ROLES, type Role } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { badge, emptyState } from '../console-format.ts';
import { askedOf, type Column, containsText, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { nameOfRole } from '../permission-texts.ts';
import { type MerchantNames, merchantNames, seenBy } from './managed-person.ts';

const STATES = ['enabled', 'invited', 'disabled'] as const;
const TONES = { enabled: 'good', invited: 'warn', disabled: 'bad' } as const;

/** `invited`: has an unused link and has never signed in. */
type Listed = ListedUser & { state: (typeof STATES)[number] };

/** Lists all people and programs: their rights, their second factor, and their last use. */
export const getConsoleStaff = consoleHandler(async (app, visit) => {
  const { language } = visit;
  const { text = '', role = '', state = '' } = askedOf(visit);
  const [users, links, names] = await Promise.all([listUsers(app), listInvitations(app), merchantNames(app)]);
  const waiting = new Set(links.map(({ user }) => user));
  const listed = users.map((user) => ({ ...user, state: stateOf(user, waiting.has(user.id)) }));
  return sendList<Listed>(visit, {
    title: tell(language, 'people.title'),
    path: '/staff',
    columns: columnsFor(visit, names),
    rows: listed.filter(
      (user) =>
        containsText(text, [user.email]) &&
        (role === '' || user.role === role) &&
        (state === '' || user.state === state),
    ),
    filters: [
      { name: 'text', text: 'list.filter_text', type: 'search' },
      {
        name: 'role',
        text: 'people.role',
        type: (Object.keys(ROLES) as Role[]).map((name) => [name, nameOfRole(language, name)] as const),
      },
      {
        name: 'state',
        text: 'column.state',
        type: STATES.map((name) => [name, tell(language, `people.${name}`)] as const),
      },
    ],
    empty: emptyState(visit, tell(language, 'people.none'), 'bin/rubrica user list'),
    noneSuch: emptyState(visit, tell(language, 'people.none'), ''),
    above: html`<p class="actions">${visit.user.may.has('users:manage') && html`<a class="button primary" href="${publicPath(app)}/console/staff/invite">${tell(language, 'people.invite')}</a>`} <a class="button" href="${publicPath(app)}/console/staff/tokens">${tell(language, 'tokens.title')}</a></p>`,
  });
});

function stateOf({ disabled_at, last_log_in_at }: ListedUser, hasLink: boolean): Listed['state'] {
  if (disabled_at !== null) return 'disabled';
  return hasLink && last_log_in_at === null ? 'invited' : 'enabled';
}

/** The most merchants of a user that the screen names. For more it shows the count; the file names all. */
const NAMED = 2;

function columnsFor({ app, language }: ConsoleVisit, names: MerchantNames): Column<Listed>[] {
  return [
    {
      name: 'email',
      text: 'people.email',
      value: ({ email }) => email,
      cell: ({ id, email }) => html`<a href="${publicPath(app)}/console/staff/${id}">${email}</a>`,
    },
    {
      name: 'role',
      text: 'people.role',
      value: ({ role }) => role,
      cell: ({ role }) => nameOfRole(language, role),
    },
    { name: 'may', text: 'people.may', value: ({ permissions }) => permissions.join(' '), hidden: true },
    {
      name: 'sees',
      text: 'people.sees',
      value: ({ payment_services: ids }) => seenBy(language, ids, names),
      cell: ({ payment_services: ids }) =>
        ids !== null && ids.length > NAMED
          ? tell(language, 'people.sees_many', { count: ids.length })
          : seenBy(language, ids, names),
    },
    {
      name: 'factor',
      text: 'people.factor',
      value: ({ second_factor: has }) => tell(language, has ? 'people.yes' : 'people.no'),
    },
    { name: 'last', text: 'people.last', value: ({ last_log_in_at: at }) => at, kind: 'time' },
    {
      name: 'state',
      text: 'column.state',
      value: ({ state }) => tell(language, `people.${state}`),
      cell: ({ state }) => badge(TONES[state], tell(language, `people.${state}`)),
    },
    { name: 'since', text: 'people.since', value: ({ created_at }) => created_at, kind: 'time', hidden: true },
  ];
}
