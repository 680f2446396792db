import type { App } from '../../app.ts';
import { selectHeads } from '../../books/journal-queries.ts';
import {
  measureWaitingAttempts,
  selectWaitingAttempts,
  type WaitingAttempt,
} from '../../checkout/waiting-attempt-queries.ts';
import type { Epoch } from '../../epochs/epoch.ts';
import { selectEpochs } from '../../epochs/epoch-queries.ts';
import { findHeld } from '../../epochs/hold.ts';
import type { ListedCallback } from '../../outbox/callback-list-queries.ts';
import { countQueued } from '../../outbox/outbox-queries.ts';
import { listCallbacks } from '../../outbox/resend-callback.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { type ApprovedPayouts, sumApproved } from '../../payouts/due-payout-queries.ts';
import {
  measureWaitingRefunds,
  selectWaitingRefunds,
  type WaitingRefund,
} from '../../refunds/waiting-refund-queries.ts';
import { countPending } from '../../transactions/transaction-queries.ts';
import { verifyAnchors } from '../anchors/verify-anchors.ts';
import { collectFindings } from '../proof-finding.ts';
import { readRestores, type SeenRestore } from './restore.ts';

/**
 * A restore that waits for its release, with the open payments, refunds, payouts and callbacks, which payment methods, banks and
 * shops may know better than the store. Lists are cut at a limit; counts are not.
 */
export type Unreleased = {
  held: Epoch;
  payments: WaitingAttempt[];
  refunds: WaitingRefund[];
  callbacks: ListedCallback[];
  /** The bank may have paid them in the lost time. */
  approved_payouts: ApprovedPayouts;
  counts: { payments: number; refunds: number; callbacks: number; pending_transactions: number };
  /** The restore that nobody has accepted yet, with the lost anchors; null if it was accepted. */
  restore: SeenRestore | null;
  /** The ends of the chains of the books. */
  heads: Awaited<ReturnType<typeof selectHeads>>;
};

/** Returns the last restore if a person must still release or accept it; null if nothing waits. */
export async function findUnreleasedEpoch(app: App): Promise<Epoch | null> {
  const held = await findHeld(app);
  if (held !== null) return held;
  // A restore that an older version released, or that was released before a crash, may still need acceptance.
  const isAccepted = (await readRestores(app)).every(({ accepted }) => accepted !== null);
  return isAccepted ? null : ((await selectEpochs(app.db)).at(-1) ?? null);
}

/** Returns the same restore with everything to compare before its release, at most `limit` rows of each kind. */
export async function findUnreleased(app: App, limit: number): Promise<Unreleased | null> {
  const held = await findUnreleasedEpoch(app);
  if (held === null) return null;
  const now = app.now();
  const since = { accepted: now, asked: now };
  // Without chains it only finds what was lost; `books verify` compares them.
  const { restores } = await verifyAnchors(app, [], collectFindings(), []);
  const { environments } = await findElsewhere(app);
  return {
    held,
    payments: await selectWaitingAttempts(app.db, now, limit),
    refunds: await selectWaitingRefunds(app.db, since, limit),
    callbacks: await listCallbacks(app, { state: 'queued' }, limit),
    approved_payouts: await sumApproved(app.db, environments),
    counts: {
      payments: (await measureWaitingAttempts(app.db, now)).count,
      refunds: (await measureWaitingRefunds(app.db, since)).count,
      callbacks: await countQueued(app.db, environments),
      pending_transactions: await countPending(app.db),
    },
    restore: restores.find(({ accepted }) => accepted === null) ?? null,
    heads: await selectHeads(app.db),
  };
}
