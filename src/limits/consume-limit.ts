import type { App } from '../app.ts';
import { type Batcher, createBatcher } from '../lib/batcher.ts';
import { perInstance } from '../lib/per-instance.ts';
import { type Limit, type LimitUse, limitKey } from './limit.ts';
import { type CountRow, deleteEndedCounts, hasEndedCounts, incrementCount, selectCount } from './limit-queries.ts';

/**
 * Counts one use, or as many as `times` says, all or none, and says whether it is within the limit. All replicas share the count,
 * because it is in the database; once the limit is reached nothing is written. `decrementCount` takes one back, `deleteCount` all.
 */
export async function consumeLimit(app: App, limit: Limit, subject: string, times = 1): Promise<LimitUse> {
  const key = limitKey(app, limit, subject);
  const now = app.now();
  const known = await selectCount(app.db, key, now);
  if (known !== null && known.used + times > limit.most) {
    return { allowed: false, remaining: Math.max(0, limit.most - known.used), resetMs: known.ends_at - now };
  }
  const queues = counters(app);
  const count = await (limit.known === true ? queues.known : queues.strangers).submit({
    key,
    now,
    endsAt: now + limit.windowMs,
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

/** Removes counts that are over, at most `limit`, and answers how many there were. */
export async function removeEndedLimits(app: App, limit: number): Promise<number> {
  if (!(await hasEndedCounts(app.db, app.now()))) return 0;
  return app.db.transaction((tx) => deleteEndedCounts(tx, app.now(), limit));
}

type Use = Parameters<typeof incrementCount>[1] & { most: number };

// Two: each stranger is a key and a statement of its own, so that payments would wait a second behind two thousand of them.
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
 * Uses that arrive together share a commit, and uses of one key a statement: a busy key costs no more than a quiet one.
 * In the order of their keys, so that two replicas never wait for each other.
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
        // Of several all or none: those that come beside them may still be within the limit.
        if (use.times > 1 && used + use.times > use.most) refused += use.times;
        else used += use.times;
      }
      if (refused > 0) await incrementCount(tx, { ...(same.at(-1) as Use), times: -refused });
    }
    return uses.map((use) => counts.get(use) as CountRow);
  });
}
