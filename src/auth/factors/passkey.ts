import type { App } from '../../app.ts';
import { publicOrigin } from '../../config.ts';
import { parseObject } from '../../lib/parse-object.ts';
import type { FactorRow } from './factor-queries.ts';

/** The site of passkeys: its host, and the origin that a browser must report. */
export type PasskeySite = { host: string; origin: string };

/**
 * Returns the site of this installation. Null if browsers allow no passkeys there: an IP address, or no https on a host
 * other than localhost (WebAuthn, "secure context").
 */
export function passkeySite({ config }: Pick<App, 'config'>): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(publicOrigin(config));
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  return isAddress || !(protocol === 'https:' || isHere) ? null : { host: hostname, origin };
}

/** Lists the passkeys of a person for this site, in the form for a browser. */
export function credentialsOf(factors: readonly FactorRow[], { host }: PasskeySite): { id: string }[] {
  return factors.flatMap(({ kind, credential, site }) =>
    kind === 'passkey' && credential !== null && (site === null || site === host) ? [{ id: credential }] : [],
  );
}

/** Parses a browser's response; null if it is not JSON with an id. The library checks the content. */
export function readAnswer(text: string): { id: string } | null {
  const read = parseObject(text);
  return typeof read?.['id'] === 'string' ? { ...read, id: read['id'] } : null;
}

/**
 * EdDSA, ES256 and RS256 (RFC 8152, RFC 8812), which all browsers support. Longer signatures do not fit into our forms.
 */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** Loaded at the first use. */
export const passkeyLibrary = () => import('@simplewebauthn/server');
