import type { App } from '../app.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByIdOrEmail, updatePayouts, updateUserDisabled } from './user-queries.ts';

/**
 * From now on the user cannot log in and every access token fails, within a second on every replica.
 * `user` is an id or an e-mail address. `already`: it was disabled before, and stays so since then.
 */
export function disableUser(app: App, user: string): Promise<'disabled' | 'already' | 'unknown'> {
  const name = normalizeEmail(user);
  return app.db.transaction(async (tx) => {
    if (await updateUserDisabled(tx, name, app.now())) return 'disabled';
    return (await selectUserByIdOrEmail(tx, name)) === null ? 'unknown' : 'already';
  });
}

/** Lets a user validate bank accounts, or no longer, within a second. Answers false when there is no such user. */
export function setPayouts(app: App, user: string, payouts: boolean): Promise<boolean> {
  return app.db.transaction((tx) => updatePayouts(tx, normalizeEmail(user), payouts));
}
