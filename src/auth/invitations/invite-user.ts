import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { prefixedId, randomToken } from '../../lib/ids.ts';
import { newUserRow, storeUser, type UserWish, userExists } from '../create-user.ts';
import { type DescribedRights, describeRights, limitsInForce, saidOf } from '../describe-rights.ts';
import { keyedHash } from '../keyed-hash.ts';
import { requireManager, requireWithin } from '../manage-rule.ts';
import { permissionsOf } from '../permission.ts';
import { makePassword } from '../sign-in/password.ts';
import { passwordProver, saidPassword } from '../sign-in/password-proof.ts';
import { updateSessionsEnded } from '../sign-in/session-queries.ts';
import { lockBoth, lockUser, selectUserByIdOrEmail, type UserRow, updatePasswordHash } from '../user-queries.ts';
import {
  type InvitationRow,
  insertInvitation,
  selectInvitation,
  selectInvitationsOf,
  selectOpenInvitations,
  updateInvitationsEnded,
} from './invitation-queries.ts';

/** `token`: the secret of the link, never shown again. `expires_at`: UTC milliseconds. */
export type NewInvitation = { id: string; user: string; email: string; token: string; expires_at: number };

/** `ended`: how many earlier links that still worked the new one ended. */
export type RenewedInvitation = NewInvitation & { ended: number };

/** Returns the stored hash of a link's token. */
export function invitationHash(app: App, token: string): Promise<string> {
  return keyedHash(app, 'invitation', '', token);
}

/**
 * Creates a person without a known password, and a link to set one, once and within `validMs`. A person who has not yet
 * accepted an invitation gets a new link with the same rights; the earlier link ends. `managerId` as for `createUser`.
 * Throws `Problem` `USER_EXISTS` if the address belongs to another user, or to a person who was invited with other
 * rights; and the errors of `createUser`.
 */
export async function inviteUser(
  app: App,
  wish: UserWish,
  validMs: number,
  by: Actor,
  managerId: string | null = null,
): Promise<RenewedInvitation> {
  const { hash: passwordHash } = await makePassword();
  const row = await newUserRow(app, wish, passwordHash);
  const token = randomToken(24);
  const hash = await invitationHash(app, token);
  return app.db.transaction(async (tx) => {
    const rights = await storeUser(tx, row, wish, managerId);
    const there = rights === null ? await lockInvited(tx, row.email, managerId) : null;
    const at = app.now();
    const ended = there === null ? 0 : await endForNewLink(tx, there, at, wish, managerId);
    const { id: userId, email, role } = there ?? row;
    const made = { id: prefixedId('inv'), user: userId, email, token, expires_at: at + validMs };
    await insertInvitation(tx, rowOf(made, 'invitation', hash, at, by));
    if (rights !== null) {
      const subject = { kind: 'user', id: userId };
      const after = { ...(await saidOf(tx, row, rights)), ...saidPassword(row) };
      await recordAudit(tx, { at, by, action: 'user.created', subject, after });
    }
    const subject = { kind: 'invitation', id: made.id };
    await recordAudit(tx, { at, by, action: 'user.invited', subject, after: saidOfLink(made, { role }) });
    return { ...made, ended };
  });
}

/**
 * Creates a link with which a person who lost the password sets a new one, once and within `validMs`. The old password,
 * all sessions and earlier links end at once; second factors stay. `managerId`: the user who must be allowed to manage
 * this user; null: the command line. Returns null if the user does not exist or is disabled. Throws `Problem`
 * `MORE_THAN_YOURS`.
 */
export async function makePasswordLink(
  app: App,
  userId: string,
  validMs: number,
  by: Actor,
  managerId: string | null = null,
): Promise<NewInvitation | null> {
  const token = randomToken(24);
  const [hash, nobodys] = await Promise.all([invitationHash(app, token), makePassword()]);
  const prove = await passwordProver(app);
  return app.db.transaction(async (tx) => {
    if (managerId !== null) await requireManager(tx, managerId, userId);
    // A concurrent disabling runs before, or waits and then ends this link too.
    const user = await lockUser(tx, userId);
    if (user === null || user.disabled_at !== null) return null;
    const at = app.now();
    const reset = (await updatePasswordHash(tx, userId, nobodys.hash, prove)) ?? user;
    await updateSessionsEnded(tx, userId, null, at);
    await updateInvitationsEnded(tx, userId, at);
    const made = { id: prefixedId('inv'), user: userId, email: user.email, token, expires_at: at + validMs };
    await insertInvitation(tx, rowOf(made, 'invitation', hash, at, by));
    const whose = { kind: 'user', id: userId };
    await recordAudit(tx, { at, by, action: 'user.password_reset', subject: whose, after: saidPassword(reset) });
    const subject = { kind: 'invitation', id: made.id };
    await recordAudit(tx, { at, by, action: 'user.invited', subject, after: saidOfLink(made, { role: user.role }) });
    return made;
  });
}

/** Creates a link that signs a user in once without a password. Development only, for the end of a demo. */
export async function makeSignInLink(app: App, user: Pick<UserRow, 'id' | 'email'>, by: Actor): Promise<NewInvitation> {
  if (app.config.mode !== 'development') throw new Error('Links that let in without a password are for development');
  const token = randomToken(24);
  const hash = await invitationHash(app, token);
  return app.db.transaction(async (tx) => {
    const at = app.now();
    const made = { id: prefixedId('inv'), user: user.id, email: user.email, token, expires_at: at + SIGN_IN_VALID_MS };
    await insertInvitation(tx, rowOf(made, 'sign_in', hash, at, by));
    const subject = { kind: 'invitation', id: made.id };
    await recordAudit(tx, { at, by, action: 'user.invited', subject, after: saidOfLink(made, { kind: 'sign_in' }) });
    return made;
  });
}

const SIGN_IN_VALID_MS = 60 * 60_000;

/** Lists the invitations not yet accepted, oldest first; they may have expired. */
export async function listInvitations(app: App) {
  const rows = await selectOpenInvitations(app.db);
  return rows.map(({ id, user_id, email, role, created_at, created_by, expires_at }) => {
    return { id, user: user_id, email, role, created_at, created_by, expires_at };
  });
}

/**
 * Ends an unused link. Returns false if it does not exist, or was used or ended before. `managerId`: the user who must
 * be allowed to manage the invited user; null: the command line. Throws `Problem` `MORE_THAN_YOURS`.
 */
export function endInvitation(app: App, id: string, by: Actor, managerId: string | null = null): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const invited = managerId === null ? undefined : await selectInvitation(tx, id);
    if (invited !== undefined && managerId !== null) await requireManager(tx, managerId, invited.user_id);
    const at = app.now();
    const [ended] = id.startsWith('inv_') ? await updateInvitationsEnded(tx, id, at) : [];
    if (ended === undefined) return false;
    const subject = { kind: 'invitation', id };
    await recordAudit(tx, { at, by, action: 'user.invitation_ended', subject, before: { user: ended.user_id } });
    return true;
  });
}

/** Locks the user of an address, and the manager. */
async function lockInvited(tx: Tx, email: string, managerId: string | null): Promise<UserRow | null> {
  const found = await selectUserByIdOrEmail(tx, email);
  if (found !== null && managerId !== null) await lockBoth(tx, [managerId, found.id]);
  return found === null ? null : lockUser(tx, found.id);
}

/** Ends the open links of a person who has not yet accepted. Returns how many still worked. Throws for other users. */
async function endForNewLink(
  tx: Tx,
  user: UserRow,
  at: number,
  wish: UserWish,
  managerId: string | null,
): Promise<number> {
  const links = (await selectInvitationsOf(tx, user.id)).filter(({ kind }) => kind === 'invitation');
  // Somebody may have reset the password meanwhile: who logs in needs no invitation.
  const isThere = user.signed_in_at !== null || links.some(({ used_at }) => used_at !== null);
  if (links.length === 0 || isThere || user.disabled_at !== null) throw userExists();
  const [rights] = (await describeRights(tx, [user])) as [DescribedRights];
  if (managerId !== null) await requireWithin(tx, managerId, user.id);
  if (!isAsked(rights, wish))
    throw new Problem('USER_EXISTS', {
      detail: {
        en: `This person was invited before, as ${rights.role} and with other rights. For a new link leave out what they may do; to change it: bin/rubrica user role, user payment-services, user grant and user refund-limit.`,
        es: `Esta persona ya fue invitada, como ${rights.role} y con otros permisos. Para un enlace nuevo no digas lo que puede hacer; para cambiarlo: bin/rubrica user role, user payment-services, user grant y user refund-limit.`,
      },
    });
  return (await updateInvitationsEnded(tx, user.id, at)).filter(({ expires_at }) => expires_at > at).length;
}

/** Returns whether the rights match the request; omitted members match. */
function isAsked(rights: DescribedRights, { role, may, paymentServices, refundLimits }: UserWish): boolean {
  const services = paymentServices === 'all' ? null : paymentServices?.toSorted();
  const limits = refundLimits === undefined ? undefined : limitsInForce(role ?? rights.role, refundLimits);
  return (
    (role === undefined || role === rights.role) &&
    (may === undefined || isDeepStrictEqual([...permissionsOf(rights.role, may)].sort(), rights.permissions)) &&
    (services === undefined || isDeepStrictEqual(services, rights.payment_services?.toSorted() ?? null)) &&
    (limits === undefined || isDeepStrictEqual({ ...limits }, { ...rights.refund_limits }))
  );
}

function saidOfLink({ user, expires_at }: NewInvitation, is: { role: string } | { kind: string }) {
  return { user, ...is, expires_at };
}

function rowOf(
  { id, user, expires_at }: NewInvitation,
  kind: InvitationRow['kind'],
  hash: string,
  at: number,
  by: Actor,
): InvitationRow {
  return {
    id,
    user_id: user,
    kind,
    hash,
    created_at: at,
    created_by: by.name,
    expires_at,
    used_at: null,
    ended_at: null,
  };
}
