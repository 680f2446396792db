import type { App } from '../app.ts';
import type { Reader } from '../db/database.ts';
import { permissionsOf, rightsOf } from './permission.ts';
import { normalizeEmail, type User } from './user.ts';
import { selectUserById, selectUserByIdOrEmail, type UserRow } from './user-queries.ts';
import { selectDevelopmentIds, selectEnvironmentIds, selectPermissions } from './user-right-queries.ts';

/** Returns a user by id or e-mail address, or null. For operators who read about other users. */
export async function findUser(app: App, idOrEmail: string): Promise<User | null> {
  const row = await selectUserByIdOrEmail(app.db, normalizeEmail(idOrEmail));
  return row === null ? null : userOf(app.db, row);
}

/** Returns the user of a row with its payment services and permissions. `use`: the session and API token in use. */
export async function userOf(
  db: Reader,
  row: UserRow,
  use: Pick<User, 'token' | 'sessionId'> = { token: null, sessionId: null },
): Promise<User> {
  const { environments } = rightsOf(row.role);
  const all = row.all_payment_services === 1;
  const [granted, environmentIds] = await Promise.all([
    selectPermissions(db, row.id),
    all ? ofAllServices(db, environments) : selectEnvironmentIds(db, row.id, environments),
  ]);
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    ...use,
    may: permissionsOf(
      row.role,
      granted.map(({ permission }) => permission),
    ),
    environmentIds: environmentIds === null ? null : new Set(environmentIds),
  };
}

function ofAllServices(db: Reader, environments: 'both' | 'development') {
  return environments === 'both' ? null : selectDevelopmentIds(db);
}

/** Returns when a user was created, in UTC milliseconds; 0 if there is no such user. */
export async function findUserSince(app: App, id: string): Promise<number> {
  return (await selectUserById(app.db, id))?.created_at ?? 0;
}
