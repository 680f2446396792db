import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetworks } from '../lib/network/client-network.ts';

/** `floods` of one network within `ms` shut it out for `ms`. At most `networks` are remembered. */
export type FloodLimits = { floods: number; ms: number; networks: number };

/** How often a network has flooded, and until when the count is valid. */
type Flooder = { floods: number; until: number };

/**
 * Shuts out a network that floods repeatedly: cuts its connections, and closes new ones before reading from them.
 * Reading thousands of requests at once takes 20 ms or more even if none is answered, so refusing them one by one would
 * still delay everybody. `note` is called for each closed connection.
 *
 * Returns the function to call with a connection that has flooded.
 */
export function shutOutFloods(
  server: Server,
  limits: FloodLimits,
  note: () => void,
  now = () => performance.now(),
): (socket: Socket) => void {
  const networksOf = new Map<Socket, readonly string[]>();
  const flooders = new Map<string, Flooder>();

  const isShutOut = (network: string): boolean => {
    const { floods = 0, until = 0 } = flooders.get(network) ?? {};
    return floods >= limits.floods && now() < until;
  };

  const close = (socket: Socket): void => {
    note();
    socket.destroy();
  };

  server.on('connection', (socket: Socket) => {
    const networks = clientNetworks(socket.remoteAddress ?? '');
    if (networks.some(isShutOut)) {
      close(socket);
      return;
    }
    networksOf.set(socket, networks);
    socket.once('close', () => networksOf.delete(socket));
  });

  return (flooding) => {
    const at = now();
    for (const network of networksOf.get(flooding) ?? []) {
      if (flooders.size >= limits.networks) forget(flooders, at);
      const before = flooders.get(network);
      const floods = before === undefined || at >= before.until ? 1 : before.floods + 1;
      flooders.set(network, { floods, until: at + limits.ms });
      if (floods < limits.floods) continue;
      for (const [socket, networks] of networksOf) if (networks.includes(network)) close(socket);
    }
  };
}

/** Drops expired counts, or all if no count has expired: a network that keeps flooding is soon counted again. */
function forget(flooders: Map<string, Flooder>, at: number): void {
  const { size } = flooders;
  for (const [network, { until }] of flooders) if (at >= until) flooders.delete(network);
  if (flooders.size === size) flooders.clear();
}
