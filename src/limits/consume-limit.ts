import type { App } from '../app.ts';
import { type Batcher, createBatcher } from '../lib/batcher.ts';
import { perInstance } from '../lib/per-instance.ts';
import { type Limit, type LimitUse, limitKey } from './limit.ts';
import { type CountRow, deleteEndedCounts, hasEndedCounts, incrementCount, selectCount } from './limit-queries.ts';

/**
 * Counts one use, or `times` uses, all or none, and returns whether they are within the limit. The count is in the
 * database, so all replicas share it. Once the limit is reached, nothing is written. `decrementCount` takes back one
 * use, `deleteCount` all.
 */
export async function consumeLimit(app: App, limit: Limit, subject: string, times = 1): Promise<LimitUse> {
  const key = limitKey(app, limit, subject);
  const now = app.now();
  const endsAt = now + limit.windowMs;
  const known = await selectCount(app.db, key, { now, endsAt });
  if (known !== null && known.used + times > limit.most) {
    return { allowed: false, remaining: Math.max(0, limit.most - known.used), resetMs: known.ends_at - now };
  }
  const queues = counters(app);
  const count = await (limit.known === true ? queues.known : queues.strangers).submit({
    key,
    now,
    endsAt,
    renews: limit.counts === 'streak',
    times,
    most: limit.most,
  });
  const allowed = count.used <= limit.most;
  return {
    allowed,
    remaining: Math.max(0, limit.most - count.used + (allowed ? 0 : times)),
    resetMs: count.ends_at - now,
  };
}

/** Deletes expired counts, at most `limit`, and returns how many. */
export async function removeEndedLimits(app: App, limit: number): Promise<number> {
  if (!(await hasEndedCounts(app.db, app.now()))) return 0;
  return app.db.transaction((tx) => deleteEndedCounts(tx, app.now(), limit));
}

type Use = Parameters<typeof incrementCount>[1] & { most: number };

// Two queues: each stranger is a separate key and statement, so payments would wait a second behind two thousand
// strangers.
const counters = perInstance((app: App) => ({
  known: counterOf(app, 'limits'),
  strangers: counterOf(app, 'limits_of_strangers'),
}));

function counterOf(app: App, name: string): Batcher<Use, CountRow> {
  return app.metrics.watchQueue(
    name,
    createBatcher({
      maxBatch: 128,
      maxQueued: 4096,
      maxWaitMs: 2_000,
      concurrency: 1,
      flush: (uses) => countAll(app, uses),
    }),
  );
}

/**
 * Counts concurrent uses in one commit, and uses of one key in one statement, so a busy key costs no more than a quiet
 * one. Keys are sorted, so that two replicas never deadlock.
 */
function countAll(app: App, uses: readonly Use[]): Promise<CountRow[]> {
  return app.db.transaction(async (tx) => {
    const counts = new Map<Use, CountRow>();
    const byKey = [...Map.groupBy(uses, (use) => use.key).values()];
    for (const same of byKey.toSorted(([a], [b]) => ((a as Use).key < (b as Use).key ? -1 : 1))) {
      const times = same.reduce((sum, use) => sum + use.times, 0);
      const count = await incrementCount(tx, { ...(same.at(-1) as Use), times });
      let used = count.used - times;
      let refused = 0;
      for (const use of same) {
        counts.set(use, { ...count, used: used + use.times });
        // A batch is counted all or none: smaller uses beside it may still be within the limit.
        if (use.times > 1 && used + use.times > use.most) refused += use.times;
        else used += use.times;
      }
      if (refused > 0) await incrementCount(tx, { ...(same.at(-1) as Use), times: -refused });
    }
    return uses.map((use) => counts.get(use) as CountRow);
  });
}
