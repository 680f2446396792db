import { createHook } from 'node:async_hooks';

/** Counts the Argon2 hashes that `work` makes, and the most that run at once. */
export async function countHashes(work: () => Promise<unknown>): Promise<{ total: number; atOnce: number }> {
  const running = new Set<number>();
  const counts = { total: 0, atOnce: 0 };
  const hook = createHook({
    init: (id, type) => {
      if (type !== 'ARGON2REQUEST') return;
      running.add(id);
      counts.total++;
      counts.atOnce = Math.max(counts.atOnce, running.size);
    },
    // The hash is done, and its callback is about to run.
    before: (id) => void running.delete(id),
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return counts;
}
