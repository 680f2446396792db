export type FairQueue<I, O> = {
  /** Resolves with the result of `work`. Rejects with its error, or with `QueueFullError`. */
  submit: (owner: string, item: I) => Promise<O>;
  /** How many items wait, without the item under way. */
  depth: () => number;
};

/** The error of a full queue. Nothing was done with the item. */
export class QueueFullError extends Error {}

type Waiting<I, O> = { item: I; done: PromiseWithResolvers<O> };

/**
 * Creates a queue that runs one item at a time and serves its owners in turn: an owner with a thousand items delays
 * each other owner by one item at a time. When the queue is full, the owner with the most items loses the newest of
 * them.
 */
export function createFairQueue<I, O>(options: {
  work: (item: I) => Promise<O>;
  maxQueued: number;
  maxOfAnOwner: number;
}): FairQueue<I, O> {
  const { work, maxQueued, maxOfAnOwner } = options;
  // In the order of their turns.
  const owners = new Map<string, Waiting<I, O>[]>();
  let queued = 0;
  let running = false;

  function submit(owner: string, item: I): Promise<O> {
    const own = owners.get(owner) ?? [];
    if (own.length >= maxOfAnOwner || (queued >= maxQueued && !makeRoom(own.length)))
      return Promise.reject(new QueueFullError(`${queued} wait already, ${own.length} of them for the same owner`));
    const done = Promise.withResolvers<O>();
    own.push({ item, done });
    owners.set(owner, own);
    queued++;
    if (!running) void run();
    return done.promise;
  }

  /** Returns false if no owner has more items than the newcomer would have. */
  function makeRoom(own: number): boolean {
    let longest: Waiting<I, O>[] = [];
    for (const waiting of owners.values()) if (waiting.length > longest.length) longest = waiting;
    if (longest.length <= own + 1) return false;
    longest.pop()?.done.reject(new QueueFullError('others wait who have had fewer turns'));
    queued--;
    return true;
  }

  async function run(): Promise<void> {
    running = true;
    for (let next = takeNext(); next !== null; next = takeNext()) {
      await Promise.try(work, next.item).then(next.done.resolve, next.done.reject);
    }
    running = false;
  }

  function takeNext(): Waiting<I, O> | null {
    const [turn] = owners;
    if (turn === undefined) return null;
    const [owner, waiting] = turn;
    const next = waiting.shift() as Waiting<I, O>;
    owners.delete(owner);
    if (waiting.length > 0) owners.set(owner, waiting);
    queued--;
    return next;
  }

  return { submit, depth: () => queued };
}
