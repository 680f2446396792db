import type { Database, InsertTarget, Reader, Tx } from '../db/database.ts';
import type { Counted, Epoch, EventSpan, Handed } from './epoch.ts';

/** Lists the epochs in order. Empty before the first restore. */
export function selectEpochs(db: Reader): Promise<Epoch[]> {
  return db.query<Epoch>('select * from epochs order by epoch');
}

/** Returns the epoch that a person must still release; null if nothing is held. */
export async function selectHeld(db: Reader): Promise<Epoch | null> {
  const [row] = await db.query<Epoch>('select * from epochs where released_at is null order by epoch desc limit 1');
  return row ?? null;
}

/** Locks an epoch until the commit. */
export async function lockEpoch(tx: Tx, epoch: number): Promise<void> {
  await tx.query('select epoch from epochs where epoch = $1 {for_update}', [epoch]);
}

const EPOCHS: InsertTarget = {
  name: 'epochs',
  columns: [
    'epoch',
    'began_at',
    'known_until',
    'last_commit_id',
    'last_position',
    'first_position',
    'first_transaction_id',
  ],
};

export async function insertEpoch(tx: Tx, epoch: Epoch): Promise<void> {
  await tx.insertRows(EPOCHS, [epoch]);
}

/** Releases the held epochs. Returns how many there were. */
export async function updateReleased(tx: Tx, releasedAt: number, releasedBy: string): Promise<number> {
  const rows = await tx.query(
    'update epochs set released_at = $1, released_by = $2 where released_at is null returning epoch',
    [releasedAt, releasedBy],
  );
  return rows.length;
}

export type FeedEnd = { commit_id: number; position: number; created_at: number };

/** Returns the newest event, or null. */
export async function selectFeedEnd(db: Reader): Promise<FeedEnd | null> {
  const [row] = await db.query<FeedEnd>(
    'select commit_id, position, created_at from events order by {feed_backwards} limit 1',
  );
  return row ?? null;
}

export async function selectEventSpan(db: Reader): Promise<EventSpan> {
  const [row] = await db.query<EventSpan>(
    'select count(*) as events, min(created_at) as first, max(created_at) as last from events',
  );
  return row as EventSpan;
}

/** Reads the highest ids that were handed out and committed. */
export async function selectHanded(db: Reader): Promise<Omit<Handed, 'at'>> {
  const [row] = await db.query<Omit<Handed, 'at'>>(
    `select (select next_id from id_blocks where name = 'transaction') as transactions,
       coalesce((select position from events order by {feed_backwards} limit 1), 0) as events,
       coalesce((select max(id) from callbacks), 0) as callbacks,
       coalesce((select max(epoch) from epochs), 0) as epoch`,
  );
  return row as Omit<Handed, 'at'>;
}

/** Raises a counter: the next id is `first`. */
export async function raiseCounter(tx: Tx, engine: Database['engine'], counted: Counted, first: number): Promise<void> {
  if (counted === 'transactions') {
    await tx.query(`update id_blocks set next_id = $1 where name = 'transaction'`, [first]);
  } else if (engine === 'postgres') {
    const column = counted === 'events' ? 'position' : 'id';
    await tx.query(`select setval(pg_get_serial_sequence($1, $2), $3, false) as first`, [counted, column, first]);
  } else {
    await tx.query('delete from sqlite_sequence where name = $1', [counted]);
    await tx.query('insert into sqlite_sequence (name, seq) values ($1, $2)', [counted, first - 1]);
  }
}

export type StoreMark = { store_id: string | null; beat: number; epoch: number };

/** Reads the identity of the store, and its progress. */
export async function selectStoreMark(db: Reader): Promise<StoreMark> {
  const [row] = await db.query<StoreMark>(
    'select store_id, beat, coalesce((select max(epoch) from epochs), 0) as epoch from store_marks',
  );
  return row as StoreMark;
}

/** Returns how far the clock of this installation is ahead of the real time, in milliseconds. */
export async function selectClockAhead(db: Reader): Promise<number> {
  const [row] = await db.query<{ clock_ahead_ms: number }>('select clock_ahead_ms from store_marks');
  return row?.clock_ahead_ms ?? 0;
}

export async function updateClockAhead(tx: Tx, aheadMs: number): Promise<void> {
  await tx.query('update store_marks set clock_ahead_ms = $1', [aheadMs]);
}

/** Sets the clock ahead. Returns false if it is no longer as far ahead as `before`. */
export async function raiseClockAhead(tx: Tx, before: number, aheadMs: number): Promise<boolean> {
  const sql = 'update store_marks set clock_ahead_ms = $2 where clock_ahead_ms = $1 returning clock_ahead_ms';
  return (await tx.query(sql, [before, aheadMs])).length === 1;
}

/** Gives the store a name if it has none. */
export async function nameStore(tx: Tx, storeId: string): Promise<void> {
  await tx.query('update store_marks set store_id = $1 where store_id is null', [storeId]);
}

export async function renameStore(tx: Tx, storeId: string): Promise<void> {
  await tx.query('update store_marks set store_id = $1', [storeId]);
}

export async function updateBeat(tx: Tx): Promise<void> {
  await tx.query('update store_marks set beat = beat + 1');
}

/** Returns a number that changes with every change of the store; a beat alone may or may not change it. */
export async function selectChangeHint(db: Reader): Promise<number> {
  const [row] = await db.query<{ hint: number }>('select {change_hint} as hint');
  return row?.hint ?? 0;
}

/** Ends all links that show tokens once: they may have been opened in the lost time. */
export async function endTokenLinks(tx: Tx, endedAt: number): Promise<void> {
  await tx.query('update token_handovers set ended_at = $1 where opened_at is null and ended_at is null', [endedAt]);
}

/** Ends all links that sign a person in once: they may have been used in the lost time. */
export async function endInvitations(tx: Tx, endedAt: number): Promise<void> {
  await tx.query('update invitations set ended_at = $1 where used_at is null and ended_at is null', [endedAt]);
}

/**
 * Ends all sessions: a person may have signed out, or been signed out, in the lost time. Everybody who signed in with a
 * password must sign in again.
 */
export async function endSignIns(tx: Tx, endedAt: number): Promise<void> {
  await tx.query(`update sessions set ended_at = $1 where kind in ('password', 'console') and ended_at is null`, [
    endedAt,
  ]);
}
