import type { App } from '../../app.ts';
import { normalizeEmail } from '../user.ts';
import { selectUserByIdOrEmail } from '../user-queries.ts';
import {
  type ApiTokenRow,
  type OwnedTokenRow,
  selectApiToken,
  selectApiTokens,
  selectApiTokensOf,
} from './api-token-queries.ts';

/** An API token as shown to people; times are UTC milliseconds. */
export type ListedToken = Pick<
  ApiTokenRow,
  'id' | 'name' | 'created_at' | 'created_by' | 'expires_at' | 'last_used_at' | 'ended_at'
>;

/** Returns the API tokens of a user (an id or an e-mail address), oldest first; null if there is no such user. */
export async function listApiTokens(app: App, user: string): Promise<ListedToken[] | null> {
  const row = await selectUserByIdOrEmail(app.db, normalizeEmail(user));
  if (row === null) return null;
  const tokens = await selectApiTokensOf(app.db, row.id);
  return tokens.map(({ id, name, created_at, created_by, expires_at, last_used_at, ended_at }) => {
    return { id, name, created_at, created_by, expires_at, last_used_at, ended_at };
  });
}

/** `expired`: `expires_at` has passed. `disabled`: its user is disabled. */
export type ApiTokenState = 'in_use' | 'expired' | 'ended' | 'disabled';

/** Returns whether an API token works, or why not. */
export function apiTokenState(
  { ended_at, expires_at, disabled_at }: Pick<OwnedTokenRow, 'ended_at' | 'expires_at' | 'disabled_at'>,
  now: number,
): ApiTokenState {
  if (ended_at !== null) return 'ended';
  if (expires_at !== null && expires_at <= now) return 'expired';
  return disabled_at === null ? 'in_use' : 'disabled';
}

export type OwnedToken = OwnedTokenRow & { state: ApiTokenState };

/** Returns all API tokens of all users, oldest first. */
export async function listEveryApiToken(app: App): Promise<OwnedToken[]> {
  const tokens = await selectApiTokens(app.db);
  return tokens.map((token) => ({ ...token, state: apiTokenState(token, app.now()) }));
}

/** Returns the id of the API token's user; null if there is no such token. */
export async function findApiTokenOwner(app: App, id: string): Promise<string | null> {
  return (await selectApiToken(app.db, id))?.user_id ?? null;
}
