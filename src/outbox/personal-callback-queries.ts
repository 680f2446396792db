import type { SqlRow, Tx } from '../db/database.ts';
import { type LikeOptions, selectLike, type TableWalk, type WalkedStore } from '../db/walk-queries.ts';
import type { CallbackState } from './callback-state.ts';

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

/** Returns the callbacks whose URL or body matches `like`, by id. Scans the whole table. */
export function selectPersonalCallbacks(
  db: WalkedStore,
  like: string,
  options: LikeOptions<PersonalCallback>,
): Promise<PersonalCallback[]> {
  return selectLike<PersonalCallback>(db, CALLBACKS, like, options);
}

/**
 * Changes the URL of an ended callback, unless it has changed since it was found; a waiting one would be sent
 * elsewhere.
 */
export async function updateCallbackUrl(tx: Tx, found: PersonalCallback, url: string): Promise<void> {
  await tx.query(
    `update callbacks set url = $3 where id = $1 and environment_id = $2 and state <> 'queued' and url = $4`,
    [found.id, found.environment_id, url, found.url],
  );
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

/** Returns the delivery attempts whose response matches `like`, by id. Scans the whole table. */
export function selectPersonalAttempts(
  db: WalkedStore,
  like: string,
  options: LikeOptions<PersonalAttempt>,
): Promise<PersonalAttempt[]> {
  return selectLike<PersonalAttempt>(db, ATTEMPTS, like, options);
}

/** Does nothing if the texts are not as `found`, like `updatePersonalTexts`. */
export async function updateAttemptTexts(tx: Tx, found: PersonalAttempt, row: PersonalAttempt): Promise<void> {
  await tx.query(
    `update delivery_attempts set location = $3, excerpt = $4
     where id = $1 and environment_id = $2 and coalesce(location, '') = $5 and coalesce(excerpt, '') = $6`,
    [row.id, row.environment_id, row.location, row.excerpt, found.location ?? '', found.excerpt ?? ''],
  );
}

/** An endpoint's address and the redirect target of its last response. */
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

/** Returns the endpoints whose address or redirect target matches `like`, by id. Scans the whole table. */
export function selectPersonalEndpoints(
  db: WalkedStore,
  like: string,
  options: LikeOptions<PersonalEndpoint>,
): Promise<PersonalEndpoint[]> {
  return selectLike<PersonalEndpoint>(db, ENDPOINTS, like, options);
}

/** Does nothing if the texts are not as `found`, like `updatePersonalTexts`. */
export async function updateEndpointTexts(tx: Tx, found: PersonalEndpoint, row: PersonalEndpoint): Promise<void> {
  await tx.query(
    `update endpoints set address = $3, location = $4
     where id = $1 and environment_id = $2 and address = $5 and coalesce(location, '') = $6`,
    [row.id, row.environment_id, row.address, row.location, found.address, found.location ?? ''],
  );
}
