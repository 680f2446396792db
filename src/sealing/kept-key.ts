import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';
import { insertKeptKey, insertNewKeptKey, selectKeptKey } from './kept-key-queries.ts';
import { openAs, type SealedKind, sealAs } from './sealed-kind.ts';

/** Keys that outlive a change of MASTER_KEY: what was made with them cannot be made anew. */
export const KEPT_KEYS: SealedKind = {
  name: 'kept-keys',
  label: 'kept-keys',
  table: 'kept_keys',
  column: 'sealed',
  key: ['name'],
  owner: [],
  where: '1 = 1',
  place: ({ name }) => `kept_keys/${name}`,
};

/** The key of this name, 64 hexadecimal digits; null: none was kept yet. */
export async function readKeptKey(app: App, name: string): Promise<string | null> {
  const sealed = await selectKeptKey(app.db, name);
  return sealed === null ? null : openAs(app, KEPT_KEYS, { name }, sealed);
}

/** Derives the key of this name from MASTER_KEY and keeps it sealed. Answers the one that is kept, be it of another process. */
export async function keepKey(app: App, name: string): Promise<string> {
  const key = deriveKey(app.config.masterKey, name).toString('hex');
  const sealed = await app.db.transaction((tx) => insertKeptKey(tx, name, sealAs(app, KEPT_KEYS, { name }, key)));
  return openAs(app, KEPT_KEYS, { name }, sealed);
}

export type InstallationKey = {
  /** Keeps it where none is kept yet. */
  keep(app: App): Promise<string>;
  /** Writes nothing, so it waits for no commit: what `keep` would keep, where nothing is kept. */
  read(app: App): Promise<string>;
};

/** The key of this name, for which one that is kept is looked up once. */
export function installationKey(name: string): InstallationKey {
  const caches = perInstance((_app: App): { kept: string | null } => ({ kept: null }));
  const readKept = async (app: App) => {
    const cache = caches(app);
    cache.kept ??= await readKeptKey(app, name);
    return cache.kept;
  };
  return {
    keep: async (app) => (await readKept(app)) ?? (await keepKey(app, name)),
    read: async (app) => (await readKept(app)) ?? deriveKey(app.config.masterKey, name).toString('hex'),
  };
}

/** The same in the caller's commit, for what is to be done once with the key: null where one is kept already. */
export async function keepNewKey(app: App, tx: Tx, name: string): Promise<string | null> {
  const key = deriveKey(app.config.masterKey, name).toString('hex');
  return (await insertNewKeptKey(tx, name, sealAs(app, KEPT_KEYS, { name }, key))) ? key : null;
}
