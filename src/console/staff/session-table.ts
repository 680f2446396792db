import type { SessionRow } from '../../auth/sign-in/session-queries.ts';
import type { Html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
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

/** Shows the valid sessions and tokens of a person, each with its possible actions. */
export function sessionTable(
  language: Language,
  sessions: readonly SessionRow[],
  acts: (session: SessionRow) => Html | string,
): Html {
  const rows = sessions.map((session) => [
    tell(language, `kind.${session.kind}`),
    session.origin ?? '—',
    timeCell(session.created_at),
    timeCell(session.last_used_at),
    timeCell(session.expires_at),
    acts(session),
  ]);
  return tableOf(tellAll(language, HEAD), rows);
}
