import type { App } from '../../app.ts';
import { normalizeEmail } from '../user.ts';
import { selectUserByIdOrEmail } from '../user-queries.ts';
import type { ListedFactor } from './factor.ts';
import { selectFactorsOf } from './factor-queries.ts';
import { countRecoveryCodes } from './recovery-code-queries.ts';

/**
 * Returns the second factors of a user (an id or an e-mail address) and the number of unused recovery codes; null if
 * there is no such user.
 */
export async function listFactors(
  app: App,
  user: string,
): Promise<{ factors: ListedFactor[]; recovery_codes: number } | null> {
  const row = await selectUserByIdOrEmail(app.db, normalizeEmail(user));
  if (row === null) return null;
  const factors = await selectFactorsOf(app.db, row.id);
  return {
    factors: factors.map(({ id, kind, name, created_at, last_used_at }) => ({
      id,
      kind,
      name,
      created_at,
      last_used_at,
    })),
    recovery_codes: await countRecoveryCodes(app.db, row.id),
  };
}
