import { Resolver } from 'node:dns/promises';
import { createHostsFile, type HostsFile } from './hosts-file.ts';
import type { Resolve } from './resolve-host.ts';

export type NameResolverOptions = {
  hostsFile?: HostsFile;
  /** Name servers as `ADDRESS:PORT`; without them the name servers of the machine, read with each look-up. */
  servers?: readonly string[];
  /** For one look-up, both families. */
  timeoutMs?: number;
};

/** A lost packet is sent again after this, then after twice as long. */
const PACKET_MS = 1_000;
const TRIES = 3;

/**
 * Asks the machine's list of names, then its name servers, for both families at once. Rejects with ENOTFOUND, ETIMEDOUT
 * or another code.
 *
 * Not by the system's own function: that holds one of Node's few threads until the name server answers, so two dead
 * name servers stop every other look-up in the process. Each look-up here has a channel of its own, which ends with it,
 * and holds nothing but a socket. Calls that ask for one name at the same time share a look-up. IPv4 comes first: where
 * IPv6 leads nowhere, each connection would wait in vain.
 */
export function createNameResolver(options: NameResolverOptions = {}): Resolve {
  const { hostsFile = createHostsFile() } = options;
  const running = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    let addresses = running.get(hostname);
    if (addresses === undefined) {
      const listed = hostsFile(hostname);
      if (listed !== null) return Promise.resolve(ipv4First(listed));
      addresses = askNameServers(hostname, options).finally(() => running.delete(hostname));
      running.set(hostname, addresses);
    }
    return addresses;
  };
}

async function askNameServers(hostname: string, options: NameResolverOptions): Promise<readonly string[]> {
  const { servers, timeoutMs = 4_000 } = options;
  const resolver = new Resolver({ timeout: PACKET_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  // Only answers until then count: some name servers drop the question for IPv6.
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(timer);
  const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (addresses.length === 0) throw failureOf(families);
  return addresses;
}

/** That nobody answered says more than that a name has no address of the other family. */
function failureOf(families: readonly PromiseSettledResult<unknown>[]): Error {
  const codes = families.map((family) => (family.status === 'rejected' ? codeOf(family.reason) : 'ENODATA'));
  const code = codes.find((one) => one !== 'ENODATA' && one !== 'ENOTFOUND') ?? codes[0] ?? 'ENODATA';
  return Object.assign(new Error(`no address: ${code}`), { code });
}

function codeOf(reason: { code?: string }): string {
  const { code = 'EAI_FAIL' } = reason;
  return code === 'ETIMEOUT' || code === 'ECANCELLED' ? 'ETIMEDOUT' : code;
}

function ipv4First(addresses: readonly string[]): readonly string[] {
  return [...addresses].sort((one, other) => Number(one.includes(':')) - Number(other.includes(':')));
}
