import type { App } from '../app.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import type { Tx } from '../db/database.ts';
import { awaitedAnswers } from '../lib/overtaking.ts';
import { perInstance } from '../lib/per-instance.ts';
import { withinTime } from '../lib/within-time.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import type { LookUpAnswer, PayoutLine, PayoutSender, Transfer } from '../payout-senders/payout-sender.ts';
import { claimPayouts, hasDuePayouts, postponePayout } from './due-payout-queries.ts';
import type { Payout } from './payout.ts';
import { lockPayouts } from './payout-queries.ts';
import { selectSender, selectSenderInUse } from './payout-sender-queries.ts';
import { readPayoutLines } from './read-payout-lines.ts';
import { openSender } from './set-payout-sender.ts';
import { settleAnswer } from './settling/settle-answer.ts';
import { type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

/** Longer than a look-up and a send may take together, so that no second worker claims the payout meanwhile. */
const CLAIM_MS = 60_000;
const TIME_OUT_MS = 20_000;
/** A worker that was delayed for longer than this may have lost its claim, so it sends nothing. */
const SEND_WITHIN_MS = 30_000;
/** When to retry an approved payout whose sender cannot be reached. */
const TRY_AGAIN_MS = 30_000;

/** The environments whose sender is asked. */
const askedOf = perInstance((_app: App) => awaitedAnswers<number>());

/**
 * Sends due approved payouts by their senders and asks for the state of sent ones: at most `limit` payouts. Returns how
 * many it claimed. For the worker. Leaves out environments whose sender does not answer at this moment, so that payouts
 * by other senders do not wait for it.
 *
 * A payout is looked up before it is sent. If the sender cannot be reached, the payout stays approved. If the sender
 * already has it (the store may be a restored backup), it is not sent again. Otherwise the state `sent` is committed
 * first; then the payout is sent once. Without a response it is looked up by its id, and never sent again.
 */
export async function carryOutPayouts(app: App, limit: number): Promise<number> {
  // The worker runs several times a second; a run without work must not queue for the write lock.
  const [now, slow] = [app.now(), askedOf(app).slow()];
  if (!(await hasDuePayouts(app.db, now, slow))) return 0;
  const claimed = await app.db.transaction((tx) => claimPayouts(tx, { now, until: now + CLAIM_MS, limit, slow }));
  await Promise.all(claimed.map((payout) => carryOutClaimed(app, payout, now)));
  return claimed.length;
}

/** An error affects only this payout: the claim expires and a worker takes the payout again. */
async function carryOutClaimed(app: App, payout: Payout, claimedAt: number): Promise<void> {
  try {
    const owner = await findEnvironmentById(app, payout.environment_id);
    const { sender_id: id, environment_id: environmentId } = payout;
    const row = await (id === null
      ? selectSenderInUse(app.db, environmentId)
      : selectSender(app.db, environmentId, id));
    // The sender was removed: the payout waits for a file or for a person.
    if (owner === null || row === null) return await postpone(app, payout, null);
    const sender = openSender(app, owner, row);
    const transfer = atSender(owner, payout);
    const known = await ask(app, sender, 'look_up', payout, () => sender.lookUp(transfer));
    if (payout.state !== 'approved') return await settleAnswer(app, owner, payout, known);
    if (known.kind === 'absent') return await handOver(app, { owner, payout, sender, senderId: row.id, claimedAt });
    if (known.kind === 'unknown') return await postpone(app, payout, app.now() + TRY_AGAIN_MS);
    // The sender received it before the store was restored from a backup.
    const by = { sender: row.id, at: app.now() };
    await app.db.transaction((tx) => writeSent(tx, owner, payout, by));
    await settleAnswer(app, owner, payout, known, row.id);
  } catch (error) {
    app.log.error({ err: error, payout: payout.id }, 'a payout could not be carried out');
  }
}

type HandOver = { owner: PayoutOwner; payout: Payout; sender: PayoutSender; senderId: string; claimedAt: number };

async function handOver(app: App, order: HandOver): Promise<void> {
  const { owner, payout, sender, senderId, claimedAt } = order;
  const isLate = () => app.now() > claimedAt + SEND_WITHIN_MS;
  const line = isLate() ? null : await writeHandedOver(app, order);
  if (line === null || isLate()) return;
  const transfer = { ...atSender(owner, payout), ...line };
  const answer = await ask(app, sender, 'send', payout, () => sender.send(transfer));
  await settleAnswer(app, owner, payout, answer, senderId);
}

/**
 * Returns the data to send. Null, and then nothing is sent: the payout has been moved, its sender is no longer in use,
 * or its recipient was erased. Under the lock of the payout, which a change of its sender or of the kind of its account
 * takes too.
 */
async function writeHandedOver(app: App, { owner, payout, senderId }: HandOver): Promise<PayoutLine | null> {
  const identity = await identityHashes(app);
  return app.db.transaction(async (tx) => {
    await lockPayouts(tx, { environmentId: owner.id, ids: [payout.id] });
    if ((await selectSenderInUse(tx, owner.id))?.id !== senderId) return null;
    const [line = null] = await readPayoutLines(app, tx, owner.id, [payout], identity);
    if (line === null) await postponePayout(tx, payout, null);
    return line !== null && (await writeSent(tx, owner, payout, { sender: senderId, at: app.now() })) ? line : null;
  });
}

/** Returns true for one worker only, which may then send: the change of state excludes the others. */
async function writeSent(
  tx: Tx,
  owner: PayoutOwner,
  { id }: Payout,
  { sender, at }: { sender: string; at: number },
): Promise<boolean> {
  const change = { sender, nextLookAt: at + CLAIM_MS };
  return (await transitionPayouts(tx, owner, { ids: [id], to: 'sent', at }, change)).length > 0;
}

function atSender({ environment }: PayoutOwner, { id, amount, currency, sent_at }: Payout): Transfer {
  return { id, environment, amount, currency, sentAt: sent_at };
}

/** Returns `unknown` if the sender throws or does not respond within 20 s: the money may have left. */
async function ask(
  app: App,
  { code }: PayoutSender,
  question: 'look_up' | 'send',
  { id, environment_id }: Payout,
  put: () => Promise<LookUpAnswer>,
): Promise<LookUpAnswer> {
  try {
    return await askedOf(app).during(environment_id, withinTime(put(), TIME_OUT_MS));
  } catch (error) {
    app.log.warn({ err: error, sender: code, question, payout: id }, 'a sender of payouts did not answer');
    return { kind: 'unknown' };
  }
}

/** `nextLookAt` null: the worker leaves it alone until a person or a file moves it. */
function postpone(app: App, payout: Payout, nextLookAt: number | null): Promise<void> {
  return app.db.transaction((tx) => postponePayout(tx, payout, nextLookAt));
}
