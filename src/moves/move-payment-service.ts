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
import { addressOf, type Move, type MoveProgress, MoveRefusal, type MoveRow, type Progress } from './move.ts';
import { selectLastMoves, selectMove, updateArrived, updateMover } from './move-queries.ts';
import { environmentsOf } from './set-guards.ts';
import { type Arrival, arrive, leave } from './switch-over.ts';
import { takeBackHere } from './undo-move.ts';

/** `pauseMs`: how long its requests had to wait; null where another command has ended that part. */
export type Moved = Arrival & { id: string; events: number; pauseMs: number | null };

/** Every process reads an environment anew after a second. */
const PAUSE_SEEN_MS = 1_500;

export type MoveWish = {
  paymentServiceId: string;
  by: Actor;
  /** Everything that is sealed in the store. */
  kinds: readonly SealedKind[];
  onProgress: (said: MoveProgress) => void;
  /** For tests of one process. */
  pauseSeenMs?: number;
};

/**
 * Moves a payment service with all that is of it from one database of the installation to another, while both serve: copies it,
 * holds the copy against what it was made of, lets its requests wait for a moment, copies the rest, and opens it there. Whatever
 * ends it on the way, it goes on where it was when it is called again, or `undoMove` ends it. Throws `MoveRefusal`.
 */
export async function movePaymentService(from: App, to: App, wish: MoveWish): Promise<Moved> {
  const { paymentServiceId, by } = wish;
  const row = (await findOpen(from, to, wish)) ?? (await begin(from, to, paymentServiceId, by));
  if ((await selectMove(to.db, row.id))?.state === 'moved') return confirmArrival(from, to, row);
  const move = await takeOver(from, to, row, wish);
  const begun = performance.now();
  let pauseMs: number | null = null;
  if (row.state === 'copying') {
    await copyWhole(move);
    await goOnFromEarlierCopy(move);
    await copyRows(move);
    const first = await compareCopy(move);
    // Comparing takes long: what has come meanwhile is copied before the pause, and not in it.
    await copyTails(move, 'past');
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

/** A move that somebody began: it is being copied, it has left and not arrived, or nobody has said here that it has. */
async function findOpen(from: App, to: App, { paymentServiceId, by }: MoveWish): Promise<MoveRow | null> {
  const [last] = await selectLastMoves(from.db, paymentServiceId);
  if (last === undefined || last.direction !== 'out' || last.state === 'undone') return null;
  const other = await selectMove(to.db, last.id);
  if (other?.state === 'copying') return last;
  if (last.state === 'moved' && other?.state === 'moved') {
    if (last.arrived_at === null) return last;
    throw new MoveRefusal('MOVE_ARRIVED', `It has arrived at ${last.address}.`);
  }
  if (other === null && last.state === 'copying' && last.address === addressOf(to)) {
    // The command was ended between its first two commits. Under another name, so that two databases never know one move.
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

/** Another command was ended right after it had opened the payment service there. */
async function confirmArrival(from: App, to: App, { id }: MoveRow): Promise<Moved> {
  const { progress } = (await selectMove(to.db, id)) as MoveRow;
  await from.db.transaction((tx) => updateArrived(tx, id, from.now()));
  const { events } = (JSON.parse(progress) as Progress).feed;
  return { id, events, pauseMs: null, strangers: [] };
}

/** Where it was there before, or was copied once and taken back: what is in the feed there is not told again. */
async function goOnFromEarlierCopy(move: Move): Promise<void> {
  if (move.progress.feed.events > 0) return;
  const { from, events } = await compareFeed(move, await alignFeeds(move));
  if (events > 0) move.progress.feed = { ...from, events };
}

/** From here on one that copied before stops at its next page. */
async function takeOver(
  from: App,
  to: App,
  row: MoveRow,
  { kinds, onProgress, pauseSeenMs = PAUSE_SEEN_MS }: MoveWish,
): Promise<Move> {
  const progress = await to.db.transaction(async (tx) => {
    const other = (await selectMove(tx, row.id)) as MoveRow;
    // `mover` stands first: updateProgress looks for it there.
    const taken: Progress = { ...(JSON.parse(other.progress) as Progress), mover: randomHex(8) };
    await updateMover(tx, row.id, JSON.stringify(taken));
    return taken;
  });
  const scope = { paymentServiceId: row.payment_service_id, environmentIds: environmentsOf(row) };
  return { id: row.id, from, to, kinds, scope, progress, pauseSeenMs, onProgress };
}
