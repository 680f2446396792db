import { isIP } from 'node:net';
import { rememberAccepted } from '../../../protocol/remember-accepted.ts';
import { withinTime } from '../within-time.ts';
import { isPublicAddress, sameAddress, type UrlPolicy } from './address-filter.ts';
import { isInNetworks, isMetadataService } from './private-networks.ts';

/**
 * Returns all addresses of a name, both families, in the order to try them. Rejects with an error that has a code.
 * `merchant` is the environment of the request: look-ups of one merchant must not delay look-ups of others.
 */
export type Resolve = (hostname: string, merchant?: number) => Promise<readonly string[]>;

/**
 * Returns the addresses that a request may use, or null if any address of the host is forbidden: a name with both kinds
 * is an attack or a mistake. Rejects with the resolver's error, or after `timeoutMs` with ETIMEDOUT.
 */
export function resolveHost(
  host: string,
  resolve: Resolve,
  rules: UrlPolicy,
  timeoutMs: number,
  merchant?: number,
): Promise<readonly string[] | null> {
  return withinTime(allowedAddresses(host, resolve, rules, merchant), timeoutMs);
}

// The kind of an address never changes, and to judge one costs more than the rest of a look-up.
const refuseSpecial = rememberAccepted((ip) => (isPublicAddress(ip) ? null : 'special'));
const refuseMetadata = rememberAccepted((ip) => (isMetadataService(ip) ? 'metadata' : null));

async function allowedAddresses(
  host: string,
  resolve: Resolve,
  rules: UrlPolicy,
  merchant: number | undefined,
): Promise<readonly string[] | null> {
  const addresses = await addressesOf(host, (name) => resolve(name, merchant));
  if (rules.allowPrivate) return addresses.some((address) => refuseMetadata(address) !== null) ? null : addresses;
  const networks = rules.networks ?? [];
  if (!addresses.every((address) => refuseSpecial(address) === null || isInNetworks(address, networks))) return null;
  // A failed look-up of this service's own name must not stop requests to other hosts.
  const ownHosts = rules.ownAddresses ?? [];
  const own = await Promise.all(ownHosts.map((ownHost) => addressesOf(ownHost, resolve).catch(() => [])));
  const leadsHome = own.flat().some((mine) => addresses.some((address) => sameAddress(mine, address)));
  return leadsHome ? null : addresses;
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  return isIP(host) === 0 ? resolve(host) : [host];
}
