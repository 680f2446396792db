import type { App } from '../app.ts';
import { normalizeEmail } from './user.ts';
import { updatePayouts, updateUserDisabled } from './user-queries.ts';

/**
 * From now on the user cannot log in and every access token fails, within a second on every replica.
 * Answers false when there is no such user, or it was disabled before. `user` is an id or an e-mail address.
 */
export function disableUser(app: App, user: string): Promise<boolean> {
  return app.db.transaction((tx) => updateUserDisabled(tx, normalizeEmail(user), app.now()));
}

/** Lets a user validate bank accounts, or no longer, within a second. Answers false when there is no such user. */
export function setPayouts(app: App, user: string, payouts: boolean): Promise<boolean> {
  return app.db.transaction((tx) => updatePayouts(tx, normalizeEmail(user), payouts));
}
