import type { AccessToken } from './api-access.ts';

// A token must not end on its way.
const MARGIN_MS = 30_000;

/** The access token to send. Called with one that was refused, it gives another. */
export type TokenSource = (refused?: string) => Promise<string>;

/** Access tokens from a login, each used until shortly before its end. Calls that come together share one login. */
export function keepToken(logIn: () => Promise<AccessToken>): TokenSource {
  let latest: Promise<Session> | null = null;
  return async (refused) => {
    const known = latest;
    const session = await known?.catch(() => null);
    if (session && session.token !== refused && session.endsAt > Date.now()) return session.token;
    // Another call that waited may have logged in meanwhile.
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
