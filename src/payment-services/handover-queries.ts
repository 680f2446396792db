import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { Handover, ShownHandover } from './handover.ts';
import type { Environment } from './payment-service.ts';

export async function insertHandover(tx: Tx, row: Handover): Promise<void> {
  await tx.query(
    `insert into token_handovers (id, environment_id, secret_id, proof, made_at, made_by, ends_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.environment_id, row.secret_id, row.proof, row.made_at, row.made_by, row.ends_at],
  );
}

export async function selectHandover(db: Reader, id: string): Promise<Handover | null> {
  const [row] = await db.query<Handover>('select * from token_handovers where id = $1', [id]);
  return row ?? null;
}

/** Lists the links that wait for their readers. */
export function selectWaitingHandovers(db: Reader, now: number): Promise<Handover[]> {
  return db.query<Handover>(
    'select * from token_handovers where opened_at is null and ended_at is null and ends_at > $1 order by id',
    [now],
  );
}

/** Marks a link as opened; returns false if it was opened, was ended or has expired. */
export async function updateOpened(tx: Tx, id: string, openedAt: number, from: string): Promise<boolean> {
  const rows = await tx.query(
    `update token_handovers set opened_at = $2, opened_from = $3
     where id = $1 and opened_at is null and ended_at is null and ends_at > $2 returning id`,
    [id, openedAt, from],
  );
  return rows.length === 1;
}

/** Ends a link; returns false if it was opened, was ended or has expired. */
export async function updateEnded(tx: Tx, id: string, endedAt: number): Promise<boolean> {
  const rows = await tx.query(
    `update token_handovers set ended_at = $2
     where id = $1 and opened_at is null and ended_at is null and ends_at > $2 returning id`,
    [id, endedAt],
  );
  return rows.length === 1;
}

export async function updateAllEnded(tx: Tx, environmentId: number, endedAt: number): Promise<void> {
  await tx.query(
    `update token_handovers set ended_at = $2
     where environment_id = $1 and opened_at is null and ended_at is null and ends_at > $2`,
    [environmentId, endedAt],
  );
}

export type ListedHandover = SqlRow &
  ShownHandover & {
    payment_service_id: string;
    name: string;
    environment: Environment;
  };

/** Lists the links of one payment service or of all (`''`) in these environments, the newest first. */
export function selectHandovers(
  db: Reader,
  { paymentServiceId, environments }: { paymentServiceId: string; environments: readonly Environment[] },
  limit: number,
): Promise<ListedHandover[]> {
  return db.query<ListedHandover>(
    `select h.id, h.environment_id, h.secret_id, h.made_at, h.made_by, h.ends_at, h.opened_at, h.opened_from, h.ended_at,
       e.payment_service_id, e.environment, p.name from token_handovers h
     join environments e on e.id = h.environment_id
     join payment_services p on p.id = e.payment_service_id
     where ($1 = '' or e.payment_service_id = $1) and e.environment {named $3}
     order by h.made_at desc, h.id limit $2`,
    [paymentServiceId, limit, environments],
  );
}

export type CurrentSecret = SqlRow & {
  id: string;
  environment_id: number;
  sealed: string;
  payment_service_id: string;
  name: string;
  environment: Environment;
  service_token: string;
};

/** Returns the environment's current Secret Token, encrypted, with its owner. */
export async function selectCurrentSecret(db: Reader, environmentId: number): Promise<CurrentSecret | null> {
  const [row] = await db.query<CurrentSecret>(
    `select s.id, s.environment_id, s.sealed, e.payment_service_id, e.environment, e.service_token, p.name
     from secret_tokens s
     join environments e on e.id = s.environment_id
     join payment_services p on p.id = e.payment_service_id
     where s.environment_id = $1 and s.closes_at is null
     order by s.created_at desc, s.id limit 1`,
    [environmentId],
  );
  return row ?? null;
}
