import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from '../app.ts';
import { createFairShares } from '../lib/fair-shares.ts';
import { clientNetworks } from '../lib/network/client-network.ts';
import { SERVER_LIMITS } from './server-limits.ts';

/**
 * Limits the connections of each network, so that silent clients leave some for others, however many addresses they
 * have.
 */
export function shareConnections(app: App, server: Server): void {
  const shares = createFairShares(SERVER_LIMITS.connections);
  server.on('connection', (socket: Socket) => {
    const networks = clientNetworks(socket.remoteAddress ?? '');
    if (!shares.take(networks, 1)) {
      app.metrics.refused.inc({ reason: 'connection_share' });
      socket.destroy();
      return;
    }
    socket.once('close', () => shares.release(networks, 1));
  });
}
