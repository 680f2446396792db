import { readFileSync, statSync } from 'node:fs';

/** Returns the addresses of a name from the hosts file, in its order; null if the file does not list the name. */
export type HostsFile = (hostname: string) => readonly string[] | null;

const SYSTEM_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

/**
 * Reads `/etc/hosts`, and reads it again after a change. `localhost` and all names under it are always this machine, in
 * spite of the file and of name servers (RFC 6761, 6.3).
 */
export function createHostsFile(path: string = SYSTEM_FILE): HostsFile {
  let names: ReadonlyMap<string, readonly string[]> = new Map();
  let readAt = -1;
  return (hostname) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return LOOPBACK;
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
    if (changedAt !== readAt) {
      names = changedAt === -1 ? new Map() : parseHosts(readFileSync(path, 'utf8'));
      readAt = changedAt;
    }
    return names.get(hostname) ?? null;
  };
}

function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...aliases] = (line.split('#', 1)[0] as string).split(/\s+/).filter((word) => word !== '');
    if (address === undefined) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, [...(names.get(name) ?? []), address]);
    }
  }
  return names;
}
