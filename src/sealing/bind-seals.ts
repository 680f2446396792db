import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import type { Tx } from '../db/database.ts';
import { insertBound, selectBound, selectSealCounts, selectSealedWith, updateSealed } from './reseal-queries.ts';
import { keysOf, openUnlessChanged, type SealedKind, sealAs } from './sealed-kind.ts';

/** More rows than any store has of merchants and open requests; all are read at once. */
const ALL = 10_000_000;

/**
 * Re-encrypts texts of an earlier version that are not bound to their owner, and returns their number. Runs once per
 * store, in one commit with the row that records it. From then on texts of the earlier form cannot be decrypted, so one
 * from an old backup is useless.
 *
 * Throws `ConfigError` and changes nothing if MASTER_KEY decrypts none of them, or if that row was removed.
 */
export async function bindSeals(app: App, kinds: readonly SealedKind[]): Promise<number> {
  if (await selectBound(app.db)) return 0;
  return app.db.transaction(async (tx) => {
    if (!(await insertBound(tx))) return 0;
    let known = 0;
    let bound = 0;
    let strange = 0;
    for (const kind of kinds.filter(({ unbound }) => unbound !== undefined)) {
      const outcome = await bindKind(app, tx, kind);
      known += outcome.known;
      bound += outcome.bound;
      strange += outcome.strange;
    }
    if (known === 0 && strange > 0) throw new ConfigError(WRONG_KEY);
    if (bound < known)
      app.log.error({ alarm: 'seals_not_bound', texts: known - bound }, 'sealed texts cannot be decrypted');
    return bound;
  }, 'slow');
}

/** `strange`: texts encrypted with keys that this process does not have. */
type Outcome = { known: number; bound: number; strange: number };

async function bindKind(app: App, tx: Tx, kind: SealedKind): Promise<Outcome> {
  const before: SealedKind = { ...kind, ...kind.unbound };
  const { current, previous } = keysOf(app, before);
  const keys = previous === null ? [current.id] : [current.id, previous.id];
  const ofOwners = keysOf(app, kind);
  const outcome = { known: 0, bound: 0, strange: 0 };
  for (const { key_id, texts } of await selectSealCounts(tx, kind)) {
    if (key_id === ofOwners.current.id || key_id === ofOwners.previous?.id) throw new ConfigError(MARK_REMOVED);
    outcome[keys.includes(key_id) ? 'known' : 'strange'] += texts;
  }
  for (const key of keys) {
    for (const row of await selectSealedWith(tx, kind, key, ALL)) {
      // A text that was changed or moved before still cannot be decrypted.
      const text = openUnlessChanged(app, before, row, row.sealed);
      if (text !== null && (await updateSealed(tx, kind, row, sealAs(app, kind, row, text)))) outcome.bound++;
    }
  }
  return outcome;
}

const WRONG_KEY =
  'The stored secrets were encrypted with a different master key. Set MASTER_KEY (and MASTER_KEY_PREVIOUS while it is being replaced), or in development put back master.key in DATA_DIR.';
const MARK_REMOVED =
  'Somebody removed the row of seals_bound, which says that every secret in the store is bound to its owner. Restore a backup, and find out who writes into the database.';
