import type { App } from '../../app.ts';
import { addWrong, type Findings } from '../proof-finding.ts';
import { type ComparedColumn, changesIn } from './compare-said.ts';
import { pagesById, readAct } from './read-acts.ts';
import { selectTokensSaid, type TokenSaid } from './token-check-queries.ts';

const PAGE = 500;

/**
 * Compares API tokens with the acts that made and ended them: a token that was ended works again, or ends later, if
 * somebody changes its row, and four eyes count by its maker. An invented token lets nobody in: its hashes are keyed.
 */
export async function verifyApiTokens(app: App, findings: Findings): Promise<void> {
  for await (const tokens of pagesById(PAGE, (after, limit) => selectTokensSaid(app.db, after, limit))) {
    for (const token of tokens) {
      const changes = changesIn([...comparedMaking(token), ...comparedEnd(token)]);
      const subject = `API token ${token.id}`;
      const since = token.end_said_at ?? token.said_at ?? token.created_at;
      addWrong(findings, { finding: 'rights_changed', environment_id: null, subject, since }, changes);
    }
  }
}

/** Acts of earlier versions do not say when a token expires. A user's first token is made without a name and an end. */
function comparedMaking(token: TokenSaid): ComparedColumn[] {
  const { said_at, said_by, created_by, expires_at, is_older } = token;
  if (said_at === null) return [];
  const said = token.said === null ? { expires_at: null } : readAct(token.said);
  const columns: ComparedColumn[] = [];
  if (token.said !== null) {
    columns.push(
      ['created_at', said_at, token.created_at],
      ['name', said['name'], token.name],
      ['user', said['user'], token.user_id],
    );
  }
  if (created_by !== null || is_older === 0) columns.push(['created_by', said_by, created_by]);
  if (said['expires_at'] !== undefined) columns.push(['expires_at', said['expires_at'], expires_at]);
  return columns;
}

/** A reset in the millisecond in which a token was made ended it, but may look like the act that made it. */
function comparedEnd({ end_said_at, ended_at, created_at }: TokenSaid): ComparedColumn[] {
  if (end_said_at === null && ended_at === created_at) return [];
  return [['ended_at', end_said_at, ended_at]];
}
