import type { Reader, SqlRow } from '../db/database.ts';

/**
 * A move that began and has not ended. `name`: of the payment service; null until its row is copied. Times are UTC
 * milliseconds.
 */
export type OpenMove = SqlRow & {
  id: string;
  payment_service_id: string;
  name: string | null;
  direction: 'out' | 'in';
  state: 'copying' | 'moved';
  address: string;
  since: number;
};

/**
 * UTC milliseconds. A move that began (here: last copied a row) before `copying`, or left before `left`, waits for a
 * person.
 */
export type OpenMoveFilter = { copying: number; left: number };

/**
 * SQL for moves that have been copying for too long (in the receiving database: since the last row was written), and
 * moves that left and are not known to have arrived. Parameters: the times of the filter.
 */
const OPEN = `
  select m.id, m.payment_service_id, p.name, m.direction, m.state, m.address,
    case when m.direction = 'out' and m.state = 'copying' then m.began_at else m.changed_at end as since
  from moves m left join payment_services p on p.id = m.payment_service_id
  where (m.state = 'copying' and case when m.direction = 'out' then m.began_at else m.changed_at end <= $1
      or m.direction = 'out' and m.state = 'moved' and m.arrived_at is null and m.changed_at <= $2)
    and not exists (
      select 1 from moves later where later.payment_service_id = m.payment_service_id
        and (later.began_at > m.began_at or (later.began_at = m.began_at and later.id > m.id)))`;

export function selectOpenMoves(db: Reader, { copying, left }: OpenMoveFilter, limit: number): Promise<OpenMove[]> {
  return db.query<OpenMove>(`${OPEN} order by since, m.id limit $3`, [copying, left, limit]);
}

export async function measureOpenMoves(
  db: Reader,
  { copying, left }: OpenMoveFilter,
): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(since) as oldest from (${OPEN}) as open`,
    [copying, left],
  );
  return row ?? { count: 0, oldest: null };
}
