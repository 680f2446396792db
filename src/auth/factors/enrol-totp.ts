import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { worldTime } from '../../lib/clock.ts';
import { prefixedId } from '../../lib/ids.ts';
import type { ShownSession } from '../sign-in/session.ts';
import { beginSetup, readSetup } from './factor-setup.ts';
import { sealFactor } from './seal-factor.ts';
import { storeFactor } from './store-factor.ts';
import { newTotpSecret, stepOfCode, totpAddress } from './totp.ts';

type Owner = { id: string; email: string };

/**
 * Returns a new secret for the person's app. `setup` is for `finishTotp`. Nothing is stored until a code proves that
 * the app works.
 */
export async function beginTotp(app: App, user: Owner): Promise<{ secret: string; address: string; setup: string }> {
  const secret = await newTotpSecret();
  const setup = beginSetup(app, user.id, { id: prefixedId('fac'), secret });
  return { secret, address: await totpAddress(secret, user.email), setup };
}

/** Returns the same for a form that is shown again. Null: `setup` is of another user or has expired. */
export async function continueTotp(app: App, user: Owner, setup: string) {
  const begun = readSetup(app, user.id, setup);
  return begun && { secret: begun.secret, address: await totpAddress(begun.secret, user.email), setup };
}

/**
 * Adds the TOTP if `code` is right, and uses up the code. `recoveryCodes` are never shown again; empty if the user
 * keeps the earlier ones. Returns null if the code is wrong, if the setup has expired or was used, or if the session
 * may not add a factor any more.
 */
export async function finishTotp(
  app: App,
  { user, session }: { user: Owner; session: ShownSession },
  { setup, code, name }: { setup: string; code: string; name: string },
  by: Actor,
): Promise<{ id: string; recoveryCodes: string[] } | null> {
  const begun = readSetup(app, user.id, setup);
  if (begun === null) return null;
  const step = await stepOfCode(begun.secret, code, worldTime(app.now));
  if (step === null) return null;
  const place = { id: begun.id, user_id: user.id, kind: 'totp' } as const;
  const row = {
    ...place,
    name,
    sealed: sealFactor(app, place, begun.secret),
    credential: null,
    site: null,
    last_step: step,
  };
  return storeFactor(app, row, session, by);
}

/** Adds a TOTP without checking a code, for the command line. */
export async function addTotp(app: App, user: Owner, name: string, by: Actor) {
  const secret = await newTotpSecret();
  const place = { id: prefixedId('fac'), user_id: user.id, kind: 'totp' } as const;
  const row = { ...place, name, sealed: sealFactor(app, place, secret), credential: null, site: null, last_step: 0 };
  const stored = await storeFactor(app, row, null, by);
  return stored && { ...stored, secret, address: await totpAddress(secret, user.email) };
}
