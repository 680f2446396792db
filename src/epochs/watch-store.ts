import type { App } from '../app.ts';
import { hasCitus, whyFeedIsElsewhere } from '../db/citus-placement.ts';
import { randomHex } from '../lib/ids.ts';
import { nameStore, selectChangeHint, selectHanded, selectHeld, selectStoreMark, updateBeat } from './epoch-queries.ts';
import { writeMark } from './mark-file.ts';

const BEAT_EVERY_MS = 1000;

export type StoreWatch = {
  /**
   * Returns whether money may move and merchants may be notified now: no restore holds it, and the store is still the
   * one that this process started on. Called before each round of such work.
   */
  readonly mayLeave: () => Promise<boolean>;
  /** Ends the watch, and writes the last mark. */
  stop(): Promise<void>;
};

/**
 * Writes a mark of the store outside it, once a second while the store changes. Calls `onStale` once, with a
 * sentence, when the store has gone back or another epoch has begun: the ids that this process has reserved are then
 * invalid.
 *
 * A mark is written after the commit that it describes, so it may lag behind the store and is never ahead of it.
 */
export async function watchStore(app: App, onStale: (error: Error) => void): Promise<StoreWatch> {
  const begun = await selectStoreMark(app.db);
  if (begun.store_id === null) await app.db.transaction((tx) => nameStore(tx, randomHex(16)));
  let seen = begun.beat;
  let hint: number | null = null;
  let unwritable = false;
  let told = false;
  const isInCitus = await hasCitus(app.db);

  const tellOnce = (why: string) => {
    if (told) return;
    told = true;
    onStale(new Error(why));
  };
  // `seen` is read before the store, because another check may be running.
  const isStale = async (least = seen) => {
    const now = await selectStoreMark(app.db);
    if (now.epoch === begun.epoch && now.beat >= least) return false;
    const why =
      now.epoch > begun.epoch ? 'the store was restored and another epoch has begun' : 'the store has gone back';
    tellOnce(why);
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
    if (elsewhere !== null) return tellOnce(elsewhere);
    if ((await selectChangeHint(app.db)) === hint) return;
    await app.db.transaction((tx) => updateBeat(tx));
    // Read before the mark: what is committed while the mark is written is in the next one.
    const before = await selectChangeHint(app.db);
    await keep();
    hint = before;
  };

  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: unknown) => app.log.debug({ err: error }, 'the store was not looked at'));
  }, BEAT_EVERY_MS);
  // A full disk must not prevent a start.
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
