import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { prefixedId } from '../lib/ids.ts';
import { type DescribedRights, describeRights, saidOf } from './describe-rights.ts';
import { requireManager } from './manage-rule.ts';
import type { Permission, Role } from './permission.ts';
import { storePaymentServices, storeRefundLimits } from './set-rights.ts';
import { type HashedPassword, makePassword } from './sign-in/password.ts';
import { passwordProver, saidPassword } from './sign-in/password-proof.ts';
import { apiTokenHashes, digestOf, generateApiToken } from './tokens/api-token.ts';
import { FIRST_TOKEN, storeApiToken } from './tokens/make-api-token.ts';
import { isEmail, normalizeEmail, type PaymentServiceScope, type RefundLimits } from './user.ts';
import { insertUser, type UserRow } from './user-queries.ts';
import { insertPermission } from './user-right-queries.ts';

export type NewUser = { id: string; email: string; password: string; api_token: string } & DescribedRights;

/** The user to create. By default a program without permissions that sees no payments. */
export type UserWish = {
  email: string;
  role?: Role;
  /** In addition to the role's permissions. */
  may?: readonly Permission[];
  paymentServices?: PaymentServiceScope;
  refundLimits?: RefundLimits;
};

/**
 * Creates a user. Returns the password and the API token, which are never shown again. Hashing is slow, so a caller
 * that makes many users may give them one `password` with its hash. `managerId`: the user who must be allowed to manage
 * the new user; null: the command line.
 *
 * Throws `Problem` `INVALID_EMAIL` for an invalid address, `USER_EXISTS` for a taken one, `NOT_FOUND` for an unknown
 * payment service, and `MORE_THAN_YOURS`.
 */
export async function createUser(
  app: App,
  wish: UserWish,
  by: Actor,
  { password, managerId = null }: { password?: HashedPassword; managerId?: string | null } = {},
): Promise<NewUser> {
  const { password: shown, hash } = password ?? (await makePassword());
  const apiToken = generateApiToken();
  const row = await newUserRow(app, wish, hash);
  const { id, email } = row;
  const hashes = await apiTokenHashes(app);
  return app.db.transaction(async (tx) => {
    const rights = await storeUser(tx, row, wish, managerId);
    if (rights === null) throw userExists();
    const createdBy = by.name;
    const token = { userId: id, name: FIRST_TOKEN, createdAt: row.created_at, createdBy, expiresAt: null };
    await storeApiToken(tx, hashes, digestOf(apiToken), token);
    const subject = { kind: 'user', id };
    const after = { ...(await saidOf(tx, row, rights)), ...saidPassword(row) };
    await recordAudit(tx, { at: row.created_at, by, action: 'user.created', subject, after });
    return { id, email, password: shown, api_token: apiToken, ...rights };
  });
}

/**
 * Stores a user with its rights in the caller's transaction. `managerId` as for `createUser`. Returns null if the
 * address has a user, also one that another commit has just stored. Throws `Problem` `NOT_FOUND` or `MORE_THAN_YOURS`.
 */
export async function storeUser(
  tx: Tx,
  row: UserRow,
  wish: UserWish,
  managerId: string | null,
): Promise<DescribedRights | null> {
  const { may = [], paymentServices = [], refundLimits = {} } = wish;
  if (!(await insertUser(tx, row))) return null;
  for (const permission of may) await insertPermission(tx, row.id, permission);
  await storePaymentServices(tx, row.id, paymentServices);
  await storeRefundLimits(tx, row.id, refundLimits);
  if (managerId !== null) await requireManager(tx, managerId, row.id);
  const all = paymentServices === 'all' ? 1 : 0;
  const [rights] = await describeRights(tx, [{ ...row, all_payment_services: all }]);
  return rights as DescribedRights;
}

/** Returns the refusal of an address that has a user. */
export function userExists(): Problem {
  return new Problem('USER_EXISTS', {
    detail: {
      en: 'This address has a user already: bin/rubrica user list.',
      es: 'Este correo ya tiene un usuario: bin/rubrica user list.',
    },
  });
}

/** Returns the row of a new user. Throws `Problem` `INVALID_EMAIL` for an invalid address. */
export async function newUserRow(app: App, wish: UserWish, hash: string): Promise<UserRow> {
  const email = normalizeEmail(wish.email);
  if (!isEmail(email)) throw new Problem('INVALID_EMAIL');
  const id = prefixedId('usr');
  const prove = await passwordProver(app);
  return {
    id,
    email,
    role: wish.role ?? 'integration',
    password_hash: hash,
    password_proof: prove(id, hash),
    all_payment_services: 0,
    token_version: 1,
    created_at: app.now(),
    disabled_at: null,
    signed_in_at: null,
  };
}
