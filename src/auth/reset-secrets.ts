import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { updateInvitationsEnded } from './invitations/invitation-queries.ts';
import { makePassword } from './sign-in/password.ts';
import { passwordProver, saidPassword } from './sign-in/password-proof.ts';
import { updateSessionsEnded } from './sign-in/session-queries.ts';
import { apiTokenHashes, digestOf, generateApiToken } from './tokens/api-token.ts';
import { updateApiTokensEnded } from './tokens/api-token-queries.ts';
import { FIRST_TOKEN, storeApiToken } from './tokens/make-api-token.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByIdOrEmail, updatePasswordHash, updateTokenVersion } from './user-queries.ts';

/**
 * Gives a user (an id or an e-mail address) a new password and returns it; it is never shown again. Resets the count of
 * wrong passwords of the account, and revokes unused links and, within a second, all access tokens. Returns null if
 * there is no such user.
 */
export async function resetPassword(
  app: App,
  user: string,
  by: Actor,
): Promise<{ id: string; email: string; password: string } | null> {
  const { password, hash } = await makePassword();
  const prove = await passwordProver(app);
  return app.db.transaction(async (tx) => {
    const row = await updatePasswordHash(tx, normalizeEmail(user), hash, prove);
    if (row === null) return null;
    const { id, email } = row;
    const at = app.now();
    await updateSessionsEnded(tx, id, null, at);
    await updateInvitationsEnded(tx, id, at);
    const subject = { kind: 'user', id };
    await recordAudit(tx, { at, by, action: 'user.password_reset', subject, after: saidPassword(row) });
    return { id, email, password };
  });
}

/**
 * Ends all API tokens of a user and makes a new one; also revokes all access tokens. Returns null if there is no such
 * user.
 */
export async function resetApiToken(
  app: App,
  user: string,
  by: Actor,
): Promise<{ id: string; email: string; api_token: string } | null> {
  const apiToken = generateApiToken();
  const hashes = await apiTokenHashes(app);
  return app.db.transaction(async (tx) => {
    const row = await selectUserByIdOrEmail(tx, normalizeEmail(user));
    if (row === null) return null;
    const { id, email } = row;
    // A concurrent request that makes or resets a token of this user waits here, and then sees this token.
    await updateTokenVersion(tx, id);
    const at = app.now();
    const ended = await updateApiTokensEnded(tx, id, null, at);
    await updateSessionsEnded(tx, id, null, at);
    const token = { userId: id, name: FIRST_TOKEN, createdAt: at, createdBy: by.name, expiresAt: null };
    await storeApiToken(tx, hashes, digestOf(apiToken), token);
    await recordAudit(tx, {
      at,
      by,
      action: 'user.api_token_reset',
      subject: { kind: 'user', id },
      before: { ended: ended.map(({ name }) => name) },
    });
    return { id, email, api_token: apiToken };
  });
}
