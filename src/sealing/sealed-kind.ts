import type { App } from '../app.ts';
import { type Config, ConfigError } from '../config.ts';
import type { SqlRow } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, type SealingKey, seal, sealedKeyId, sealingKey } from '../lib/seal.ts';

/** A column of sealed texts. One that is not in src/health/sealed-kinds.ts would be lost with the next change of MASTER_KEY. */
export type SealedKind = {
  /** As `master-key rotate` and `doctor` call it. */
  readonly name: string;
  /** Makes its key unrelated to the keys of all other kinds. Never changes. */
  readonly label: string;
  readonly table: string;
  readonly column: string;
  /** The primary key of the table. */
  readonly key: readonly string[];
  /** The columns beside it that say whose the text is, and that `place` reads. */
  readonly owner: readonly string[];
  /** The rows that can hold one, in SQL. */
  readonly where: string;
  /** Bound into the seal, so that a text copied to another row or given to another owner does not open. Never changes. */
  readonly place: (row: SqlRow) => string;
  /** How it was sealed before its owner was bound in. Only src/sealing/bind-seals.ts opens such a text. */
  readonly unbound?: Pick<SealedKind, 'label' | 'place'>;
};

/** The keys of a kind. `previous` is null while the master key is not being replaced. */
export type KindKeys = { readonly current: SealingKey; readonly previous: SealingKey | null };

type Keeper = Pick<App, 'config'>;

const keysByConfig = perInstance((config: Config) =>
  perInstance((kind: SealedKind): KindKeys => {
    const keyOf = (master: Buffer) => sealingKey(deriveKey(master, kind.label));
    const { masterKey, masterKeyPrevious } = config;
    return { current: keyOf(masterKey), previous: masterKeyPrevious && keyOf(masterKeyPrevious) };
  }),
);

/** The keys that are derived for this kind from MASTER_KEY and MASTER_KEY_PREVIOUS. */
export function keysOf(app: Keeper, kind: SealedKind): KindKeys {
  return keysByConfig(app.config)(kind);
}

/** Encrypts a text for its row, with MASTER_KEY. Of the row only what `place` reads is needed. */
export function sealAs(app: Keeper, kind: SealedKind, row: SqlRow, plaintext: string): string {
  return seal(keysOf(app, kind).current, plaintext, kind.place(row));
}

/**
 * The inverse, for what MASTER_KEY or MASTER_KEY_PREVIOUS has sealed. Throws when the text was changed or moved, and
 * `ConfigError` when another key has sealed it.
 */
export function openAs(app: Keeper, kind: SealedKind, row: SqlRow, sealed: string): string {
  const { current, previous } = keysOf(app, kind);
  const keyId = sealedKeyId(sealed);
  const key = previous !== null && keyId === previous.id ? previous : current;
  if (keyId !== null && keyId !== key.id) throw new ConfigError(WRONG_KEY);
  return open(key, sealed, kind.place(row));
}

/** The same; null where the text was changed or moved in the store. Throws `ConfigError` when another key has sealed it. */
export function openUnlessChanged(app: Keeper, kind: SealedKind, row: SqlRow, sealed: string): string | null {
  try {
    return openAs(app, kind, row, sealed);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return null;
  }
}

const WRONG_KEY =
  'This secret was encrypted with a different master key. Set MASTER_KEY to the value that the service of this store uses, and MASTER_KEY_PREVIOUS while the key is being replaced.';
