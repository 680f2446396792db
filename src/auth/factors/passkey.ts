import type { App } from '../../app.ts';
import { publicOrigin } from '../../config.ts';
import { parseObject } from '../../lib/parse-object.ts';
import type { FactorRow } from './factor-queries.ts';

/** For which site passkeys are made: its host, and the origin that a browser must say. */
export type PasskeySite = { host: string; origin: string };

/**
 * The site of this installation. Null where browsers make no passkeys: at an address without a name, and without https on any host but
 * this machine (WebAuthn, "secure context").
 */
export function passkeySite({ config }: Pick<App, 'config'>): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(publicOrigin(config));
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  return isAddress || !(protocol === 'https:' || isHere) ? null : { host: hostname, origin };
}

/** Lists the passkeys of a person for this site as a browser is told of them. */
export function credentialsOf(factors: readonly FactorRow[], { host }: PasskeySite): { id: string }[] {
  return factors.flatMap(({ kind, credential, site }) =>
    kind === 'passkey' && credential !== null && (site === null || site === host) ? [{ id: credential }] : [],
  );
}

/** Reads a browser's answer as an object; null where it is not JSON. What is in it the library checks. */
export function readAnswer(text: string): { id: string } | null {
  const read = parseObject(text);
  return typeof read?.['id'] === 'string' ? { ...read, id: read['id'] } : null;
}

/** EdDSA, ES256 and RS256 (RFC 8152, RFC 8812), which every browser knows. Longer signatures fit into no form of ours. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** Loaded when somebody first uses it. */
export const passkeyLibrary = () => import('@simplewebauthn/server');
