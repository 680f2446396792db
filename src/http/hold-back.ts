import type { App } from '../app.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { perInstance } from '../lib/per-instance.ts';

/** Beyond `most` answers to a network in `windowMs`, each further one comes `heldMs` later, or half as much more or less. */
export const HELD_BACK = { most: 10, windowMs: 100, heldMs: 1_000 };

type Counts = { window: number; byNetwork: Map<string, number> };

const countsOf = perInstance((_app: App): Counts => ({ window: 0, byNetwork: new Map() }));

/**
 * Holds an answer back: a refusal, or metrics. A client that asks as fast as it is refused takes the processor that payments
 * need; one that waits takes little, because a network has a share of the connections. A payment that is accepted never waits.
 * Not for what comes through a balancer, whose connections would be held.
 *
 * Answers for how many milliseconds; 0: not at all.
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
  // Not all together, or they would be a burst again.
  return HELD_BACK.heldMs * (0.5 + app.random());
}
