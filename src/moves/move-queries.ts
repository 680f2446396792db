import type { InsertTarget, Reader, Tx } from '../db/database.ts';
import type { Epoch } from '../epochs/epoch.ts';
import type { MoveRow } from './move.ts';

const MOVES: InsertTarget = {
  name: 'moves',
  columns: [
    'id',
    'payment_service_id',
    'direction',
    'state',
    'environment_ids',
    'address',
    'began_at',
    'began_by',
    'changed_at',
    'paused_until',
    'arrived_at',
    'progress',
  ],
};

/** Inserts a move. Returns false if a move of the payment service is already being copied. */
export async function insertMove(tx: Tx, row: MoveRow): Promise<boolean> {
  await tx.insertRows(MOVES, [row], 'on conflict do nothing');
  return (await selectMove(tx, row.id)) !== null;
}

/** Lists the last move of each payment service that ever moved, from or to here, or only of one. */
export function selectLastMoves(db: Reader, paymentServiceId: string | null): Promise<MoveRow[]> {
  return db.query<MoveRow>(
    `select * from moves where ($1 = '' or payment_service_id = $1)
       and not exists (
         select 1 from moves later where later.payment_service_id = moves.payment_service_id
           and (later.began_at > moves.began_at or (later.began_at = moves.began_at and later.id > moves.id)))
     order by began_at desc, id desc`,
    [paymentServiceId ?? ''],
  );
}

/** Lists all moves, the newest first. */
export function selectAllMoves(db: Reader): Promise<MoveRow[]> {
  return db.query<MoveRow>('select * from moves order by began_at desc, id desc');
}

export async function selectMove(db: Reader, id: string): Promise<MoveRow | null> {
  const [row] = await db.query<MoveRow>('select * from moves where id = $1', [id]);
  return row ?? null;
}

/** Returns a move and locks it until the commit, so that the progress stays as it was read. */
export async function lockMove(tx: Tx, id: string): Promise<MoveRow> {
  const [row] = await tx.query<MoveRow>('select * from moves where id = $1 {for_update}', [id]);
  return row as MoveRow;
}

/** Updates the state. Returns false if the move is no longer being copied. */
export async function updateMoveState(
  tx: Tx,
  id: string,
  { state, changedAt }: { state: 'moved' | 'undone'; changedAt: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update moves set state = $2, changed_at = $3, paused_until = null where id = $1 and state = 'copying' returning id`,
    [id, state, changedAt],
  );
  return rows.length === 1;
}

/** Takes back an outgoing move that is unchanged since it was read. Returns false if it has changed. */
export async function updateMoveBack(
  tx: Tx,
  { id, state }: Pick<MoveRow, 'id' | 'state'>,
  changedAt: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update moves set state = 'undone', changed_at = $2, paused_until = null
     where id = $1 and direction = 'out' and state = $3 returning id`,
    [id, changedAt, state],
  );
  return rows.length === 1;
}

/** Records that the other database has opened the payment service. */
export async function updateArrived(tx: Tx, id: string, arrivedAt: number): Promise<void> {
  await tx.query(`update moves set arrived_at = $2 where id = $1 and direction = 'out' and state = 'moved'`, [
    id,
    arrivedAt,
  ]);
}

export async function updatePause(tx: Tx, id: string, until: number): Promise<void> {
  await tx.query('update moves set paused_until = $2 where id = $1', [id, until]);
}

/** Ends the pause that was set with this time. A command that took the move over may have set its own. */
export async function endPause(tx: Tx, id: string, until: number): Promise<void> {
  await tx.query('update moves set paused_until = null where id = $1 and paused_until = $2', [id, until]);
}

/** Stores the progress. Returns false if another mover has taken the move over, or it is no longer being copied. */
export async function updateProgress(
  tx: Tx,
  { id, mover, changedAt }: { id: string; mover: string; changedAt: number },
  progress: string,
): Promise<boolean> {
  const rows = await tx.query(
    `update moves set progress = $3, changed_at = $4
     where id = $1 and state = 'copying' and progress like '{"mover":"' || $2 || '"%' returning id`,
    [id, mover, progress, changedAt],
  );
  return rows.length === 1;
}

/** Makes this mover the one that copies; the previous mover stops. */
export async function updateMover(tx: Tx, id: string, progress: string): Promise<void> {
  await tx.query(`update moves set progress = $2 where id = $1 and state = 'copying'`, [id, progress]);
}

export type Change = { number: number; table_name: string; row_key: string };

/** Lists the first recorded changes. */
export function selectChanges(db: Reader, limit: number): Promise<Change[]> {
  return db.query<Change>('select number, table_name, row_key from move_changes order by number limit $1', [limit]);
}

export async function deleteChanges(tx: Tx, numbers: readonly number[]): Promise<void> {
  await tx.query('delete from move_changes where number {among $1}', [numbers]);
}

export async function deleteAllChanges(tx: Tx): Promise<void> {
  await tx.query('delete from move_changes');
}

export async function selectEnvironmentIdsOf(db: Reader, paymentServiceId: string): Promise<number[]> {
  const sql = 'select id from environments where payment_service_id = $1 order by id';
  return (await db.query<{ id: number }>(sql, [paymentServiceId])).map(({ id }) => id);
}

/** Returns whether these environments have a transaction of this epoch. Those that moved here may have higher ids. */
export async function hasTransactionsOf(
  tx: Tx,
  environmentIds: readonly number[],
  { first_transaction_id, began_at }: Epoch,
): Promise<boolean> {
  const sql = 'select id from transactions where environment_id {among $1} and id >= $2 and created_at >= $3 limit 1';
  return (await tx.query(sql, [environmentIds, first_transaction_id, began_at])).length > 0;
}

/** Lists environments with one of these ids that belong to another payment service. */
export function selectStrangeEnvironments(
  db: Reader,
  ids: readonly number[],
  paymentServiceId: string,
): Promise<{ id: number }[]> {
  return db.query('select id from environments where id {among $1} and payment_service_id <> $2', [
    ids,
    paymentServiceId,
  ]);
}

/** Returns the next ids of this database. */
export async function selectNextIds(db: Reader): Promise<{ transaction: number; environment: number }> {
  const rows = await db.query<{ name: string; next_id: number }>('select name, next_id from id_blocks');
  const next = new Map(rows.map(({ name, next_id }) => [name, next_id]));
  return { transaction: next.get('transaction') ?? 0, environment: next.get('environment') ?? 0 };
}

/**
 * Returns the lowest and highest transaction id in these environments, below `bound` or from it on; null if there are
 * no transactions.
 */
export async function selectIdSpan(
  db: Reader,
  environmentIds: readonly number[],
  bound: number,
  side: 'below' | 'above',
): Promise<{ low: number; high: number } | null> {
  const [row] = await db.query<{ low: number | null; high: number | null }>(
    `select min(id) as low, max(id) as high from transactions
     where environment_id {among $1} and ${side === 'below' ? 'id < $2' : 'id >= $2'}`,
    [environmentIds, bound],
  );
  return row === undefined || row.low === null || row.high === null ? null : { low: row.low, high: row.high };
}

export function selectEnvironmentOwners(db: Reader): Promise<{ id: number; payment_service_id: string }[]> {
  return db.query('select id, payment_service_id from environments');
}

/** Returns whether a transaction of any other environment has an id in this span. */
export async function hasStrangersAmong(
  db: Reader,
  { low, high }: { low: number; high: number },
  environmentIds: readonly number[],
): Promise<boolean> {
  const rows = await db.query(
    'select id from transactions where id >= $1 and id <= $2 and not (environment_id {among $3}) limit 1',
    [low, high, environmentIds],
  );
  return rows.length > 0;
}

/** Counts the transactions of these environments with ids in this span. */
export async function countAmong(
  db: Reader,
  { low, high }: { low: number; high: number },
  environmentIds: readonly number[],
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*) as count from transactions where environment_id {among $3} and id >= $1 and id <= $2',
    [low, high, environmentIds],
  );
  return row?.count ?? 0;
}

/**
 * Returns whether the payment service has data that is found by a hash: of a person, or of a bank's line, which would
 * be imported again.
 */
export async function hasHashes(
  db: Reader,
  paymentServiceId: string,
  environmentIds: readonly number[],
): Promise<boolean> {
  const rows = await db.query(
    `select 1 as found from recipients where payment_service_id = $1
     union all select 1 from bank_statements where payment_service_id = $1
     union all select 1 from payouts where environment_id {among $2} limit 1`,
    [paymentServiceId, environmentIds],
  );
  return rows.length > 0;
}

/** Lists the users to whom a payment service was granted by name, also disabled ones, by e-mail address. */
export function selectGrantees(
  db: Reader,
  paymentServiceId: string,
): Promise<{ id: string; email: string; disabled_at: number | null }[]> {
  return db.query(
    `select u.id, u.email, u.disabled_at from users u join user_payment_services g on g.user_id = u.id
     where g.payment_service_id = $1 order by u.email`,
    [paymentServiceId],
  );
}

/** Lists the ends of its chains: of the journal and of the facts. */
export function selectChainEnds(
  db: Reader,
  environmentIds: readonly number[],
): Promise<{ environment_id: number; chain: string; link: number; hash: string | null }[]> {
  return db.query(
    `select h.environment_id, 'journal' as chain, h.link,
       (select min(e.hash) from journal_entries e where e.environment_id = h.environment_id and e.link = h.link) as hash
     from journal_heads h where h.environment_id {among $1}
     union all
     select h.environment_id, 'facts' as chain, h.link,
       (select min(f.hash) from book_facts f where f.environment_id = h.environment_id and f.link = h.link) as hash
     from book_fact_heads h where h.environment_id {among $1}
     order by chain, environment_id`,
    [environmentIds],
  );
}

/** Raises the next id and returns it. It never falls. */
export async function raiseNextId(tx: Tx, name: 'transaction' | 'environment', first: number): Promise<number> {
  const [row] = await tx.query<{ next_id: number }>(
    `update id_blocks set next_id = case when next_id < $2 then $2 else next_id end where name = $1 returning next_id`,
    [name, first],
  );
  return (row as { next_id: number }).next_id;
}
