import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';

/** A row of `payout_senders`: the program that sends payouts. `retired_at` null: it is in use. */
export type PayoutSenderRow = SqlRow & {
  id: string;
  environment_id: number;
  kind: 'simulated' | 'http';
  url: string | null;
  sealed_key: string | null;
  set_at: number;
  set_by: string;
  retired_at: number | null;
};

const PAYOUT_SENDERS: InsertTarget = {
  name: 'payout_senders',
  columns: ['id', 'environment_id', 'kind', 'url', 'sealed_key', 'set_at', 'set_by'],
};

export async function insertPayoutSender(tx: Tx, row: PayoutSenderRow): Promise<void> {
  await tx.insertRows(PAYOUT_SENDERS, [row]);
}

export async function selectSenderInUse(db: Reader, environmentId: number): Promise<PayoutSenderRow | null> {
  const [row] = await db.query<PayoutSenderRow>(
    'select * from payout_senders where environment_id = $1 and retired_at is null',
    [environmentId],
  );
  return row ?? null;
}

/** Returns a sender by its id, even a retired one. */
export async function selectSender(db: Reader, environmentId: number, id: string): Promise<PayoutSenderRow | null> {
  const [row] = await db.query<PayoutSenderRow>('select * from payout_senders where id = $1 and environment_id = $2', [
    id,
    environmentId,
  ]);
  return row ?? null;
}

/** Stores a new key of the same provider. Earlier payouts are looked up with the new key too. */
export async function updateSenderKey(
  tx: Tx,
  { id, environment_id, sealed_key, set_at, set_by }: PayoutSenderRow,
): Promise<void> {
  await tx.query(
    'update payout_senders set sealed_key = $3, set_at = $4, set_by = $5 where id = $1 and environment_id = $2',
    [id, environment_id, sealed_key, set_at, set_by],
  );
}

export async function retireSender(tx: Tx, environmentId: number, at: number): Promise<void> {
  await tx.query('update payout_senders set retired_at = $2 where environment_id = $1 and retired_at is null', [
    environmentId,
    at,
  ]);
}

export type ListedSender = Pick<PayoutSenderRow, 'id' | 'kind' | 'url' | 'set_at' | 'set_by'> & {
  payment_service_id: string;
  name: string;
  environment: Environment;
};

/** Returns the senders in use, without their keys. */
export function selectSenders(db: Reader): Promise<ListedSender[]> {
  return db.query<ListedSender>(
    `select s.id, s.kind, s.url, s.set_at, s.set_by, e.payment_service_id, p.name, e.environment from payout_senders s
     join environments e on e.id = s.environment_id
     join payment_services p on p.id = e.payment_service_id
     where s.retired_at is null order by p.name, e.environment`,
  );
}
