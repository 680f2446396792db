import type { App } from '../app.ts';
import { generateApiToken, hashApiToken } from './api-token.ts';
import { generatePassword, hashPassword } from './password.ts';
import { normalizeEmail } from './user.ts';
import { updateApiTokenHash, updatePasswordHash } from './user-queries.ts';

/**
 * Gives a user (an id or an e-mail address) a new password, shown here and never again. Ends a refusal after too many
 * wrong ones, and revokes every access token within a second. Answers null when there is no such user.
 */
export async function resetPassword(
  app: App,
  user: string,
): Promise<{ id: string; email: string; password: string } | null> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  return app.db.transaction(async (tx) => {
    const row = await updatePasswordHash(tx, normalizeEmail(user), passwordHash);
    return row === null ? null : { id: row.id, email: row.email, password };
  });
}

/** The same for the API token. */
export async function resetApiToken(
  app: App,
  user: string,
): Promise<{ id: string; email: string; api_token: string } | null> {
  const apiToken = generateApiToken();
  return app.db.transaction(async (tx) => {
    const row = await updateApiTokenHash(tx, normalizeEmail(user), hashApiToken(apiToken));
    return row === null ? null : { id: row.id, email: row.email, api_token: apiToken };
  });
}
