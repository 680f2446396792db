import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { mayChangeFactors, type ShownSession } from '../sign-in/session.ts';
import { lockUser } from '../user-queries.ts';
import { type FactorRow, hasFactor, insertFactor } from './factor-queries.ts';
import { countRecoveryCodes, replaceRecoveryCodes } from './recovery-code-queries.ts';
import { newRecoveryCodes } from './recovery-codes.ts';

type NewFactor = Pick<FactorRow, 'id' | 'user_id' | 'kind' | 'name' | 'sealed' | 'credential' | 'site' | 'last_step'>;

/** `recoveryCodes` are never shown again; empty if the user keeps the earlier ones. */
export type StoredFactor = { id: string; recoveryCodes: string[] };

/**
 * Stores a factor in a separate transaction. Replaces the recovery codes if it is the first, because codes from before
 * were made without a second factor, or if none is unused. `session`: the one that adds it; null: the command line.
 * Returns null if the factor already exists, if the session has ended, or if the user has another factor by now and the
 * session has not proved it.
 */
export async function storeFactor(
  app: App,
  factor: NewFactor,
  session: ShownSession | null,
  by: Actor,
): Promise<StoredFactor | null> {
  const { id, user_id: userId, kind, name } = factor;
  const { codes, hashes } = await newRecoveryCodes(app, userId);
  return app.db.transaction(async (tx) => {
    // A reset locks the user too: it removes this factor, or this waits and then sees that the session has ended.
    if ((await lockUser(tx, userId)) === null) return null;
    if (session !== null && !(await mayChangeFactors(tx, session, userId))) return null;
    const at = app.now();
    const row: FactorRow = { ...factor, created_at: at, last_used_at: null };
    const isFirst = !(await hasFactor(tx, userId));
    if (!(await insertFactor(tx, row))) return null;
    const needed = isFirst || (await countRecoveryCodes(tx, userId)) === 0;
    if (needed) await replaceRecoveryCodes(tx, userId, hashes, at);
    const after = { user: userId, kind, name, recovery_codes: needed ? codes.length : 0 };
    await recordAudit(tx, { at, by, action: 'user.factor_added', subject: { kind: 'factor', id }, after });
    return { id, recoveryCodes: needed ? codes : [] };
  });
}
