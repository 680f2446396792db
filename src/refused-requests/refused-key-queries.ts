import type { Reader, SqlRow, Tx } from '../db/database.ts';

/**
 * The wrong signatures of one payment service in one group: the first and the last time (UTC milliseconds), how many,
 * and how many of them another of its Secret Tokens made (`proved`).
 */
export type RefusedKey = { environment_id: number; since: number; last_at: number; refusals: number; proved: number };

/**
 * Adds a group to the stored run, or begins a new run if the last refusal was more than `gapMs` before. Processes may
 * write late, in any order.
 */
export async function addRefusedKey(
  tx: Tx,
  { environment_id, since, last_at, refusals, proved }: RefusedKey,
  gapMs: number,
): Promise<void> {
  await tx.query(
    `insert into refused_keys (environment_id, since, last_at, refusals, proved) values ($1, $2, $3, $4, $6)
     on conflict (environment_id) do update set
       since = case when refused_keys.last_at < $5 or excluded.since < refused_keys.since
         then excluded.since else refused_keys.since end,
       refusals = case when refused_keys.last_at < $5 then excluded.refusals else refused_keys.refusals + excluded.refusals end,
       proved = case when refused_keys.last_at < $5 then excluded.proved else refused_keys.proved + excluded.proved end,
       last_at = case when excluded.last_at < refused_keys.last_at then refused_keys.last_at else excluded.last_at end`,
    [environment_id, since, last_at, refusals, since - gapMs, proved],
  );
}

export async function deleteRefusedKeysBefore(tx: Tx, before: number): Promise<void> {
  await tx.query('delete from refused_keys where last_at < $1', [before]);
}

export type ListedRefusedKey = SqlRow & RefusedKey & { payment_service: string; name: string; environment: string };

/**
 * Selects runs that continue: refused at or after `after`, at least `least` times, and made by the merchant's own
 * service. That is proved by another of its Secret Tokens, until a valid signature `healedMs` after the last refusal;
 * or by the fact that the environment never had a valid signature, so that no stranger can know its Service Token from
 * a form.
 */
export type RefusedKeyFilter = { after: number; least: number; healedMs: number };

const GOES_ON = `k.last_at >= $1 and k.refusals >= $2 and not exists (
  select 1 from secret_tokens s where s.environment_id = k.environment_id and s.last_used_at is not null
    and (k.proved = 0 or s.last_used_at > k.last_at + $3))`;

export async function measureRefusedKeys(
  db: Reader,
  { after, least, healedMs }: RefusedKeyFilter,
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(k.since) as oldest from refused_keys k where ${GOES_ON}`,
    [after, least, healedMs],
  );
  return row ?? { count: 0, oldest: null };
}

export function selectRefusedKeys(
  db: Reader,
  { after, least, healedMs }: RefusedKeyFilter,
  limit: number,
): Promise<ListedRefusedKey[]> {
  return db.query<ListedRefusedKey>(
    `select k.*, e.payment_service_id as payment_service, e.environment, p.name from refused_keys k
     join environments e on e.id = k.environment_id
     join payment_services p on p.id = e.payment_service_id
     where ${GOES_ON} order by k.since, k.environment_id limit $4`,
    [after, least, healedMs, limit],
  );
}
