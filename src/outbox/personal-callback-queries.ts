import type { Database, SqlRow, Tx } from '../db/database.ts';
import { type OnRows, selectLike, type TableWalk } from '../db/walk-queries.ts';
import type { CallbackState } from './callback-state.ts';
import type { CallbackKey } from './old-callback-queries.ts';

type Reader = Pick<Database, 'query'>;

export type PersonalCallback = SqlRow & {
  id: number;
  environment_id: number;
  transaction_id: number;
  created_at: number;
  state: CallbackState;
  url: string;
  body: string;
};

const CALLBACKS: TableWalk = {
  table: 'callbacks',
  key: ['id'],
  columns: 'id, environment_id, transaction_id, created_at, state, url, body',
  text: "url || ' ' || body",
};

/** The callbacks whose address or body is `like`, in the order of their ids. Looks through the whole table. */
export function selectPersonalCallbacks(db: Reader, like: string, onRows?: OnRows): Promise<PersonalCallback[]> {
  return selectLike<PersonalCallback>(db, CALLBACKS, like, { onRows });
}

/** Only of one that has its end, so that nothing is posted elsewhere. Answers whether it was changed. */
export async function updateCallbackUrl(tx: Tx, { id, environment_id }: CallbackKey, url: string): Promise<boolean> {
  const rows = await tx.query(
    `update callbacks set url = $3 where id = $1 and environment_id = $2 and state <> 'queued' returning id`,
    [id, environment_id, url],
  );
  return rows.length === 1;
}

export type PersonalAttempt = SqlRow & {
  id: number;
  environment_id: number;
  callback_id: number;
  started_at: number;
  location: string | null;
  excerpt: string | null;
};

const ATTEMPTS: TableWalk = {
  table: 'delivery_attempts',
  key: ['id'],
  columns: 'id, environment_id, callback_id, started_at, location, excerpt',
  text: "coalesce(location, '') || ' ' || coalesce(excerpt, '')",
};

/** The delivery attempts whose answer is `like`, in the order of their ids. Looks through the whole table. */
export function selectPersonalAttempts(db: Reader, like: string, onRows?: OnRows): Promise<PersonalAttempt[]> {
  return selectLike<PersonalAttempt>(db, ATTEMPTS, like, { onRows });
}

export async function updateAttemptTexts(tx: Tx, row: PersonalAttempt): Promise<void> {
  await tx.query('update delivery_attempts set location = $3, excerpt = $4 where id = $1 and environment_id = $2', [
    row.id,
    row.environment_id,
    row.location,
    row.excerpt,
  ]);
}

/** The queue of an address, and where its last answer led. */
export type PersonalEndpoint = SqlRow & {
  id: number;
  environment_id: number;
  address: string;
  location: string | null;
};

const ENDPOINTS: TableWalk = {
  table: 'endpoints',
  key: ['id'],
  columns: 'id, environment_id, address, location',
  text: "address || ' ' || coalesce(location, '')",
};

/** The endpoints whose address or last answer is `like`, in the order of their ids. Looks through the whole table. */
export function selectPersonalEndpoints(db: Reader, like: string, onRows?: OnRows): Promise<PersonalEndpoint[]> {
  return selectLike<PersonalEndpoint>(db, ENDPOINTS, like, { onRows });
}

export async function updateEndpointTexts(tx: Tx, row: PersonalEndpoint): Promise<void> {
  await tx.query('update endpoints set address = $3, location = $4 where id = $1 and environment_id = $2', [
    row.id,
    row.environment_id,
    row.address,
    row.location,
  ]);
}
