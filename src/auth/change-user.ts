import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByIdOrEmail, updateUserDisabled, updateUserEnabled } from './user-queries.ts';

/**
 * From now on the user cannot log in and every access token fails, within a second on every replica.
 * `user` is an id or an e-mail address. `already`: it was disabled before, and stays so since then.
 */
export function disableUser(app: App, user: string): Promise<'changed' | 'already' | 'unknown'> {
  return change(app, user, (tx, name) => updateUserDisabled(tx, name, app.now()));
}

/** The user can log in again, as before. Access tokens of before stay revoked. `already`: it was enabled. */
export function enableUser(app: App, user: string): Promise<'changed' | 'already' | 'unknown'> {
  return change(app, user, updateUserEnabled);
}

function change(app: App, user: string, update: (tx: Tx, name: string) => Promise<boolean>) {
  const name = normalizeEmail(user);
  return app.db.transaction(async (tx) => {
    if (await update(tx, name)) return 'changed';
    return (await selectUserByIdOrEmail(tx, name)) === null ? 'unknown' : 'already';
  });
}
