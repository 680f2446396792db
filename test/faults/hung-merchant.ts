import type { PlantName } from './plants.ts';
import { comesTrue, createPaid } from './support/orders.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';
import { startSlowMerchant } from './support/slow-merchant.ts';

export type HungReport = {
  /** Requests that hang at the same time. */
  hanging: number;
  /** From the end of the payment to the arrival of the callback, of the longest of the others. */
  slowestMs: number;
  problems: string[];
};

/** The promise for the first attempt of a callback, see docs/reliability.md. */
const FIRST_ATTEMPT_MS = 5_000;
const MOST_AT_ONCE = 4;

/** Pays `hung` orders of a merchant that never answers, then `others` of one that does. */
export async function hangMerchant(hung: number, others: number, plant?: PlantName): Promise<HungReport> {
  using store = await createScratchStore();
  using merchant = await startSlowMerchant();
  const arrived = (path: string) => merchant.arrivals.filter((arrival) => arrival.path.startsWith(path));
  const problems: string[] = [];
  await using service = await startServe({ databaseUrl: store.databaseUrl, plant });
  const pay = (number: number, path: string) =>
    createPaid(service.url, `${path.slice(1)}-${number}`, merchant.url + path);
  await Promise.all(Array.from({ length: hung }, (_, number) => pay(number, '/hang')));
  if (!(await comesTrue(() => arrived('/hang').length > 0, 5_000))) problems.push('nothing hangs');
  let slowestMs = 0;
  for (let number = 0; number < others; number++) {
    await pay(number, '/ok');
    const paidAt = performance.now();
    if (!(await comesTrue(() => arrived('/ok').length > number, FIRST_ATTEMPT_MS))) {
      problems.push(`a callback of another merchant did not arrive within ${FIRST_ATTEMPT_MS} ms`);
      break;
    }
    slowestMs = Math.max(slowestMs, Math.round((arrived('/ok')[number]?.at ?? 0) - paidAt));
  }
  const hanging = arrived('/hang').length;
  // None of them has run out of time yet, so all that arrived are under way.
  if (hanging > MOST_AT_ONCE && slowestMs < 5_000) problems.push(`${hanging} requests at once at one merchant`);
  return { hanging, slowestMs, problems };
}
