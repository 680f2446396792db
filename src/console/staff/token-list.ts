import { listEveryApiToken, type OwnedToken } from '../../auth/tokens/list-api-tokens.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { actorText, badge, emptyState } from '../console-format.ts';
import { askedOf, type Column, containsText, sendList } from '../console-list.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';

const STATES: Readonly<Record<OwnedToken['state'], { text: ConsoleText; tone: string }>> = {
  in_use: { text: 'people.in_use', tone: 'good' },
  expired: { text: 'tokens.expired', tone: 'calm' },
  ended: { text: 'people.ended', tone: 'calm' },
  disabled: { text: 'tokens.disabled', tone: 'bad' },
};

/** Lists every API token: its owner, its purpose, and its last use. */
export const getConsoleStaffTokens = consoleHandler(async (app, visit) => {
  const { language } = visit;
  const { text = '', state = '' } = askedOf(visit);
  const tokens = await listEveryApiToken(app);
  return sendList<OwnedToken>(visit, {
    title: tell(language, 'tokens.title'),
    path: '/staff/tokens',
    columns: columnsFor(visit),
    rows: tokens.filter(
      (token) => containsText(text, [token.email, token.name]) && (state === '' || state === token.state),
    ),
    filters: [
      { name: 'text', text: 'list.filter_text', type: 'search' },
      {
        name: 'state',
        text: 'column.state',
        type: Object.entries(STATES).map(([name, said]) => [name, tell(language, said.text)] as const),
      },
    ],
    empty: emptyState(visit, tell(language, 'tokens.none'), 'bin/rubrica user token create EMAIL --name …'),
  });
});

function columnsFor({ app, language }: ConsoleVisit): Column<OwnedToken>[] {
  return [
    {
      name: 'email',
      text: 'people.email',
      value: ({ email }) => email,
      cell: ({ user_id, email }) => html`<a href="${publicPath(app)}/console/staff/${user_id}">${email}</a>`,
    },
    { name: 'name', text: 'staff.name', value: ({ name }) => name },
    { name: 'id', text: 'column.id', value: ({ id }) => id, hidden: true },
    { name: 'made', text: 'staff.added', value: ({ created_at }) => created_at, kind: 'time' },
    { name: 'by', text: 'people.made_by', value: ({ created_by }) => actorText(language, created_by) },
    { name: 'used', text: 'staff.last_use', value: ({ last_used_at }) => last_used_at, kind: 'time' },
    { name: 'expires', text: 'people.expires', value: ({ expires_at }) => expires_at, kind: 'time' },
    {
      name: 'state',
      text: 'column.state',
      value: ({ state }) => tell(language, STATES[state].text),
      cell: ({ state }) => tokenBadge(language, state),
    },
  ];
}

/** Shows the state of an API token. */
export function tokenBadge(language: Language, state: OwnedToken['state']): Html {
  const { tone, text } = STATES[state];
  return badge(tone, tell(language, text));
}
