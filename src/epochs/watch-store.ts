import type { App } from '../app.ts';
import { hasCitus, whyFeedIsElsewhere } from '../db/citus-placement.ts';
import { randomHex } from '../lib/ids.ts';
import { nameStore, selectChangeHint, selectHanded, selectHeld, selectStoreMark, updateBeat } from './epoch-queries.ts';
import { writeMark } from './mark-file.ts';

const BEAT_EVERY_MS = 1000;

export type StoreWatch = {
  /**
   * Whether what moves money or tells merchants may leave now: nothing is held after a restore, and the store is still
   * the one that this process began on. Asked before each round of such work.
   */
  readonly mayLeave: () => Promise<boolean>;
  /** Ends the watch, and keeps what was last seen. */
  stop(): Promise<void>;
};

/**
 * Keeps a mark of the store outside of it, once a second while it changes, and calls `onStale` with a sentence when the store
 * has gone back under this process or another epoch has begun: what it holds of ids is then worth nothing.
 *
 * A mark is written after the commit of what it says, so it may lag behind the store and is never ahead of it.
 */
export async function watchStore(app: App, onStale: (error: Error) => void): Promise<StoreWatch> {
  const begun = await selectStoreMark(app.db);
  if (begun.store_id === null) await app.db.transaction((tx) => nameStore(tx, randomHex(16)));
  let seen = begun.beat;
  let hint: number | null = null;
  let unwritable = false;
  const isInCitus = await hasCitus(app.db);

  // `seen` is read before the store is, because another look may be under way.
  const isStale = async (least = seen) => {
    const now = await selectStoreMark(app.db);
    if (now.epoch === begun.epoch && now.beat >= least) return false;
    const why =
      now.epoch > begun.epoch ? 'the store was restored and another epoch has begun' : 'the store has gone back';
    onStale(new Error(why));
    return true;
  };
  const keep = async () => {
    if (await isStale()) return;
    const { store_id, beat } = await selectStoreMark(app.db);
    seen = beat;
    try {
      await writeMark(app.config, { store: store_id as string, beat, ...(await selectHanded(app.db)), at: app.now() });
    } catch (error) {
      if (!unwritable)
        app.log.warn({ err: error }, 'DATA_DIR cannot be written: a store that was restored goes unnoticed');
      unwritable = true;
    }
  };
  const look = async () => {
    const elsewhere = isInCitus ? await whyFeedIsElsewhere(app.db) : null;
    if (elsewhere !== null) return onStale(new Error(elsewhere));
    if ((await selectChangeHint(app.db)) === hint) return;
    await app.db.transaction((tx) => updateBeat(tx));
    await keep();
    hint = await selectChangeHint(app.db);
  };

  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: unknown) => app.log.debug({ err: error }, 'the store was not looked at'));
  }, BEAT_EVERY_MS);
  // A full disk keeps nobody from starting.
  await look().catch(() => {});
  return {
    mayLeave: async () => !(await isStale()) && (await selectHeld(app.db)) === null,
    stop: async () => {
      clearInterval(timer);
      await looking;
      await look().catch(() => {});
    },
  };
}
