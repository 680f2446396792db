import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { type AccessToken, issueAccessToken } from './access-token.ts';
import { hashApiToken } from './api-token.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByApiToken } from './user-queries.ts';

const LONGEST_LIFETIME_SECONDS = 365 * 24 * 60 * 60;

/**
 * An access token for an API token, and its user's e-mail address where the client sends one (`email` null: none).
 *
 * It ends at `expiresAt` (UTC seconds), at the latest and by default after a year. Throws `Problem`
 * `API_TOKEN_INVALID`.
 */
export async function logInWithApiToken(
  app: App,
  input: { apiToken: string; email: string | null; expiresAt: number | null },
): Promise<AccessToken> {
  const user = await selectUserByApiToken(app.db, hashApiToken(input.apiToken));
  const known = user !== null && user.disabled_at === null;
  if (!known || (input.email !== null && normalizeEmail(input.email) !== user.email)) {
    throw new Problem('API_TOKEN_INVALID');
  }
  const asked = input.expiresAt === null ? Infinity : input.expiresAt - Math.floor(app.now() / 1000);
  const lifetime = Math.min(asked, LONGEST_LIFETIME_SECONDS);
  return issueAccessToken(app, { userId: user.id, version: user.token_version }, lifetime);
}
