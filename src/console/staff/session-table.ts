import type { SessionRow } from '../../auth/session-queries.ts';
import type { Language } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import { tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell, tellAll } from '../console-texts.ts';

const HEAD: readonly ConsoleText[] = [
  'staff.kind',
  'staff.from',
  'staff.began',
  'staff.last_use',
  'staff.ends',
  'staff.act',
];

/** What lets a person in at this moment, each with a button that ends it; `at` is where it is sent, `own` the session that asks. */
export function sessionTable(
  language: Language,
  sessions: readonly SessionRow[],
  { at, own }: { at: string; own: string | null },
): Html {
  const rows = sessions.map((session) => [
    tell(language, `kind.${session.kind}`),
    session.origin ?? '—',
    timeCell(session.created_at),
    timeCell(session.last_used_at),
    timeCell(session.expires_at),
    session.id === own
      ? tell(language, 'me.this_session')
      : html`<form method="post" action="${at}"><button class="link" name="session" value="${session.id}">${tell(language, 'me.end')}</button></form>`,
  ]);
  return tableOf(tellAll(language, HEAD), rows);
}
