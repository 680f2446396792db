import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { userOf } from '../find-user.ts';
import { requireManager } from '../manage-rule.ts';
import { updateSessionsEnded } from '../sign-in/session-queries.ts';
import { normalizeEmail } from '../user.ts';
import { lockUser, selectUserByIdOrEmail, updateTokenVersion } from '../user-queries.ts';
import { mustHaveFactor } from './factor.ts';
import { deleteFactors, selectFactor, selectFactorsOf } from './factor-queries.ts';
import { deleteRecoveryCodes } from './recovery-code-queries.ts';

export type RemovalOutcome = 'removed' | 'unknown' | 'last';

/**
 * Removes one factor. `userId`: only if it belongs to this user; null: of any user. Removing the last factor also
 * removes the recovery codes. Returns `last` and removes nothing if the user needs a factor: the user must add another
 * first.
 */
export function removeFactor(app: App, id: string, userId: string | null, by: Actor): Promise<RemovalOutcome> {
  return app.db.transaction(async (tx) => {
    const factor = await selectFactor(tx, id);
    // Of two concurrent removals, the later sees that it is the last.
    const user = factor === null ? null : await lockUser(tx, factor.user_id);
    if (factor === null || user === null || (userId !== null && user.id !== userId)) return 'unknown';
    const others = (await selectFactorsOf(tx, user.id)).filter((one) => one.id !== id);
    if (others.length === 0 && mustHaveFactor(app, await userOf(tx, user))) return 'last';
    if ((await deleteFactors(tx, user.id, id)).length === 0) return 'unknown';
    if (others.length === 0) await deleteRecoveryCodes(tx, user.id);
    const before = { user: user.id, kind: factor.kind, name: factor.name };
    const subject = { kind: 'factor', id };
    await recordAudit(tx, { at: app.now(), by, action: 'user.factor_removed', subject, before });
    return 'removed';
  });
}

/**
 * Removes all factors and recovery codes of a user (an id or an e-mail address), and ends the sessions and the access
 * tokens from before sessions existed. The next sign-in needs only the password, and then a new factor if the user
 * needs one. `managerId`: the user who must be allowed to manage this user; null: the command line. Returns the number
 * of factors removed; null if there is no such user. Throws `Problem` `MORE_THAN_YOURS`.
 */
export function resetFactors(
  app: App,
  user: string,
  by: Actor,
  managerId: string | null = null,
): Promise<{ id: string; removed: number } | null> {
  return app.db.transaction(async (tx) => {
    const row = await selectUserByIdOrEmail(tx, normalizeEmail(user));
    if (row === null) return null;
    if (managerId !== null) await requireManager(tx, managerId, row.id);
    // A concurrent request that adds or proves a factor waits here, or is waited for.
    await updateTokenVersion(tx, row.id);
    const at = app.now();
    const removed = await deleteFactors(tx, row.id, null);
    await deleteRecoveryCodes(tx, row.id);
    await updateSessionsEnded(tx, row.id, null, at);
    const before = { factors: removed.map(({ kind, name }) => `${kind} ${name}`) };
    const subject = { kind: 'user', id: row.id };
    await recordAudit(tx, { at, by, action: 'user.factors_reset', subject, before });
    return { id: row.id, removed: removed.length };
  });
}
