import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import type { EventType } from './event.ts';

type Reader = Pick<Database, 'query'>;

const EVENTS: InsertTarget = {
  name: 'events',
  columns: ['environment_id', 'transaction_id', 'sequence', 'created_at', 'type', 'user_id', 'data'],
};

export async function insertEvents(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(EVENTS, rows);
}

/** Answers the id of the endpoint and whether it was disabled, adding it when it is new. */
export async function ensureEndpoint(tx: Tx, environmentId: number, address: string): Promise<EndpointRow> {
  await tx.query('insert into endpoints (environment_id, address) values ($1, $2) on conflict (environment_id, address) do nothing', [
    environmentId,
    address,
  ]);
  const [row] = await tx.query<EndpointRow>(
    'select id, disabled_at from endpoints where environment_id = $1 and address = $2',
    [environmentId, address],
  );
  return row as EndpointRow;
}

export type EndpointRow = SqlRow & { id: number; disabled_at: number | null };

export type CallbackState = 'queued' | 'delivered' | 'dead' | 'disabled';

const CALLBACKS: InsertTarget = {
  name: 'callbacks',
  columns: [
    'transaction_id',
    'environment_id',
    'endpoint_id',
    'sequence',
    'created_at',
    'next_attempt_at',
    'finished_at',
    'attempts',
    'state',
    'webhook_id',
    'url',
    'body',
  ],
};

export async function insertCallback(tx: Tx, row: SqlRow): Promise<void> {
  await tx.insertRows(CALLBACKS, [row]);
}

export type FeedRow = SqlRow & {
  position: number;
  commit_id: number;
  environment_id: number | null;
  transaction_id: number | null;
  sequence: number | null;
  created_at: number;
  type: EventType;
  user_id: string | null;
  data: string | null;
};
