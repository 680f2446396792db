import { Resolver } from 'node:dns/promises';
import { createHostsFile, type HostsFile } from './hosts-file.ts';
import type { Resolve } from './resolve-host.ts';

export type NameResolverOptions = {
  hostsFile?: HostsFile;
  /** Name servers as `ADDRESS:PORT`. Default: the machine's name servers, read with each look-up. */
  servers?: readonly string[];
  /** The limit of one look-up, for both families. */
  timeoutMs?: number;
};

/** A lost packet is sent again after this time, then after twice as long. */
const PACKET_MS = 1_000;
const TRIES = 3;

/**
 * Resolves a name for both families at once, by the hosts file and then by name servers. Rejects with ENOTFOUND,
 * ETIMEDOUT or another code.
 *
 * It does not use the system's resolver, which blocks one of Node's few threads until the name server answers: two dead
 * name servers would stop all look-ups of the process. Each look-up has its own channel and holds only a socket.
 * Concurrent look-ups of one name are shared. IPv4 comes first, because a broken IPv6 route would delay each
 * connection.
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
  // Only answers until then count: some name servers drop the IPv6 question.
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  clearTimeout(timer);
  const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (addresses.length === 0) throw failureOf(families);
  return addresses;
}

/** A time-out says more than a missing address of the other family, so it is reported first. */
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
