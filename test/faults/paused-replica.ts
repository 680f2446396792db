import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { createPaid, readOutcome } from './support/orders.ts';
import { prepareStore } from './support/prepare-store.ts';
import { startServe } from './support/serve-process.ts';
import { startSlowMerchant } from './support/slow-merchant.ts';

/**
 * Stops a replica with SIGSTOP while it delivers a callback, until its lease has expired, and continues it. Meanwhile
 * another replica delivers the callback. The continued one must record its attempt and change nothing else. Returns the
 * violations.
 */
export async function pauseReplica(databaseUrl: string, plant?: PlantName): Promise<string[]> {
  using merchant = await startSlowMerchant();
  await prepareStore(databaseUrl);
  await using paused = await startServe({ databaseUrl, plant });
  const id = await createPaid(paused.url, 'paused', `${merchant.url}/held`);
  const problems: string[] = [];
  if (!(await comesTrue(() => merchant.arrivals.length > 0))) problems.push('there was no first attempt');
  paused.signal('SIGSTOP');
  merchant.release();
  await using _other = await startServe({ databaseUrl, plant });
  const delivered = async () => (await readOutcome(databaseUrl, id)).callback?.state === 'delivered';
  if (!(await comesTrue(delivered))) problems.push('nobody took the callback over');
  const before = (await readOutcome(databaseUrl, id)).callback;
  paused.signal('SIGCONT');
  const noted = async () => (await readOutcome(databaseUrl, id)).callback?.tried === 2;
  if (!(await comesTrue(noted))) problems.push('the attempt of the paused worker was not noted');
  const after = (await readOutcome(databaseUrl, id)).callback;
  if (after?.attempts !== 1 || after.finished_at !== before?.finished_at)
    problems.push('the paused worker changed the callback');
  const bodies = new Set(merchant.arrivals.map((arrival) => `${arrival.id} ${arrival.body}`));
  if (merchant.arrivals.length !== 2 || bodies.size !== 1)
    problems.push(`${merchant.arrivals.length} arrivals, ${bodies.size} bodies`);
  return problems;
}
