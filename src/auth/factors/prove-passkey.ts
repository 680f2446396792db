import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { App } from '../../app.ts';
import type { AccessToken } from '../tokens/access-token.ts';
import { ownerOf } from './enrol-passkey.ts';
import { type FactorRow, selectFactorsOf, updatePasskeyUsed } from './factor-queries.ts';
import { beginSetup, readSetup } from './factor-setup.ts';
import { credentialsOf, type PasskeySite, passkeyLibrary, passkeySite, readAnswer } from './passkey.ts';
import { countGuesses, type Prover, type Taker, takeProof } from './prove-factor.ts';
import { openFactor } from './seal-factor.ts';

type Asking = Omit<Prover, 'address'>;

/**
 * Begins a proof with a passkey. `options`: JSON for `navigator.credentials.get`; `setup`: for `proveByPasskey`.
 * Returns null if the person has no passkey for this address.
 */
export async function askForPasskey(app: App, who: Asking): Promise<{ options: string; setup: string } | null> {
  const site = passkeySite(app);
  const credentials = site === null ? [] : credentialsOf(await selectFactorsOf(app.db, who.user.id), site);
  if (site === null || credentials.length === 0) return null;
  const { generateAuthenticationOptions } = await passkeyLibrary();
  const options = await generateAuthenticationOptions({
    rpID: site.host,
    allowCredentials: credentials,
    userVerification: 'preferred',
  });
  const setup = beginSetup(app, ownerOf(who, 'proved'), { id: 'passkey', secret: options.challenge });
  return { options: JSON.stringify(options), setup };
}

/**
 * Checks a passkey's signature of the challenge of `setup`. Returns the access token of a new session that replaces the
 * old one. The challenge belongs to the old session, so it works once. Throws `Problem` `FACTOR_REFUSED`, or
 * `RATE_LIMITED` after too many attempts.
 */
export async function proveByPasskey(
  app: App,
  prover: Prover,
  { setup, answer }: { setup: string; answer: string },
): Promise<AccessToken> {
  const guesses = await countGuesses(app, prover, []);
  const take = await passkeyTaker(app, prover, { setup, answer });
  return takeProof(app, prover, { take, guesses, factor: 'passkey' });
}

async function passkeyTaker(
  app: App,
  prover: Prover,
  { setup, answer }: { setup: string; answer: string },
): Promise<Taker | null> {
  const site = passkeySite(app);
  const asked = readSetup(app, ownerOf(prover, 'proved'), setup);
  const response = readAnswer(answer) as AuthenticationResponseJSON | null;
  if (site === null || asked === null || response === null) return null;
  const factors = await selectFactorsOf(app.db, prover.user.id);
  const factor = factors.find(({ kind, credential }) => kind === 'passkey' && credential === response.id);
  if (factor === undefined) return null;
  const counter = await counterOf(app, factor, { response, challenge: asked.secret, site });
  return counter === null ? null : (tx, at) => updatePasskeyUsed(tx, { id: factor.id, site: site.host }, counter, at);
}

type Signed = { response: AuthenticationResponseJSON; challenge: string; site: PasskeySite };

/**
 * Returns the counter of the passkey if its signature is right, else null. A counter that went back means a copy of the
 * passkey.
 */
async function counterOf(app: App, factor: FactorRow, { response, challenge, site }: Signed): Promise<number | null> {
  const publicKey = new Uint8Array(Buffer.from(openFactor(app, factor), 'base64url'));
  const { verifyAuthenticationResponse } = await passkeyLibrary();
  // Throws if any part of the response is not as expected.
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    credential: { id: response.id, publicKey, counter: factor.last_step },
    requireUserVerification: false,
  }).catch(() => null);
  return verified?.verified === true ? verified.authenticationInfo.newCounter : null;
}
