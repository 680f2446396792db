import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { requireManager } from '../manage-rule.ts';
import { updateSessionsEnded } from '../sign-in/session-queries.ts';
import { updateTokenVersion } from '../user-queries.ts';
import { selectApiToken, updateApiTokensEnded } from './api-token-queries.ts';
import { FIRST_TOKEN } from './make-api-token.ts';

/**
 * Ends an API token by its id and, within a second, all access tokens made with it. Returns `already` if it had ended
 * before. `managerId` as for `endSession`.
 */
export function endApiToken(
  app: App,
  id: string,
  by: Actor,
  managerId: string | null = null,
): Promise<'ended' | 'already' | 'unknown'> {
  return app.db.transaction(async (tx) => {
    const owner = (await selectApiToken(tx, id))?.user_id;
    if (owner !== undefined && managerId !== null && managerId !== owner) await requireManager(tx, managerId, owner);
    // Read after the wait for a concurrent change of the user.
    const row = await selectApiToken(tx, id);
    if (row === null) return 'unknown';
    if (row.ended_at !== null) return 'already';
    const at = app.now();
    // Access tokens from before sessions existed do not name their API token; it may be this one. Like a reset, this
    // locks the user first.
    if (row.name === FIRST_TOKEN) await updateTokenVersion(tx, row.user_id);
    const [ended] = await updateApiTokensEnded(tx, row.user_id, id, at);
    if (ended === undefined) return 'already';
    await updateSessionsEnded(tx, row.user_id, id, at);
    const subject = { kind: 'api_token', id };
    await recordAudit(tx, {
      at,
      by,
      action: 'api_token.ended',
      subject,
      before: { name: row.name, user: row.user_id },
    });
    return 'ended';
  });
}
