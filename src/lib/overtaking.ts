import { setTimeout as pause } from 'node:timers/promises';

/** Work that waits for longer lets other work begin. */
const PATIENCE_MS = 1_000;
/** Less, so that the other work knows for whom the first waits. */
const SLOW_MS = 500;
const MOST_UNDER_WAY = 4;

/** Knows who has been asked for longer than half a second and has not answered. */
export type AwaitedAnswers<Key> = {
  /** Resolves or rejects as `answer`. Meanwhile `slow` may name the key. */
  during: <Answer>(key: Key, answer: Promise<Answer>) => Promise<Answer>;
  slow: () => Key[];
};

/** Creates a record of awaited answers. */
export function awaitedAnswers<Key>(): AwaitedAnswers<Key> {
  const slow = new Set<{ key: Key }>();
  return {
    during: async (key, answer) => {
      const awaited = { key };
      const timer = setTimeout(() => slow.add(awaited), SLOW_MS);
      try {
        return await answer;
      } finally {
        clearTimeout(timer);
        slow.delete(awaited);
      }
    },
    slow: () => [...new Set([...slow].map(({ key }) => key))],
  };
}

/**
 * Returns a step that waits at most a second for `step`: the next call begins another one beside it, at most four at
 * once. `settled` waits for all of them.
 */
export function overtaking(step: () => Promise<number>): { step: () => Promise<number>; settled: () => Promise<void> } {
  const underWay = new Set<Promise<number>>();
  return {
    step: async () => {
      if (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
      const begun: Promise<number> = step().finally(() => underWay.delete(begun));
      underWay.add(begun);
      return Promise.race([begun, pause(PATIENCE_MS, 0, { ref: false })]);
    },
    settled: async () => {
      await Promise.allSettled(underWay);
    },
  };
}
