import { readFileSync, statSync } from 'node:fs';

/** The addresses that the machine's own list of names gives a name, in its order; null where the list says nothing. */
export type HostsFile = (hostname: string) => readonly string[] | null;

const SYSTEM_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

/**
 * Reads `/etc/hosts`, and again when it has changed. `localhost` and all names under it are this machine, whatever the
 * file says or a name server would (RFC 6761, 6.3).
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
