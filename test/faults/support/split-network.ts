import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/**
 * The behaviour of the network between a service and its database. `silent`: drops everything without an error.
 * `commits unanswered`: commits of watched statements arrive, and no response comes back from then on. `resets`: resets
 * every connection, also new ones. `slow`: delays everything.
 */
export type NetworkFault = 'silent' | 'commits unanswered' | 'resets' | 'slow';

export type SplitNetwork = {
  /** The URL of the database through this network. */
  readonly url: string;
  /** Sets the fault; null ends it. Data held back until then arrives afterwards. */
  set(fault: NetworkFault | null): void;
  close(): void;
};

const SLOW_MS = 100;

type Pair = { client: Socket; server: Socket };

/** Opens a network between a service and the PostgreSQL at `url`. `watched` is a text in the statements to watch. */
export async function splitNetwork(url: string, watched: string): Promise<SplitNetwork> {
  const target = new URL(url);
  const database = { host: target.hostname, port: Number(target.port) };
  const pairs = new Set<Pair>();
  let fault: NetworkFault | null = null;

  const forward = (from: Socket, to: Socket, onChunk: (chunk: Buffer) => void = () => {}) => {
    from.on('data', (chunk: Buffer) => {
      onChunk(chunk);
      if (fault === 'slow') setTimeout(() => to.write(chunk), SLOW_MS);
      else to.write(chunk);
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };

  const network = createServer((client) => {
    if (fault === 'resets') return void client.resetAndDestroy();
    const server = dial(database);
    const pair = { client, server };
    pairs.add(pair);
    client.once('close', () => pairs.delete(pair));
    let isWatched = false;
    forward(client, server, (chunk) => {
      if (chunk.includes('begin')) isWatched = false;
      if (chunk.includes(watched)) isWatched = true;
      // Matches the whole statement, which ends here: not `read committed`, nor a column of that name.
      if (fault === 'commits unanswered' && isWatched && chunk.includes('commit\0')) server.pause();
    });
    forward(server, client);
    if (fault === 'silent') hold(pair);
  });
  network.listen(0, '127.0.0.1');
  await once(network, 'listening');
  target.port = String((network.address() as AddressInfo).port);

  return {
    url: target.href,
    set: (next) => {
      fault = next;
      for (const pair of pairs) {
        if (fault === 'silent') hold(pair);
        else if (fault === 'resets') pair.client.resetAndDestroy();
        else if (fault === null) release(pair);
      }
    },
    close: () => {
      network.close();
      for (const { client } of pairs) client.destroy();
    },
  };
}

function hold({ client, server }: Pair): void {
  client.pause();
  server.pause();
}

function release({ client, server }: Pair): void {
  client.resume();
  server.resume();
}
