import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { prefixedId } from '../../lib/ids.ts';
import type { SessionRow } from '../sign-in/session-queries.ts';
import type { User } from '../user.ts';
import { selectFactorsOf } from './factor-queries.ts';
import { beginSetup, readSetup } from './factor-setup.ts';
import { credentialsOf, PASSKEY_ALGORITHMS, passkeyLibrary, passkeySite, readAnswer } from './passkey.ts';
import { sealFactor } from './seal-factor.ts';
import { type StoredFactor, storeFactor } from './store-factor.ts';

/** The person who adds a passkey, and the session. A challenge belongs to both and is used once. */
export type Enrolling = { user: User; session: SessionRow };

/**
 * Begins adding a passkey. `options`: JSON for `navigator.credentials.create`; `setup`: for `finishPasskey`. Returns
 * null if passkeys do not work at this address.
 */
export async function beginPasskey(app: App, who: Enrolling): Promise<{ options: string; setup: string } | null> {
  const site = passkeySite(app);
  if (site === null) return null;
  const { user } = who;
  const { generateRegistrationOptions } = await passkeyLibrary();
  const options = await generateRegistrationOptions({
    rpName: 'Rúbrica',
    rpID: site.host,
    userName: user.email,
    userID: new TextEncoder().encode(user.id),
    attestationType: 'none',
    excludeCredentials: credentialsOf(await selectFactorsOf(app.db, user.id), site),
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  const setup = beginSetup(app, ownerOf(who, 'added'), { id: prefixedId('fac'), secret: options.challenge });
  return { options: JSON.stringify(options), setup };
}

/**
 * Adds the passkey if `answer` is a browser's response at this site to the challenge of `setup`. Returns null if it is
 * not, if the challenge expired or belongs to another person, if the passkey is already stored, or if the session may
 * not add a factor any more.
 */
export async function finishPasskey(
  app: App,
  who: Enrolling,
  { setup, answer, name }: { setup: string; answer: string; name: string },
  by: Actor,
): Promise<StoredFactor | null> {
  const site = passkeySite(app);
  const begun = readSetup(app, ownerOf(who, 'added'), setup);
  const response = readAnswer(answer) as RegistrationResponseJSON | null;
  if (site === null || begun === null || response === null) return null;
  const { verifyRegistrationResponse } = await passkeyLibrary();
  // Throws if any part of the response is not as expected.
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: begun.secret,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    requireUserVerification: false,
  }).catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined) return null;
  const { id: credential, publicKey, counter } = registrationInfo.credential;
  const place = { id: begun.id, user_id: who.user.id, kind: 'passkey' } as const;
  const sealed = sealFactor(app, place, Buffer.from(publicKey).toString('base64url'));
  return storeFactor(app, { ...place, name, sealed, credential, site: site.host, last_step: counter }, who.session, by);
}

/** Returns the owner and the purpose of a challenge. */
export function ownerOf({ user, session }: Enrolling, toBe: 'added' | 'proved'): string {
  return `${user.id}/${session.id}/${toBe}`;
}
