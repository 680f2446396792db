import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { randomHex } from '../lib/ids.ts';
import type { SealedKind } from '../sealing/sealed-kind.ts';
import { alignFeeds } from './align-feeds.ts';
import { beginMove } from './begin-move.ts';
import { compareCopy, compareFeed } from './compare-copy.ts';
import { copyRows, copyTails } from './copy-rows.ts';
import { copyWhole } from './copy-whole.ts';
import { drainChanges } from './drain-changes.ts';
import { indexAged } from './index-aged.ts';
import { leaveAgain } from './leave-again.ts';
import { addressOf, type Move, type MoveProgress, MoveRefusal, type MoveRow, type Progress } from './move.ts';
import { lockMove, raiseNextId, selectLastMoves, selectMove, updateArrived, updateMover } from './move-queries.ts';
import { requireOwnSecrets } from './require-own-secrets.ts';
import { environmentsOf } from './set-guards.ts';
import { type Arrival, arrive, findUnsubscribed, leave } from './switch-over.ts';
import { takeBackHere } from './undo-move.ts';

/** `pauseMs`: how long requests had to wait; null if another command ended that part. */
export type Moved = Arrival & { id: string; events: number; pauseMs: number | null };

/** Every process reloads an environment within a second. */
const PAUSE_SEEN_MS = 1_500;

export type MoveWish = {
  paymentServiceId: string;
  by: Actor;
  /** All kinds of encrypted columns in the store. */
  kinds: readonly SealedKind[];
  onProgress: (said: MoveProgress) => void;
  /** Set by tests with one process. */
  pauseSeenMs?: number;
};

/**
 * Moves a payment service with all its data from one database of the installation to another while both serve. It
 * copies the data, compares the copy with its source, pauses the requests for a moment, copies the rest, and opens the
 * payment service in the other database. After an interruption, a second call resumes the move, or `undoMove` ends it.
 * If `from` was restored from a backup that is older than the move, records the move there again. Throws `MoveRefusal`.
 */
export async function movePaymentService(from: App, to: App, wish: MoveWish): Promise<Moved> {
  const { paymentServiceId, by } = wish;
  const known = await leaveAgain(from, to, paymentServiceId, by);
  if (known !== null) return confirmArrival(from, to, known);
  const row = (await findOpen(from, to, wish)) ?? (await begin(from, to, paymentServiceId, by));
  if ((await selectMove(to.db, row.id))?.state === 'moved') return confirmArrival(from, to, row);
  const move = await takeOver(from, to, row, wish);
  const begun = performance.now();
  let pauseMs: number | null = null;
  if (row.state === 'copying') {
    await copyWhole(move);
    // An import that did not see the copied Secret Tokens ends before this commit; later ones see them.
    await to.db.transaction((tx) => raiseNextId(tx, 'environment', 0));
    await requireOwnSecrets(move);
    await goOnFromEarlierCopy(move);
    await copyRows(move);
    const first = await compareCopy(move);
    // The comparison takes long, so new rows are copied before the pause.
    await copyTails(move, 'past');
    await indexAged(move);
    await drainChanges(move, new Map());
    const compared = await compareFeed(move, first);
    pauseMs = await leave(move, compared, by);
  }
  const left = performance.now();
  const arrival = await arrive(move, by);
  const arrivalMs = performance.now() - Math.max(begun, left);
  await from.db.transaction((tx) => updateArrived(tx, row.id, from.now()));
  return {
    ...arrival,
    id: row.id,
    events: move.progress.feed.events,
    pauseMs: pauseMs === null ? null : Math.round(pauseMs + arrivalMs),
  };
}

/**
 * Finds a move that is not finished: it is being copied, or has left and not arrived, or its arrival is not recorded
 * here.
 */
async function findOpen(from: App, to: App, { paymentServiceId, by }: MoveWish): Promise<MoveRow | null> {
  const [last] = await selectLastMoves(from.db, paymentServiceId);
  if (last === undefined || last.direction !== 'out' || last.state === 'undone') return null;
  const other = await selectMove(to.db, last.id);
  if (other?.state === 'copying') return last;
  if (last.state === 'moved' && other?.state === 'moved') {
    if (last.arrived_at === null) return last;
    throw new MoveRefusal('MOVE_ARRIVED', `It has arrived at ${last.address}.`);
  }
  const isHalfBegun = other === null && last.state === 'copying' && last.address === addressOf(to);
  if (isHalfBegun || other?.state === 'undone') {
    // The command was interrupted between its first two commits, or an undo between its two. The new move gets another
    // id, so that only one database ever copies under this one.
    await takeBackHere(from, last, paymentServiceId, by);
    return null;
  }
  throw new MoveRefusal(
    'MOVE_UNDER_WAY',
    `It moves to ${last.address}, and --to names another database. Name that one, or end the move with --undo.`,
  );
}

async function begin(from: App, to: App, paymentServiceId: string, by: Actor): Promise<MoveRow> {
  const id = await beginMove(from, to, paymentServiceId, by);
  return (await selectMove(from.db, id)) as MoveRow;
}

/**
 * Records the arrival after a command that was interrupted right after it opened the payment service in the other
 * database.
 */
async function confirmArrival(from: App, to: App, { id, environment_ids }: MoveRow): Promise<Moved> {
  const { progress } = (await selectMove(to.db, id)) as MoveRow;
  await from.db.transaction((tx) => updateArrived(tx, id, from.now()));
  const { events } = (JSON.parse(progress) as Progress).feed;
  const webhooks = await findUnsubscribed(from, to, environmentsOf({ environment_ids }));
  return { id, events, pauseMs: null, strangers: [], webhooks };
}

/** Resumes the feed after an earlier copy: events that are already in the other feed are not copied again. */
async function goOnFromEarlierCopy(move: Move): Promise<void> {
  if (move.progress.feed.events > 0) return;
  const { from, events } = await compareFeed(move, await alignFeeds(move));
  if (events > 0) move.progress.feed = { ...from, events };
}

/** Takes the move over: a command that copied before stops at its next page. */
async function takeOver(
  from: App,
  to: App,
  row: MoveRow,
  { kinds, onProgress, pauseSeenMs = PAUSE_SEEN_MS }: MoveWish,
): Promise<Move> {
  const progress = await to.db.transaction(async (tx) => {
    // Another command may be writing a page: this waits for it, and goes on after it.
    const other = await lockMove(tx, row.id);
    // `mover` must be the first member: updateProgress searches for it there.
    const taken: Progress = { ...(JSON.parse(other.progress) as Progress), mover: randomHex(8) };
    await updateMover(tx, row.id, JSON.stringify(taken));
    return taken;
  });
  const scope = { paymentServiceId: row.payment_service_id, environmentIds: environmentsOf(row) };
  return { id: row.id, from, to, kinds, scope, progress, pauseSeenMs, onProgress };
}
