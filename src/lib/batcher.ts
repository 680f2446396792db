/** The options of a batcher. `flush` returns one output per item, in the order of the items. */
export type BatcherOptions<I, O> = {
  flush: (items: I[]) => Promise<O[]>;
  /** The most items in one flush. */
  maxBatch: number;
  /** The most items that may wait for a flush, without the items of the current flush. */
  maxQueued: number;
  /**
   * Once an item has waited this long, `submit` rejects until the flush of that item starts: a new item would wait even
   * longer.
   */
  maxWaitMs?: number;
  /** How many flushes may run at once. */
  concurrency: number;
};

export type Batcher<I, O> = {
  /** Resolves with the item's own output once its flush is done; rejects with the flush's error, or when full. */
  submit: (item: I) => Promise<O>;
  /** Resolves when nothing waits and no flush runs. */
  drain: () => Promise<void>;
  /** How many items wait for a flush, without the items of the current flush. */
  depth: () => number;
};

/** The error of a batcher whose queue is full. Nothing was done with the item, so the caller may retry. */
export class BatcherFullError extends Error {
  readonly code = 'OVERLOADED';
}

type Batch<I, O> = {
  /** When its first item arrived, by `performance.now()`. */
  since: number;
  items: I[];
  resolve: ((output: O) => void)[];
  reject: ((error: unknown) => void)[];
};

/**
 * Group commit: items that arrive together, or while a flush runs, share the next flush and so its fsync.
 *
 * An idle batcher waits only until the event loop has read everything that is ready, and never for a timer. So a single
 * item is not delayed, and a burst still becomes one batch.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  const { flush, maxBatch, maxQueued, maxWaitMs = Number.POSITIVE_INFINITY, concurrency } = options;
  const waiting: Batch<I, O>[] = [];
  const drained: (() => void)[] = [];
  let queued = 0;
  let running = 0;
  let scheduled = false;

  function submit(item: I): Promise<O> {
    const now = performance.now();
    const [oldest] = waiting;
    if (queued >= maxQueued) return Promise.reject(new BatcherFullError(`${maxQueued} items are already waiting`));
    if (oldest !== undefined && now > oldest.since + maxWaitMs)
      return Promise.reject(new BatcherFullError(`an item has waited for more than ${maxWaitMs} ms`));
    queued++;
    let batch = waiting.at(-1);
    if (batch === undefined || batch.items.length >= maxBatch) {
      batch = { since: now, items: [], resolve: [], reject: [] };
      waiting.push(batch);
    }
    const { items, resolve, reject } = batch;
    items.push(item);
    if (!scheduled && running < concurrency) {
      scheduled = true;
      setImmediate(start);
    }
    return new Promise<O>((onDone, onError) => {
      resolve.push(onDone);
      reject.push(onError);
    });
  }

  function start(): void {
    scheduled = false;
    while (running < concurrency) {
      const batch = waiting.shift();
      if (batch === undefined) break;
      queued -= batch.items.length;
      running++;
      void run(batch);
    }
  }

  async function run(batch: Batch<I, O>): Promise<void> {
    try {
      const outputs = await flush(batch.items);
      if (outputs.length !== batch.resolve.length) throw new Error('a flush answers once for each of its items');
      for (let i = 0; i < outputs.length; i++) batch.resolve[i]?.(outputs[i] as O);
    } catch (error) {
      for (const reject of batch.reject) reject(error);
    }
    running--;
    start();
    if (running === 0 && queued === 0) for (const resolve of drained.splice(0)) resolve();
  }

  function drain(): Promise<void> {
    if (running === 0 && queued === 0) return Promise.resolve();
    return new Promise((resolve) => drained.push(resolve));
  }

  return { submit, drain, depth: () => queued };
}
