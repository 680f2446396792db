import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { createPaid, readOutcome } from './support/orders.ts';
import { prepareStore } from './support/prepare-store.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';
import { startSlowMerchant } from './support/slow-merchant.ts';

const HOUR = 3_600_000;
/** The second attempt is due five seconds after the first has failed. */
const SECOND_ATTEMPT_MS = 5_000;

/**
 * Sets the wall clock of a running service some hours forward or back. This must not expire anything or move an
 * attempt, and a later payment's callback must be sent at once. Returns the violations. `short` does not wait for the
 * second attempt.
 */
export async function jumpClock(
  hours: number,
  options: { plant?: PlantName; short?: boolean } = {},
): Promise<string[]> {
  const { plant, short = false } = options;
  using store = await createScratchStore();
  const { databaseUrl } = store;
  using merchant = await startSlowMerchant();
  const arrived = (path: string) => merchant.arrivals.filter((arrival) => arrival.path === path);
  const problems: string[] = [];
  const settings = { CLOCK_JUMP_MS: String(hours * HOUR) };
  await using service = await startServe({ databaseUrl, plant, settings, jumpingClock: true });
  const waiting = await createWaiting(service.url);
  await createPaid(service.url, 'failing', `${merchant.url}/fail`);
  if (!(await comesTrue(() => arrived('/fail').length > 0))) problems.push('there was no first attempt');
  service.signal('SIGUSR2');
  await createPaid(service.url, 'after the jump', `${merchant.url}/ok`);
  if (!(await comesTrue(() => arrived('/ok').length > 0))) problems.push('a payment was not told');
  if ((await readOutcome(databaseUrl, waiting)).state !== 'pending') problems.push('a transaction expired too soon');
  const triedAgain = await comesTrue(() => arrived('/fail').length > 1, short ? 500 : 2 * SECOND_ATTEMPT_MS);
  if (!triedAgain && !short) problems.push('the second attempt was late');
  const [first, second] = arrived('/fail');
  if (second !== undefined && second.at - (first?.at ?? 0) < 0.9 * SECOND_ATTEMPT_MS)
    problems.push('the second attempt was early');
  return problems;
}

/**
 * Adds a replica whose wall clock is two hours ahead. It must agree with the other one on due times: it must not expire
 * the other's transactions or take a callback that is being delivered. Returns the violations.
 */
export async function addReplicaAhead(databaseUrl: string, plant?: PlantName): Promise<string[]> {
  using merchant = await startSlowMerchant();
  const problems: string[] = [];
  await prepareStore(databaseUrl);
  await using replica = await startServe({ databaseUrl, plant });
  const waiting = await createWaiting(replica.url);
  await createPaid(replica.url, 'held', `${merchant.url}/held`);
  if (!(await comesTrue(() => merchant.arrivals.length > 0))) problems.push('there was no first attempt');
  // So that the replica with the fast clock sends all further callbacks.
  replica.signal('SIGSTOP');
  const settings = { CLOCK_OFFSET_MS: String(2 * HOUR) };
  await using ahead = await startServe({ databaseUrl, plant, settings, jumpingClock: true });
  const arrived = (path: string) => merchant.arrivals.filter((arrival) => arrival.path === path).length;
  for (const told of [1, 2]) {
    await createPaid(ahead.url, `told-${told}`, `${merchant.url}/ok`);
    if (!(await comesTrue(() => arrived('/ok') >= told))) problems.push('a payment was not told');
  }
  if ((await readOutcome(databaseUrl, waiting)).state !== 'pending') problems.push('a transaction expired too soon');
  if (arrived('/held') > 1) problems.push('a callback was taken from the worker that was delivering it');
  return problems;
}

async function createWaiting(url: string): Promise<number> {
  using shop = createShopClient();
  const reply = await shop.create(url, 'waiting');
  if (reply.kind !== 'created') throw new Error('The order that waits was not created');
  return reply.id;
}
