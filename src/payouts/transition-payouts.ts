import { postEntries } from '../books/post-entries.ts';
import type { Tx } from '../db/database.ts';
import { enqueueEnvironmentEvents } from '../outbox/enqueue-event.ts';
import { enqueuePosts } from '../outbox/enqueue-post.ts';
import { recordEnvironmentEvents } from '../outbox/record-event.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { type Payout, type PayoutState, statusOf, transferOf } from './payout.ts';
import { payoutStateEvent, tefBody } from './payout-notice.ts';
import { type PayoutChange, updateState } from './payout-queries.ts';

export type PayoutOwner = Pick<ServiceEnvironment, 'id' | 'paymentServiceId' | 'environment'>;

/**
 * Changes the state of payouts; nothing else does. The events, callbacks and entries are in the caller's transaction;
 * only `recordAudit` may follow. Returns the payouts whose state allowed the change, oldest first; the others stay as
 * they are.
 */
export async function transitionPayouts(
  tx: Tx,
  owner: PayoutOwner,
  { ids, to, at }: { ids: readonly string[]; to: PayoutState; at: number },
  change: PayoutChange = {},
): Promise<Payout[]> {
  const moved = await updateState(tx, { environmentId: owner.id, ids, to, at }, change);
  moved.sort((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
  if (moved.length > 0) await announce(tx, owner, moved, at);
  await postPayouts(tx, owner.id, moved, at);
  return moved;
}

/**
 * Announces payouts that are new or in a new state: in the feed, to subscribers and, at the end, to the client's
 * callback URL.
 */
export async function announce(tx: Tx, owner: PayoutOwner, payouts: readonly Payout[], at: number): Promise<void> {
  const told = payouts.map((payout) => ({
    subjectId: `${payout.id}_${payout.state}`,
    event: payoutStateEvent(payout, payout.state, at),
  }));
  await recordEnvironmentEvents(
    tx,
    told.map(({ event }) => event),
  );
  await enqueueEnvironmentEvents(tx, owner, told);
  const asked = payouts.filter(({ callback_url, state }) => callback_url !== null && statusOf(state) !== 'processing');
  const posts = asked.map((payout) => ({
    environmentId: owner.id,
    transactionId: 0,
    sequence: 0,
    at,
    url: payout.callback_url as string,
    contentType: 'application/json' as const,
    body: tefBody(payout, payout.state),
    idSuffix: `${payout.id}_${payout.state}`,
  }));
  await enqueuePosts(tx, posts);
}

/** Books all transfers in one posting. */
async function postPayouts(tx: Tx, environmentId: number, payouts: readonly Payout[], at: number): Promise<void> {
  const [first, ...others] = payouts.flatMap((payout) => transferOf(payout) ?? []);
  if (first === undefined) return;
  await postEntries(tx, { environmentId, at, transactionId: null, transfers: [first, ...others] });
}
