import type { App } from '../app.ts';
import { clientNetwork } from '../lib/network/client-network.ts';
import { perInstance } from '../lib/per-instance.ts';

/**
 * After `most` responses to a network in `windowMs`, each further response is delayed by `heldMs`, plus or minus half.
 */
export const HELD_BACK = { most: 10, windowMs: 100, heldMs: 1_000 };

type Counts = { window: number; byNetwork: Map<string, number> };

const countsOf = perInstance((_app: App): Counts => ({ window: 0, byNetwork: new Map() }));

/**
 * Returns the delay of a response in milliseconds; 0: none. For refusals and metrics. A client that retries as fast as
 * it is refused takes the CPU that payments need. A delayed client takes little, because each network has a share of
 * the connections. An accepted payment is never delayed. Do not use it behind a balancer, because its connections would
 * be held.
 */
export function holdBack(app: App, address: string, now = () => performance.now()): number {
  const counts = countsOf(app);
  const window = Math.floor(now() / HELD_BACK.windowMs);
  if (counts.window !== window) Object.assign(counts, { window, byNetwork: new Map() });
  const network = clientNetwork(address, 48);
  const answers = (counts.byNetwork.get(network) ?? 0) + 1;
  counts.byNetwork.set(network, answers);
  if (answers <= HELD_BACK.most) return 0;
  app.metrics.refused.inc({ reason: 'held' });
  // The delays are random, so that the retries do not arrive as another burst.
  return HELD_BACK.heldMs * (0.5 + app.random());
}
