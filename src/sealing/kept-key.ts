import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import type { Tx } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';
import { insertKeptKey, insertNewKeptKey, selectKeptKey, selectKeptKeys } from './kept-key-queries.ts';
import { openAs, openUnlessChanged, type SealedKind, sealAs } from './sealed-kind.ts';

/** Keys that survive a change of MASTER_KEY, because data made with them cannot be recomputed. */
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

/**
 * Returns the key of this name, 64 hexadecimal digits; null if none is stored. Throws `ConfigError` if it was changed.
 */
export async function readKeptKey(app: App, name: string): Promise<string | null> {
  const sealed = await selectKeptKey(app.db, name);
  return sealed === null ? null : openKey(app, name, sealed);
}

/** Returns the names of the stored keys that were changed or moved in the store, or that name another master key. */
export async function findChangedKeys(app: App): Promise<string[]> {
  const stored = await selectKeptKeys(app.db);
  return stored.filter(({ name, sealed }) => !isAsSealed(app, name, sealed)).map(({ name }) => name);
}

function isAsSealed(app: App, name: string, sealed: string): boolean {
  try {
    openAs(app, KEPT_KEYS, { name }, sealed);
    return true;
  } catch {
    return false;
  }
}

function openKey(app: App, name: string, sealed: string): string {
  const key = openUnlessChanged(app, KEPT_KEYS, { name }, sealed);
  if (key === null) throw new ConfigError(changed(name));
  return key;
}

const changed = (name: string) =>
  `Somebody changed the key ${name} in kept_keys. Restore a backup, and find out who writes into the database.`;

/**
 * Derives the key of this name from MASTER_KEY and stores it encrypted. Returns the stored key, which another process
 * may have stored first.
 */
async function keepKey(app: App, name: string): Promise<string> {
  const key = deriveKey(app.config.masterKey, name).toString('hex');
  const sealed = await app.db.transaction((tx) => insertKeptKey(tx, name, sealAs(app, KEPT_KEYS, { name }, key)));
  return openKey(app, name, sealed);
}

export type InstallationKey = {
  /** Returns the stored key; stores it first if necessary. */
  keep(app: App): Promise<string>;
  /** Returns the stored key, or the key that `keep` would store. Writes nothing, so it needs no commit. */
  read(app: App): Promise<string>;
  /** Returns what `read` returns; null if the stored key was changed. */
  readUnlessChanged(app: App): Promise<string | null>;
};

/** Returns the key of this name. The stored key is read once per app. */
export function installationKey(name: string): InstallationKey {
  const caches = perInstance((_app: App): { kept: string | null } => ({ kept: null }));
  const readKept = async (app: App) => {
    const cache = caches(app);
    cache.kept ??= await readKeptKey(app, name);
    return cache.kept;
  };
  const read = async (app: App) => (await readKept(app)) ?? deriveKey(app.config.masterKey, name).toString('hex');
  return {
    keep: async (app) => (await readKept(app)) ?? (await keepKey(app, name)),
    read,
    readUnlessChanged: (app) => read(app).catch(unlessItWasChanged),
  };
}

function unlessItWasChanged(error: unknown): null {
  if (error instanceof ConfigError) return null;
  throw error;
}

/**
 * Returns what `make` makes of the stored key of this name, once per app. The key is stored first if necessary. Throws
 * `ConfigError` as `requireOneMasterKey` does.
 */
export function fromKeptKey<Made>(name: string, make: (key: string) => Made): (app: App) => Promise<Made> {
  const caches = perInstance((_app: App): { made: Promise<Made> | null } => ({ made: null }));
  const read = async (app: App) => {
    const key = await readKeptKey(app, name);
    if (key === null) requireOneMasterKey(app);
    return make(key ?? (await keepKey(app, name)));
  };
  return (app) => {
    const cache = caches(app);
    // Concurrent calls share one reading; a failed one is not cached.
    cache.made ??= read(app).catch((error: unknown) => {
      cache.made = null;
      throw error;
    });
    return cache.made;
  };
}

/**
 * Throws `ConfigError` while the master key is being replaced: it is unknown which of the two a first key must be
 * derived from.
 */
export function requireOneMasterKey(app: App): void {
  if (app.config.masterKeyPrevious !== null) throw new ConfigError(START_FIRST);
}

const START_FIRST =
  'Before its master key can be replaced, this store must have been served once by this version: start it without MASTER_KEY_PREVIOUS and with the MASTER_KEY that it has had.';

/**
 * Stores the key in the caller's commit, for work that must happen once with it. Returns null if a key is already
 * stored.
 */
export async function keepNewKey(app: App, tx: Tx, name: string): Promise<string | null> {
  const key = deriveKey(app.config.masterKey, name).toString('hex');
  return (await insertNewKeptKey(tx, name, sealAs(app, KEPT_KEYS, { name }, key))) ? key : null;
}
