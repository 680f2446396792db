import type { App } from '../../app.ts';
import { strangerActor } from '../../audit/actor.ts';
import { countAct } from '../../audit/count-acts.ts';
import { Problem } from '../../error-catalogue.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { beginSession, noteSessionUse } from '../sign-in/session.ts';
import { type SessionRow, selectSessionToShare } from '../sign-in/session-queries.ts';
import { normalizeEmail } from '../user.ts';
import { userActor } from '../user-actor.ts';
import { lockUser, selectUserById, type UserRow } from '../user-queries.ts';
import { type AccessToken, issueAccessToken } from './access-token.ts';
import { apiTokenHashes, digestOf, provesToken } from './api-token.ts';
import { type ApiTokenRow, lockOpenApiToken, selectApiTokenByLookup } from './api-token-queries.ts';

const DAY_MS = 24 * 60 * 60_000;
const LONGEST_LIFETIME_MS = 365 * DAY_MS;

/** `email` null: the client sends no address. `expiresAt`: UTC seconds; null: none requested. */
export type ApiTokenLogin = { apiToken: string; email: string | null; expiresAt: number | null; address: string };

/**
 * Returns an access token for an API token and, if sent, its user's e-mail address.
 *
 * The access token expires at `expiresAt`, by default and at most after a year, and never after the API token. A client
 * that asks again within a day gets the same access token, so that frequent log-ins do not fill the store. Throws
 * `Problem` `API_TOKEN_INVALID`.
 */
export async function logInWithApiToken(app: App, login: ApiTokenLogin): Promise<AccessToken> {
  const network = clientNetwork(login.address);
  const found = await findToken(app, login);
  const session = found && (await findSession(app, found.token, login.expiresAt));
  if (found === null || session === null) {
    const by = strangerActor(login.email ?? '', null, network);
    countAct(app, { by, action: 'user.sign_in_refused', subject: { kind: 'user', id: 'api token' } });
    throw new Problem('API_TOKEN_INVALID');
  }
  const { user, token } = found;
  noteSessionUse(app, session);
  const by = userActor({ ...user, token: token.name }, network);
  countAct(app, { by, action: 'user.signed_in', subject: { kind: 'api_token', id: token.id } });
  return issueAccessToken(app, session);
}

async function findToken(app: App, login: ApiTokenLogin): Promise<{ user: UserRow; token: ApiTokenRow } | null> {
  const hashes = await apiTokenHashes(app);
  const digest = digestOf(login.apiToken);
  const token = await selectApiTokenByLookup(app.db, hashes.lookup(digest));
  if (token === null || !provesToken(hashes, digest, token) || hasEnded(token, app.now())) return null;
  const user = await selectUserById(app.db, token.user_id);
  if (user === null || user.disabled_at !== null) return null;
  return login.email === null || normalizeEmail(login.email) === user.email ? { user, token } : null;
}

function hasEnded({ ended_at, expires_at }: ApiTokenRow, now: number): boolean {
  return ended_at !== null || (expires_at !== null && expires_at <= now);
}

/** Returns a session to share, or a new one; null: the token has ended or the user was disabled meanwhile. */
async function findSession(app: App, token: ApiTokenRow, asked: number | null): Promise<SessionRow | null> {
  const now = app.now();
  const longest = Math.min(now + LONGEST_LIFETIME_MS, token.expires_at ?? Infinity);
  const to = asked === null ? longest : Math.min(asked * 1000, longest);
  // A requested time is kept exactly, unless it is after the latest possible one.
  const from = asked === null || asked * 1000 > longest ? to - DAY_MS : to;
  const shared = await selectSessionToShare(app.db, token.id, now - DAY_MS, { from: Math.max(from, now + 1), to });
  if (shared !== null) return shared;
  const begun = { user_id: token.user_id, kind: 'api_token', api_token_id: token.id, origin: null } as const;
  return app.db.transaction(async (tx) => {
    // Like a reset, this locks the user before the token.
    const user = await lockUser(tx, token.user_id);
    if (user === null || user.disabled_at !== null || !(await lockOpenApiToken(tx, token.id))) return null;
    return beginSession(tx, { ...begun, expires_at: to }, now);
  });
}
