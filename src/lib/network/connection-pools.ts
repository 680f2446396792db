import type { Socket } from 'node:net';
import { type buildConnector, Pool } from 'undici';
import { withoutBrackets } from './address-filter.ts';
import type { DialError, DialTarget } from './dial-address.ts';

/** Keep-alive connections, pooled by origin and by the checked address they lead to. */
export type ConnectionPools = {
  /** Returns the addresses with the first one that has a pool moved to the front. */
  openFirst: (origin: string, addresses: readonly string[]) => readonly string[];
  /** Runs `work` with the pool of one address, which lives as long as it has work or open sockets. */
  use: <T>(url: URL, address: string, work: (pool: Pool) => Promise<T>) => Promise<T>;
  /** Ends every connection. Requests under way fail. */
  close: () => Promise<void>;
};

/** Calls `done` once, with a socket that is ready for requests or with an error, within its own time limit. */
export type OpenConnection = (target: DialTarget, done: (error: DialError | null, socket: Socket) => void) => void;

type Entry = { pool: Pool; sockets: number; users: number };

/** The longest time a connection is kept open. A server may ask for more, but that only holds sockets. */
const keepAliveMaxMs = 30_000;
const maxHeaderBytes = 8_192;

/** Creates pools that open sockets with `open` only, so no other address than the checked one is ever reached. */
export function createConnectionPools(open: OpenConnection): ConnectionPools {
  const entries = new Map<string, Entry>();

  function openFirst(origin: string, addresses: readonly string[]): readonly string[] {
    const open = addresses.find((address) => entries.has(poolKey(origin, address)));
    return open === undefined ? addresses : [open, ...addresses.filter((address) => address !== open)];
  }

  async function use<T>(url: URL, address: string, work: (pool: Pool) => Promise<T>): Promise<T> {
    const key = poolKey(url.origin, address);
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = createEntry(url, address, key);
      entries.set(key, entry);
    }
    entry.users++;
    try {
      return await work(entry.pool);
    } finally {
      entry.users--;
      retire(key, entry);
    }
  }

  function createEntry(url: URL, address: string, key: string): Entry {
    const connect: buildConnector.connector = (_options, done) => {
      const secure = url.protocol === 'https:';
      const port = Number(url.port) || (secure ? 443 : 80);
      entry.sockets++;
      const closed = (): void => {
        entry.sockets--;
        retire(key, entry);
      };
      const target = { address, port, servername: secure ? withoutBrackets(url.hostname) : null };
      open(target, (error, socket) => {
        if (error === null) {
          socket.once('close', closed);
          done(null, socket);
          return;
        }
        done(error, null);
        // A socket that failed because it closed does not emit `close` to a new listener.
        closed();
      });
    };
    // The client's own time-outs are off: one deadline covers the whole request.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveMaxTimeout: keepAliveMaxMs };
    const pool = new Pool(url.origin, { connect, allowH2: false, maxHeaderSize: maxHeaderBytes, ...timeouts });
    const entry: Entry = { pool, sockets: 0, users: 0 };
    return entry;
  }

  function retire(key: string, entry: Entry): void {
    if (entry.users > 0 || entry.sockets > 0 || entries.get(key) !== entry) return;
    entries.delete(key);
    void entry.pool.close();
  }

  async function close(): Promise<void> {
    const pools = [...entries.values()].map((entry) => entry.pool);
    entries.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  return { openFirst, use, close };
}

function poolKey(origin: string, address: string): string {
  return `${address} ${origin}`;
}
