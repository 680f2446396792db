import type { App } from '../app.ts';
import { withinTime } from '../lib/within-time.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import type { LookUpAnswer, PayoutSender, Transfer } from '../payout-senders/payout-sender.ts';
import { claimPayouts, hasDuePayouts, postponePayout } from './due-payout-queries.ts';
import type { Payout } from './payout.ts';
import { selectSender, selectSenderInUse } from './payout-sender-queries.ts';
import { readLines } from './read-lines.ts';
import { openSender } from './set-payout-sender.ts';
import { settleAnswer } from './settle-answer.ts';
import { type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

/** Longer than a look-up and an order may take together, so that no second worker asks meanwhile. */
const CLAIM_MS = 60_000;
const TIME_OUT_MS = 20_000;
/** A worker that was held up for longer than this may no longer be the only one: it hands nothing over. */
const SEND_WITHIN_MS = 30_000;
/** Of what is approved, while its sender cannot be reached. */
const TRY_AGAIN_MS = 30_000;

/**
 * Has the senders carry what is approved, and asks what became of what they were given, at most `limit` payouts; answers how many
 * it took up. For the worker.
 *
 * A payout is looked up before it leaves: a sender that cannot be reached leaves it approved, and one that knows it already, because
 * a restore took the store back, is not given it again. Then it is `sent` in the store, and only then handed over, once: what is
 * not answered is looked up by our id, and never sent again.
 */
export async function carryOutPayouts(app: App, limit: number): Promise<number> {
  // The worker comes by several times a second; an empty look must not queue up among the writers.
  if (!(await hasDuePayouts(app.db, app.now()))) return 0;
  const now = app.now();
  const claimed = await app.db.transaction((tx) => claimPayouts(tx, { now, until: now + CLAIM_MS, limit }));
  await Promise.all(claimed.map((payout) => carryOutClaimed(app, payout, now)));
  return claimed.length;
}

/** One failure is its own: the claim ends and the payout is taken up again. */
async function carryOutClaimed(app: App, payout: Payout, claimedAt: number): Promise<void> {
  try {
    const owner = await findEnvironmentById(app, payout.environment_id);
    const { sender_id: id, environment_id: environmentId } = payout;
    const row = await (id === null
      ? selectSenderInUse(app.db, environmentId)
      : selectSender(app.db, environmentId, id));
    // Its sender was taken away: it waits for a file, or for a person.
    if (owner === null || row === null) return await rest(app, payout);
    const sender = openSender(app, owner, row);
    const transfer = transferOf(owner, payout);
    const known = await ask(app, sender, 'look_up', transfer, () => sender.lookUp(transfer));
    if (payout.state !== 'approved') return await settleAnswer(app, owner, payout, known);
    if (known.kind === 'absent') return await handOver(app, { owner, payout, sender, senderId: row.id, claimedAt });
    if (known.kind === 'unknown') return await postpone(app, payout, app.now() + TRY_AGAIN_MS);
    // It was given it before a restore took the store back.
    if (await writeSent(app, owner, payout, row.id)) await settleAnswer(app, owner, payout, known);
  } catch (error) {
    app.log.error({ err: error, payout: payout.id }, 'a payout could not be carried out');
  }
}

type HandOver = { owner: PayoutOwner; payout: Payout; sender: PayoutSender; senderId: string; claimedAt: number };

async function handOver(app: App, { owner, payout, sender, senderId, claimedAt }: HandOver): Promise<void> {
  const [line] = await readLines(app, app.db, owner.id, [payout]);
  if (line === undefined || line === null) return rest(app, payout);
  const isLate = () => app.now() > claimedAt + SEND_WITHIN_MS;
  if (isLate() || !(await writeSent(app, owner, payout, senderId)) || isLate()) return;
  const order = { ...transferOf(owner, payout), ...line };
  const answer = await ask(app, sender, 'send', order, () => sender.send(order));
  await settleAnswer(app, owner, payout, answer);
}

/** One worker alone gets this done, and may hand it over: the state is the fence. */
async function writeSent(app: App, owner: PayoutOwner, { id }: Payout, sender: string): Promise<boolean> {
  const sent = await app.db.transaction((tx) => {
    const at = app.now();
    return transitionPayouts(tx, owner, { ids: [id], to: 'sent', at }, { sender, nextLookAt: at + CLAIM_MS });
  });
  return sent.length > 0;
}

function transferOf({ environment }: PayoutOwner, { id, amount, currency, sent_at }: Payout): Transfer {
  return { id, environment, amount, currency, sentAt: sent_at };
}

/** A sender that throws, or says nothing for 20 s, has not answered: the money may have left. */
async function ask(
  app: App,
  { code }: PayoutSender,
  question: 'look_up' | 'send',
  { id }: Transfer,
  put: () => Promise<LookUpAnswer>,
): Promise<LookUpAnswer> {
  try {
    return await withinTime(put(), TIME_OUT_MS);
  } catch (error) {
    app.log.warn({ err: error, sender: code, question, payout: id }, 'a sender of payouts did not answer');
    return { kind: 'unknown' };
  }
}

function rest(app: App, payout: Payout): Promise<void> {
  return postpone(app, payout, null);
}

function postpone(app: App, payout: Payout, nextLookAt: number | null): Promise<void> {
  return app.db.transaction((tx) => postponePayout(tx, payout, nextLookAt));
}
