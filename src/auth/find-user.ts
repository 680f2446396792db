import type { App } from '../app.ts';
import { normalizeEmail, type User } from './user.ts';
import { selectEnvironmentIds, selectUserByIdOrEmail, type UserRow } from './user-queries.ts';

/** A user by id or e-mail address, or null. For what an operator reads about others. */
export async function findUser(app: App, idOrEmail: string): Promise<User | null> {
  const row = await selectUserByIdOrEmail(app.db, normalizeEmail(idOrEmail));
  return row === null ? null : userOf(app, row);
}

/** What a row says of a user, with what the user sees. */
export async function userOf(app: App, row: UserRow): Promise<User> {
  return {
    id: row.id,
    email: row.email,
    payouts: row.payouts === 1,
    environmentIds: row.operator === 1 ? null : new Set(await selectEnvironmentIds(app.db, row.id)),
  };
}
