import type { App } from '../../app.ts';
import type { Tx } from '../../db/database.ts';
import { limitKey } from '../../limits/limit.ts';
import { selectKnownNetwork, selectLastLogIn, upsertKnownNetwork } from './known-network-queries.ts';

const DAY_MS = 24 * 60 * 60_000;
const KNOWN_FOR_MS = 90 * DAY_MS;
const NETWORKS_OF_A_USER = 20;

/** A network of a user. `key`: its stored form; `lastAt`: the last log-in from there; null: none. */
export type KnownNetwork = { userId: string; key: string; lastAt: number | null; known: boolean };

/**
 * Returns whether a user has logged in from a network within 90 days. Also queries the store for an unknown user
 * (`''`), so that both take equally long.
 */
export async function findKnownNetwork(app: App, userId: string, network: string): Promise<KnownNetwork> {
  const key = keyOf(app, network);
  const lastAt = await selectKnownNetwork(app.db, userId, key);
  return { userId, key, lastAt, known: isRecent(app, lastAt) };
}

/** Returns whether any user has logged in from a network within 90 days. */
export async function isNetworkOfUsers(app: App, network: string): Promise<boolean> {
  return isRecent(app, await selectLastLogIn(app.db, keyOf(app, network)));
}

function keyOf(app: App, network: string): string {
  return limitKey(app, { name: 'known-network' }, network);
}

function isRecent(app: App, lastAt: number | null): boolean {
  return lastAt !== null && app.now() - lastAt < KNOWN_FOR_MS;
}

/** Records a log-in from a network, at most once a day. */
export async function keepNetwork(app: App, tx: Tx, { userId, key, lastAt }: KnownNetwork): Promise<void> {
  if (lastAt !== null && app.now() - lastAt < DAY_MS) return;
  await upsertKnownNetwork(tx, { user_id: userId, network: key, last_at: app.now() }, NETWORKS_OF_A_USER);
}
