import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress, sameAddress, type UrlPolicy } from './address-filter.ts';
import { withinTime } from './within-time.ts';

/** All addresses of a name, both families, in the order in which to try them. Rejects with an error that has a code. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * The addresses to which a request may go, or null when any address of the host is forbidden: a name that leads to
 * both kinds is an attack or a mistake. Rejects with the resolver's error, or after `timeoutMs` with ETIMEDOUT.
 */
export function resolveHost(
  host: string,
  resolve: Resolve,
  rules: UrlPolicy,
  timeoutMs: number,
): Promise<readonly string[] | null> {
  return withinTime(allowedAddresses(host, resolve, rules), timeoutMs);
}

/**
 * The system's resolver: files, DNS, and whatever else the machine is set up with. Calls that ask for the same name at
 * the same time share one look-up, because each holds one of Node's four threads and a dead name server holds it for
 * long. Nothing is remembered. IPv4 comes first: where IPv6 leads nowhere, each connection would wait in vain.
 */
export function systemResolver(): Resolve {
  const running = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    let addresses = running.get(hostname);
    if (addresses === undefined) {
      addresses = lookup(hostname, { all: true, order: 'ipv4first' })
        .then((found) => found.map((entry) => entry.address))
        .finally(() => running.delete(hostname));
      running.set(hostname, addresses);
    }
    return addresses;
  };
}

async function allowedAddresses(host: string, resolve: Resolve, rules: UrlPolicy): Promise<readonly string[] | null> {
  const addresses = await addressesOf(host, resolve);
  if (rules.allowPrivate) return addresses;
  if (!addresses.every(isPublicAddress)) return null;
  // A name of our own that does not resolve just now must not stop the requests to everybody else.
  const ownHosts = rules.ownAddresses ?? [];
  const own = await Promise.all(ownHosts.map((ownHost) => addressesOf(ownHost, resolve).catch(() => [])));
  const leadsHome = own.flat().some((mine) => addresses.some((address) => sameAddress(mine, address)));
  return leadsHome ? null : addresses;
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  return isIP(host) === 0 ? resolve(host) : [host];
}
