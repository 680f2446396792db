import type { AccessToken } from './api-access.ts';

// A token must not expire while a request is on its way.
const MARGIN_MS = 30_000;

/** Returns the access token to send. With a refused token as argument it returns a new one. */
export type TokenSource = (refused?: string) => Promise<string>;

/**
 * Returns a source of access tokens from a login. Each token is used until shortly before it expires. Concurrent calls
 * share one login.
 */
export function keepToken(logIn: () => Promise<AccessToken>): TokenSource {
  let latest: Promise<Session> | null = null;
  return async (refused) => {
    const known = latest;
    const session = await known?.catch(() => null);
    if (session && session.token !== refused && session.endsAt > Date.now()) return session.token;
    // A concurrent call may have logged in meanwhile.
    if (latest === known) latest = openSession(logIn);
    return ((await latest) as Session).token;
  };
}

type Session = { token: string; endsAt: number };

async function openSession(logIn: () => Promise<AccessToken>): Promise<Session> {
  const start = Date.now();
  const { access_token_jwt: token, expires_in: seconds } = await logIn();
  return { token, endsAt: start + seconds * 1000 - MARGIN_MS };
}
