import type { Reader, SqlParameter, SqlRow, Tx } from '../db/database.ts';
import { afterPlace, type NewestPage } from '../db/newest-page.ts';
import type { RowKey } from '../db/row-key.ts';
import { keepsLateMoney } from '../movements/movement-queries.ts';
import type { PaymentLink } from './payment-link.ts';

/** Inserts a link; returns false if its key already has a link. */
export async function insertPaymentLink(tx: Tx, row: PaymentLink): Promise<boolean> {
  const suffix = 'on conflict (environment_id, idempotency_key) do nothing returning id';
  const rows = await tx.insertRows({ name: 'payment_links', columns: Object.keys(row) }, [row], suffix);
  return rows.length === 1;
}

export async function selectLinkByKey(tx: Tx, environmentId: number, key: string): Promise<PaymentLink | null> {
  const [row] = await tx.query<PaymentLink>(
    'select * from payment_links where environment_id = $1 and idempotency_key = $2',
    [environmentId, key],
  );
  return row ?? null;
}

/** Reads a link by its id, because its URL names no environment. */
export async function selectLinkAnywhere(db: Reader, id: string): Promise<PaymentLink | null> {
  const [row] = await db.query<PaymentLink>('select * from payment_links where id = $1', [id]);
  return row ?? null;
}

/** Records `number` as the last transaction of a link, unless a later one was made meanwhile. */
export async function raiseOpened(tx: Tx, link: RowKey<string>, number: number): Promise<void> {
  await tx.query('update payment_links set opened = $3 where id = $1 and environment_id = $2 and opened < $3', [
    link.id,
    link.environment_id,
    number,
  ]);
}

/** Takes the number of the next transaction of a link with many payments. Each number is given once. */
export async function takeNumber(tx: Tx, link: RowKey<string>): Promise<number> {
  const [row] = await tx.query<{ opened: number }>(
    'update payment_links set opened = opened + 1 where id = $1 and environment_id = $2 returning opened',
    [link.id, link.environment_id],
  );
  if (row === undefined) throw new Error('A payment link is gone');
  return row.opened;
}

/** Ends a link; returns false if it had been ended before. */
export async function updateLinkEnded(tx: Tx, link: RowKey<string>, at: number): Promise<boolean> {
  const rows = await tx.query(
    'update payment_links set ended_at = $3 where id = $1 and environment_id = $2 and ended_at is null returning id',
    [link.id, link.environment_id, at],
  );
  return rows.length === 1;
}

/** A link with its owner, and how often it was paid. */
export type OwnedLink = PaymentLink & { payment_service: string; name: string; environment: string; paid: number };

export type ListedLinkRow = SqlRow & OwnedLink & { service_disabled_at: number | null };

/** Includes late money, unless it was returned, so that nobody pays such a link again. */
const TOOK_MONEY = `(t.state = 'completed' or ${keepsLateMoney('t.id', 't.environment_id')})`;

/** Adds the owner of each link, and how often it was paid. `links`: a select of links. */
function listed(links: string): string {
  // The characters `-` and `.` are adjacent, so this range covers the references of a link.
  return `select l.*, e.payment_service_id as payment_service, p.name, e.environment, p.disabled_at as service_disabled_at,
       (select count(*) from transactions t where t.environment_id = l.environment_id and ${TOOK_MONEY}
          and t.reference >= l.id || '-' and t.reference < l.id || '.') as paid
     from (${links}) l join environments e on e.id = l.environment_id join payment_services p on p.id = e.payment_service_id`;
}

/** Up to this many environments are read one by one, each by its index and only up to the limit. */
const ASKED_EACH = 50;

/** Returns a page of the links of some environments (null: of all). Counts payments only for the links of the page. */
export async function selectLinks(
  db: Reader,
  environmentIds: readonly number[] | null,
  { after = null, limit }: NewestPage,
): Promise<ListedLinkRow[]> {
  if (environmentIds?.length === 0) return [];
  const parameters: SqlParameter[] = [limit];
  const behind = afterPlace(after, parameters);
  const newest = (which: string) =>
    `select * from payment_links where ${which} ${behind} order by created_at desc, id limit $1`;
  const newestOf = (ids: readonly number[]) => {
    if (ids.length > ASKED_EACH) return newest(`environment_id {among $${parameters.push(ids)}}`);
    const each = ids.map((id) => `select * from (${newest(`environment_id = $${parameters.push(id)}`)}) as own`);
    return `select * from (${each.join(' union all ')}) as seen order by created_at desc, id limit $1`;
  };
  const page = environmentIds === null ? newest('1 = 1') : newestOf(environmentIds);
  return db.query<ListedLinkRow>(`${listed(page)} order by l.created_at desc, l.id`, parameters);
}

export async function selectListedLinkAnywhere(db: Reader, id: string): Promise<ListedLinkRow | null> {
  const [row] = await db.query<ListedLinkRow>(listed('select * from payment_links where id = $1'), [id]);
  return row ?? null;
}

/** Returns whether a link was paid by a transaction other than `except`. */
export async function isLinkPaid(db: Reader, { id, environment_id }: RowKey<string>, except = 0): Promise<boolean> {
  const rows = await db.query(
    `select t.id from transactions t where t.environment_id = $2 and ${TOOK_MONEY}
       and t.reference >= $1 || '-' and t.reference < $1 || '.' and t.id <> $3 limit 1`,
    [id, environment_id, except],
  );
  return rows.length > 0;
}
