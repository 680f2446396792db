import { comesTrue, PATIENCE_MS } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { createPaid } from './support/orders.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';
import { startSlowMerchant } from './support/slow-merchant.ts';

export type HungReport = {
  /** The requests that hang at the same time. */
  hanging: number;
  /** The longest time from a payment at the healthy merchant to its callback, in milliseconds. */
  slowestMs: number;
  problems: string[];
};

const MOST_AT_ONCE = 4;
/** Shorter than the 15 s time-out of a request, so requests that arrive within it after the first are concurrent. */
const BESIDE_EACH_OTHER_MS = 10_000;

/**
 * Pays `hung` orders of a merchant that never responds, then `others` of a healthy one. `withinMs`: the time within
 * which each callback of the healthy one must arrive.
 */
export async function hangMerchant(
  hung: number,
  others: number,
  options: { withinMs?: number; plant?: PlantName } = {},
): Promise<HungReport> {
  const { withinMs = PATIENCE_MS, plant } = options;
  using store = await createScratchStore();
  using merchant = await startSlowMerchant();
  const arrived = (path: string) => merchant.arrivals.filter((arrival) => arrival.path.startsWith(path));
  const problems: string[] = [];
  await using service = await startServe({ databaseUrl: store.databaseUrl, plant });
  const pay = (number: number, path: string) =>
    createPaid(service.url, `${path.slice(1)}-${number}`, merchant.url + path);
  await Promise.all(Array.from({ length: hung }, (_, number) => pay(number, '/hang')));
  if (!(await comesTrue(() => arrived('/hang').length > 0))) problems.push('nothing hangs');
  let slowestMs = 0;
  for (let number = 0; number < others; number++) {
    await pay(number, '/ok');
    const paidAt = performance.now();
    if (!(await comesTrue(() => arrived('/ok').length > number, withinMs))) {
      problems.push(`a callback of another merchant did not arrive within ${withinMs} ms`);
      break;
    }
    slowestMs = Math.max(slowestMs, Math.round((arrived('/ok')[number]?.at ?? 0) - paidAt));
  }
  const [first] = arrived('/hang');
  const hanging = arrived('/hang').filter(({ at }) => at < (first?.at ?? 0) + BESIDE_EACH_OTHER_MS).length;
  if (hanging > MOST_AT_ONCE) problems.push(`${hanging} requests at once at one merchant`);
  return { hanging, slowestMs, problems };
}
