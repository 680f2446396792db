import type { App } from '../app.ts';
import { type Config, ConfigError } from '../config.ts';
import type { SqlRow } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, type SealingKey, seal, sealedKeyId, sealingKey } from '../lib/seal.ts';

/**
 * A column of sealed texts. A column that is missing in src/health/sealed-kinds.ts would be lost with the next change
 * of MASTER_KEY.
 */
export type SealedKind = {
  /** The name in `master-key rotate` and `doctor`. */
  readonly name: string;
  /** Makes its key independent of the keys of other kinds. Must never change. */
  readonly label: string;
  readonly table: string;
  readonly column: string;
  /** The primary key of the table. */
  readonly key: readonly string[];
  /** The further columns that identify the owner of the text; `place` reads them. */
  readonly owner: readonly string[];
  /** The rows that can have such a text, in SQL. */
  readonly where: string;
  /**
   * Authenticated with the text, so a text that is copied to another row or owner cannot be decrypted. Must never
   * change.
   */
  readonly place: (row: SqlRow) => string;
  /** The earlier form, without an owner. Only src/sealing/bind-seals.ts decrypts such a text. */
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

/** Derives the keys of this kind from MASTER_KEY and MASTER_KEY_PREVIOUS. */
export function keysOf(app: Keeper, kind: SealedKind): KindKeys {
  return keysByConfig(app.config)(kind);
}

/** Encrypts a text for its row with MASTER_KEY. `row` needs only the columns that `place` reads. */
export function sealAs(app: Keeper, kind: SealedKind, row: SqlRow, plaintext: string): string {
  return seal(keysOf(app, kind).current, plaintext, kind.place(row));
}

/**
 * Decrypts a text of MASTER_KEY or MASTER_KEY_PREVIOUS. Throws if the text was changed or moved, and `ConfigError` if
 * another key encrypted it.
 */
export function openAs(app: Keeper, kind: SealedKind, row: SqlRow, sealed: string): string {
  const { current, previous } = keysOf(app, kind);
  const keyId = sealedKeyId(sealed);
  const key = previous !== null && keyId === previous.id ? previous : current;
  if (keyId !== null && keyId !== key.id) throw new ConfigError(WRONG_KEY);
  return open(key, sealed, kind.place(row));
}

/** Decrypts in the same way, but returns null if the text was changed or moved in the store. */
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
