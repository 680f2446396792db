import type { Reader, Tx } from '../../db/database.ts';
import type { RowKey } from '../../db/row-key.ts';
import type { Recall } from '../../lib/recall.ts';
import { CLAIMED_COLUMNS, type ClaimedCallback } from '../outbox-queries.ts';
import type { CallbackListener } from './callback-listener.ts';

/** Returns the environments that have a listener at this time. */
export async function selectListened(db: Reader, now: number): Promise<number[]> {
  const rows = await db.query<{ environment_id: number }>(
    'select environment_id from callback_listeners where ends_at > $1',
    [now],
  );
  return rows.map((row) => row.environment_id);
}

export async function selectListener(db: Reader, environmentId: number): Promise<CallbackListener | null> {
  const [row] = await db.query<CallbackListener>('select * from callback_listeners where environment_id = $1', [
    environmentId,
  ]);
  return row ?? null;
}

/** Inserts a listener; it replaces the environment's earlier one. */
export async function upsertListener(tx: Tx, listener: CallbackListener): Promise<void> {
  const { environment_id, id, started_by, started_at, ends_at } = listener;
  await tx.query(
    `insert into callback_listeners (environment_id, id, started_by, started_at, ends_at) values ($1, $2, $3, $4, $5)
     on conflict (environment_id) do update set id = excluded.id, started_by = excluded.started_by,
       started_at = excluded.started_at, ends_at = excluded.ends_at`,
    [environment_id, id, started_by, started_at, ends_at],
  );
}

/**
 * Renews a listener; a process whose clock is behind another's does not shorten it. Returns false if it is no longer
 * the environment's.
 */
export async function updateListenerEnd(
  tx: Tx,
  { id, environment_id }: RowKey<string>,
  endsAt: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update callback_listeners set ends_at = case when ends_at > $3 then ends_at else $3 end
     where id = $1 and environment_id = $2 returning id`,
    [id, environment_id, endsAt],
  );
  return rows.length === 1;
}

/** Extends every listener of this time by `byMs`, because the clock moves that far. */
export async function extendListeners(tx: Tx, now: number, byMs: number): Promise<void> {
  await tx.query('update callback_listeners set ends_at = ends_at + $2 where ends_at > $1', [now, byMs]);
}

/** Counts the callbacks that listeners still have to forward: due ones, and claimed ones without an outcome. */
export async function countListened(db: Reader, now: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from callback_listeners l join callbacks c on c.environment_id = l.environment_id
     where l.ends_at > $1 and c.state = 'queued' and (c.next_attempt_at <= $1 or c.lease is not null)`,
    [now],
  );
  return row?.count ?? 0;
}

export async function deleteListener(tx: Tx, { id, environment_id }: RowKey<string>): Promise<boolean> {
  const rows = await tx.query(
    'delete from callback_listeners where id = $1 and environment_id = $2 returning environment_id',
    [id, environment_id],
  );
  return rows.length === 1;
}

/** Returns whether a callback of an environment is due. */
export async function hasDue(db: Reader, environmentId: number, now: number): Promise<boolean> {
  const rows = await db.query(
    `select id from callbacks where environment_id = $1 and state = 'queued' and next_attempt_at <= $2 limit 1`,
    [environmentId, now],
  );
  return rows.length === 1;
}

/** Claims the callback of an environment that has been due longest, until `until`. */
export async function claimOldest(
  tx: Tx,
  environmentId: number,
  claim: { lease: string; now: number; until: number },
): Promise<ClaimedCallback | null> {
  const [row] = await tx.query<ClaimedCallback>(
    `update callbacks set lease = $2, next_attempt_at = $3
     where environment_id = $1 and state = 'queued' and next_attempt_at <= $4 and id in (
       select id from callbacks where environment_id = $1 and state = 'queued' and next_attempt_at <= $4
       order by next_attempt_at, id limit 1)
     returning ${CLAIMED_COLUMNS}`,
    [environmentId, claim.lease, claim.until, claim.now],
  );
  return row ?? null;
}

/** Returns a callback if this lease still holds it, else null. */
export async function selectClaimed(
  tx: Tx,
  { id, environment_id }: RowKey<number>,
  lease: string,
): Promise<ClaimedCallback | null> {
  const [row] = await tx.query<ClaimedCallback>(
    `select ${CLAIMED_COLUMNS} from callbacks where id = $1 and environment_id = $2 and lease = $3`,
    [id, environment_id, lease],
  );
  return row ?? null;
}

/** Ends all listeners. */
export async function deleteListeners(tx: Tx): Promise<void> {
  await tx.query('delete from callback_listeners');
}

/** Ends listeners that would last until after `furthest`: the callbacks of their environments would wait. */
export async function recallListeners(tx: Tx, { furthest, elsewhere }: Recall): Promise<void> {
  await tx.query('delete from callback_listeners where ends_at > $1 and not (environment_id {among $2})', [
    furthest,
    elsewhere,
  ]);
}
