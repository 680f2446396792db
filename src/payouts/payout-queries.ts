import type { InsertTarget, Reader, SqlParameter, SqlRow, Tx } from '../db/database.ts';
import { afterPlace, type NewestPage } from '../db/newest-page.ts';
import type { KeptReason } from './kept-texts.ts';
import { PAYOUT_CURRENCY, type Payout, type PayoutState, statesBefore } from './payout.ts';

const PAYOUTS: InsertTarget = {
  name: 'payouts',
  columns: [
    'id',
    'environment_id',
    'batch_id',
    'reference',
    'amount',
    'currency',
    'created_at',
    'proposed_by',
    'proposed_by_id',
    'proposed_kind',
    'recipient_id',
    'recipient_version',
    'rut_hash',
    'account_hash',
    'bank_code',
    'account_masked',
    'verdict',
    'validated_at',
    'message',
    'wish_hash',
    'callback_url',
    'account_changed_by',
    'state',
    'changed_at',
    'looks',
  ],
};

/** Inserts payouts and returns them. Skips rows whose reference already exists. */
export function insertPayouts(tx: Tx, rows: readonly SqlRow[]): Promise<Payout[]> {
  return tx.insertRows<Payout>(PAYOUTS, rows, 'on conflict (environment_id, reference) do nothing returning *');
}

/** Returns a payout of any environment, for a person who knows only its id. */
export async function selectPayoutAnywhere(db: Reader, id: string): Promise<Payout | null> {
  const [row] = await db.query<Payout>('select * from payouts where id = $1', [id]);
  return row ?? null;
}

export function selectByReferences(
  db: Reader,
  environmentId: number,
  references: readonly string[],
): Promise<Payout[]> {
  return db.query<Payout>('select * from payouts where environment_id = $1 and reference {named $2}', [
    environmentId,
    references,
  ]);
}

/** Names payouts: by their ids, or all payouts of a batch. */
export type PayoutsNamed = { environmentId: number } & ({ ids: readonly string[] } | { batchId: string });

/** Locks payouts until the commit and returns them, always in the same order, so that transactions cannot deadlock. */
export function lockPayouts(tx: Tx, named: PayoutsNamed): Promise<Payout[]> {
  return tx.query<Payout>(
    `select * from payouts where environment_id = $1 and ${which(named)} order by {filter_by}created_at, id {bytewise} {for_update}`,
    [named.environmentId, 'ids' in named ? named.ids : named.batchId],
  );
}

function which(named: PayoutsNamed): string {
  return 'ids' in named ? 'id {named $2}' : 'batch_id = $2';
}

/**
 * Other columns of a change of state. Omitted members keep their column; omitted `reason` and `nextLookAt` become null.
 */
export type PayoutChange = {
  approvedBy?: { name: string | null; id: string | null; approval: 'person' | 'automatic' };
  reason?: string | null;
  file?: string;
  /** The id of the sender that sends the payout. */
  sender?: string;
  /** For a payout of a sender: when the sender is asked next. */
  nextLookAt?: number | null;
  /**
   * A person who has seen the contradiction settles the payout. What a line of a bank statement says stays: the line may
   * show money that is not booked.
   */
  endsContradiction?: true;
};

const ENDED: ReadonlySet<PayoutState> = new Set(['confirmed', 'failed', 'returned', 'rejected', 'cancelled']);

/** The only statement that changes a state. Returns the payouts whose state allowed the change, in the new state. */
export function updateState(
  tx: Tx,
  { environmentId, ids, to, at }: { environmentId: number; ids: readonly string[]; to: PayoutState; at: number },
  change: PayoutChange,
): Promise<Payout[]> {
  const parameters: SqlParameter[] = [environmentId, ids, to, at, statesBefore(to)];
  const set = ['state = $3', 'changed_at = $4'];
  const add = (column: string, value: SqlParameter) => set.push(`${column} = $${parameters.push(value)}`);
  const { approvedBy, file, sender, nextLookAt = null, reason = null } = change;
  add('reason', reason);
  if (approvedBy !== undefined) {
    set.push('approved_at = $4');
    add('approval', approvedBy.approval);
    add('approved_by', approvedBy.name);
    add('approved_by_id', approvedBy.id);
  }
  if (file !== undefined) add('file_id', file);
  if (sender !== undefined) add('sender_id', sender);
  if (to === 'sent') set.push('sent_at = $4');
  if (ENDED.has(to)) set.push('settled_at = $4');
  const look = `cast($${parameters.push(nextLookAt)} as bigint)`;
  const isLooked = to === 'approved' || sender !== undefined;
  set.push(`next_look_at = ${isLooked ? look : `case when sender_id is not null then ${look} end`}`);
  if (change.endsContradiction === true) {
    const unlessLine = (then: string, otherwise: string) =>
      `case when contradicted_by is null then ${then} else ${otherwise} end`;
    set.push(
      `contradiction_ended = ${unlessLine('coalesce(contradiction, contradiction_ended)', 'contradiction_ended')}`,
      `contradiction = ${unlessLine('null', 'contradiction')}`,
      `contradicted_at = ${unlessLine('null', 'contradicted_at')}`,
    );
  }
  return tx.query<Payout>(
    `update payouts set ${set.join(', ')} where environment_id = $1 and id {named $2} and state {named $5} returning *`,
    parameters,
  );
}

/** Sets the reason why a payout waits; its state stays. */
export async function updateReason(tx: Tx, { id, environment_id }: Payout, reason: KeptReason): Promise<Payout> {
  const [row] = await tx.query<Payout>(
    'update payouts set reason = $3 where id = $1 and environment_id = $2 returning *',
    [id, environment_id, reason],
  );
  return row as Payout;
}

/** The exact condition of the index on open payouts: SQLite uses the index only with this text. */
export const OPEN = "state in ('awaiting_approval', 'approved', 'sent', 'unknown')";

/**
 * Locks and returns the approved payouts that have not left: of a batch, or all (null). Ordered like the lines of a
 * file.
 */
export function lockApproved(tx: Tx, environmentId: number, batchId: string | null): Promise<Payout[]> {
  const ofBatch = batchId === null ? '' : 'and batch_id = $2';
  return tx.query<Payout>(
    `select * from payouts where environment_id = $1 and state = 'approved' and ${OPEN} ${ofBatch}
     order by {filter_by}created_at, id {bytewise} {for_update}`,
    batchId === null ? [environmentId] : [environmentId, batchId],
  );
}

/** Numbers the payouts of a file in the order of `lockApproved`, from 1. */
export async function updateFileLines(tx: Tx, environmentId: number, fileId: string): Promise<void> {
  await tx.query(
    `update payouts set file_line = numbered.line
     from (select id as numbered_id, row_number() over (order by {filter_by}created_at, id {bytewise}) as line from payouts
       where environment_id = $1 and file_id = $2) as numbered
     where payouts.environment_id = $1 and payouts.id = numbered.numbered_id`,
    [environmentId, fileId],
  );
}

export function selectPayoutsOfFile(db: Reader, environmentId: number, fileId: string): Promise<Payout[]> {
  return db.query<Payout>('select * from payouts where environment_id = $1 and file_id = $2 order by file_line', [
    environmentId,
    fileId,
  ]);
}

/**
 * Stores a contradiction; it replaces another one. `line`: is added to `contradicted_by`. The lines of an earlier
 * contradiction stay: they may show money that is not booked. Returns null if the same one is already stored with this
 * line, and not yet ended.
 */
export async function updateContradiction(
  tx: Tx,
  { id, environment_id }: Pick<Payout, 'id' | 'environment_id'>,
  { said, at, line }: { said: string; at: number; line: string | null },
): Promise<Payout | null> {
  const isNewLine = "$5 <> '' and ' ' || coalesce(contradicted_by, '') || ' ' not like '% ' || $5 || ' %'";
  const [row] = await tx.query<Payout>(
    `update payouts set contradiction = $3,
       contradicted_at = case when contradiction = $3 then contradicted_at else $4 end,
       contradicted_by = case when ${isNewLine} then coalesce(contradicted_by || ' ', '') || $5 else contradicted_by end
     where id = $1 and environment_id = $2 and (contradiction is null or contradiction <> $3 or (${isNewLine})) returning *`,
    [id, environment_id, said, at, line ?? ''],
  );
  return row ?? null;
}

/**
 * Ends a contradiction. A payout with an end is not looked up again: its sender would report the same. Returns null if
 * there was no contradiction.
 */
export async function updateContradictionEnded(
  tx: Tx,
  { id, environment_id }: Pick<Payout, 'id' | 'environment_id'>,
): Promise<Payout | null> {
  const [row] = await tx.query<Payout>(
    `update payouts set contradiction = null, contradicted_at = null, contradicted_by = null, contradiction_ended = contradiction,
       next_look_at = case when state in ('sent', 'unknown') then next_look_at end
     where id = $1 and environment_id = $2 and contradicted_at is not null returning *`,
    [id, environment_id],
  );
  return row ?? null;
}

/**
 * Returns the account of the last payout to each RUT, among payouts that left. Reads them once: there may be thousands.
 */
export function selectLastAccounts(
  tx: Reader,
  environmentId: number,
  rutHashes: readonly string[],
): Promise<{ rut_hash: string; account_hash: string; created_at: number }[]> {
  return tx.query(
    `select rut_hash, account_hash, created_at from (
       select rut_hash, account_hash, created_at,
         row_number() over (partition by rut_hash order by created_at desc, id {bytewise} desc) as place
       from payouts where environment_id = $1 and rut_hash {named $2} and state in ('sent', 'unknown', 'confirmed', 'returned')
     ) as paid where place = 1`,
    [environmentId, rutHashes],
  );
}

/**
 * Sums the payouts approved since a time: the total of those not taken back, and the total and count of all that were
 * approved automatically. The latter limit the pace of programs, which does not rise again when a person takes one
 * back.
 */
export async function sumApproved(
  tx: Reader,
  { environmentId, since }: { environmentId: number; since: number },
): Promise<{ total: number; automatic: number; automaticCount: number }> {
  const [row] = await tx.query<{ total: number; automatic: number; count: number }>(
    `select cast(coalesce(sum(case when state <> 'cancelled' then amount else 0 end), 0) as bigint) as total,
       cast(coalesce(sum(case when approval = 'automatic' then amount else 0 end), 0) as bigint) as automatic,
       cast(coalesce(sum(case when approval = 'automatic' then 1 else 0 end), 0) as bigint) as count
     from payouts where environment_id = $1 and approved_at >= $2 and currency = $3`,
    [environmentId, since, PAYOUT_CURRENCY],
  );
  return { total: row?.total ?? 0, automatic: row?.automatic ?? 0, automaticCount: row?.count ?? 0 };
}

/** Sums the payouts that one person has approved since a time and that were not taken back, in all environments. */
export async function sumApprovedBy(tx: Reader, { userId, since }: { userId: string; since: number }): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select cast(coalesce(sum(amount), 0) as bigint) as total from payouts
     where approved_by_id = $1 and approved_at >= $2 and currency = $3 and state <> 'cancelled'`,
    [userId, since, PAYOUT_CURRENCY],
  );
  return row?.total ?? 0;
}

/** Returns the approved payouts of batches that were not cancelled. */
export function selectApprovedOfBatches(
  tx: Reader,
  environmentId: number,
  batchIds: readonly string[],
): Promise<Pick<Payout, 'batch_id' | 'reference' | 'amount'>[]> {
  return tx.query(
    `select batch_id, reference, amount from payouts
     where environment_id = $1 and batch_id {named $2} and {filter_by}approved_at is not null and state <> 'cancelled'`,
    [environmentId, batchIds],
  );
}

/**
 * A filter of payouts; omitted members filter nothing. `since` (inclusive) and `until` (exclusive) limit when the
 * payout was made, in UTC milliseconds.
 */
export type PayoutFilter = {
  state?: PayoutState;
  /** Every state but this one. */
  except?: PayoutState;
  batchId?: string;
  id?: string;
  reference?: string;
  rutHash?: string;
  /** In minor units. */
  amount?: number;
  since?: number;
  until?: number;
};

/** The condition of each member of a filter; the parameter's number follows. */
const ASKS = {
  state: 'state =',
  except: 'state <>',
  batchId: 'batch_id =',
  id: 'id =',
  reference: 'reference =',
  rutHash: 'rut_hash =',
  amount: 'amount =',
  since: 'created_at >=',
  until: 'created_at <',
} as const satisfies Record<keyof PayoutFilter, string>;

/** Up to this many environments are read one by one, each by its index; more by the index of the newest payouts. */
const ASKED_EACH = 8;
/** Few payouts share one of these values, so its index is fast. */
const NARROW = ['batchId', 'id', 'reference', 'rutHash'] as const satisfies (keyof PayoutFilter)[];

/** Returns the newest payouts after `before`. The SQL has only the conditions in use, so that their index is used. */
export async function selectPayouts(
  db: Reader,
  environmentIds: readonly number[],
  filter: PayoutFilter,
  { after = null, limit }: NewestPage,
): Promise<Payout[]> {
  if (environmentIds.length === 0) return [];
  const parameters: SqlParameter[] = [limit];
  const asked = (Object.keys(ASKS) as (keyof PayoutFilter)[]).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`and ${ASKS[name]} $${parameters.push(value)}`];
  });
  asked.push(afterPlace(after, parameters));
  const newest = (which: string) =>
    `select * from payouts where ${which} ${asked.join(' ')} order by created_at desc, id limit $1`;
  if (NARROW.some((name) => filter[name] !== undefined)) {
    return db.query<Payout>(newest(`environment_id {among $${parameters.push(environmentIds)}}`), parameters);
  }
  if (environmentIds.length > ASKED_EACH) {
    const which = `{filter_by}environment_id {among $${parameters.push(environmentIds)}}`;
    return db.query<Payout>(newest(which), parameters);
  }
  const each = environmentIds.map(
    (id) => `select * from (${newest(`environment_id = $${parameters.push(id)}`)}) as own`,
  );
  return db.query<Payout>(`${each.join(' union all ')} order by created_at desc, id limit $1`, parameters);
}

/**
 * Returns all payouts to a RUT, by its hash, of all payment services: of each environment, because their index begins
 * with it.
 */
export function selectPayoutsOfRut(db: Reader, rutHash: string): Promise<{ id: string; file_id: string | null }[]> {
  return db.query(
    `select id, file_id from payouts
     where environment_id in (select id from environments) and rut_hash = $1 order by {filter_by}created_at, id`,
    [rutHash],
  );
}

/** Returns payouts that lack an entry that their state requires. Each kind of entry is joined once. */
export function selectUnbookedPayouts(
  db: Reader,
): Promise<{ id: string; environment_id: number; state: PayoutState; changed_at: number }[]> {
  const entry = (name: string) => `left join journal_entries ${name} on ${name}.payout_id = p.id
      and ${name}.kind = 'payout_${name}' and ${name}.environment_id = p.environment_id`;
  return db.query(
    `select p.id, p.environment_id, p.state, p.changed_at from payouts p
     ${entry('reserved')} ${entry('paid')} ${entry('released')} ${entry('reversed')}
     where (p.approval is not null and reserved.payout_id is null)
       or (p.state in ('confirmed', 'returned') and paid.payout_id is null)
       or (p.state in ('failed', 'cancelled') and p.approval is not null and released.payout_id is null)
       or (p.state = 'returned' and reversed.payout_id is null)
     order by p.environment_id, p.id`,
  );
}

/** The count and amount of an environment's payouts in one state that is not an end. */
export type StateSum = { state: PayoutState; count: number; amount: number };

/** Sums the payouts of an environment without an end, by state. Those that wait for approval reserve no money yet. */
export function sumOpenPayouts(db: Reader, environmentId: number): Promise<StateSum[]> {
  return db.query(
    `select state, count(*) as count, cast(sum(amount) as bigint) as amount from payouts
     where environment_id = $1 and currency = $2 and ${OPEN}
     group by state order by state`,
    [environmentId, PAYOUT_CURRENCY],
  );
}
