import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatcherFullError, createBatcher } from '../../src/lib/batcher.ts';

const limits = { maxBatch: 100, maxQueued: 1_000, concurrency: 1 };

/** Returns a flush that ends when the test calls for it. */
function controlledFlush() {
  const calls: { items: number[]; done: (outputs?: number[]) => void; fail: (error: Error) => void }[] = [];
  const flush = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const done = (outputs = items.map((item) => item * 10)) => resolve(outputs);
      calls.push({ items: [...items], done, fail: reject });
    });
  return { calls, flush };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a burst becomes one flush, and each item gets its own output', async () => {
  const batches: number[][] = [];
  const flush = async (items: number[]) => {
    batches.push([...items]);
    return items.map((item) => item * 10);
  };
  const { submit } = createBatcher({ ...limits, flush });
  const outputs = await Promise.all([1, 2, 3].map(submit));
  assert.deepEqual(outputs, [10, 20, 30]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('items that arrive during a flush form the next one', async () => {
  const { calls, flush } = controlledFlush();
  const { submit, drain } = createBatcher({ ...limits, flush });
  const first = submit(1);
  await turn();
  const later = [submit(2), submit(3)];
  await turn();
  assert.equal(calls.length, 1);
  calls[0]?.done();
  assert.equal(await first, 10);
  assert.deepEqual(calls[1]?.items, [2, 3]);
  calls[1]?.done();
  assert.deepEqual(await Promise.all(later), [20, 30]);
  await drain();
});

test('a flush never holds more than maxBatch, and the order is kept', async () => {
  const sizes: number[] = [];
  const seen: number[] = [];
  const flush = async (items: number[]) => {
    sizes.push(items.length);
    seen.push(...items);
    return items;
  };
  const { submit } = createBatcher({ ...limits, maxBatch: 4, flush });
  const items = Array.from({ length: 10 }, (_, i) => i);
  assert.deepEqual(await Promise.all(items.map(submit)), items);
  assert.deepEqual(sizes, [4, 4, 2]);
  assert.deepEqual(seen, items);
});

test('a failed flush rejects all of its items with its own error, and does not affect the next flush', async () => {
  const { calls, flush } = controlledFlush();
  const { submit } = createBatcher({ ...limits, maxBatch: 2, flush });
  const results = [1, 2, 3].map(submit);
  await turn();
  const broken = new Error('disk full');
  calls[0]?.fail(broken);
  const [one, two] = await Promise.allSettled(results.slice(0, 2));
  assert.equal((one as PromiseRejectedResult).reason, broken);
  assert.equal((two as PromiseRejectedResult).reason, broken);
  calls[1]?.done();
  assert.equal(await results[2], 30);
});

test('a flush that throws immediately counts as a failed flush', async () => {
  const { submit } = createBatcher<number, number>({
    ...limits,
    flush: () => {
      throw new Error('not even started');
    },
  });
  await assert.rejects(submit(1), /not even started/);
});

test('a flush with more or fewer outputs than items rejects all of them', async () => {
  const { calls, flush } = controlledFlush();
  const { submit } = createBatcher({ ...limits, flush });
  const results = Promise.allSettled([submit(1), submit(2)]);
  await turn();
  calls[0]?.done([10]);
  for (const result of await results) assert.equal(result.status, 'rejected');
});

test('beyond maxQueued, items are refused, and accepted again when there is room', async () => {
  const { calls, flush } = controlledFlush();
  const { submit, drain } = createBatcher({ ...limits, maxQueued: 2, flush });
  const running = submit(1);
  await turn();
  const queued = [submit(2), submit(3)];
  await assert.rejects(submit(4), (error) => error instanceof BatcherFullError && error.code === 'OVERLOADED');
  calls[0]?.done();
  await running;
  const accepted = submit(5);
  calls[1]?.done();
  assert.deepEqual(await Promise.all(queued), [20, 30]);
  calls[2]?.done();
  assert.equal(await accepted, 50);
  await drain();
});

test('no new item is accepted while one has waited longer than maxWaitMs', async (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const { calls, flush } = controlledFlush();
  const { submit } = createBatcher({ ...limits, maxWaitMs: 500, flush });
  const running = submit(1);
  await turn();
  const waiting = submit(2);
  now += 500;
  const patient = submit(3);
  now += 1;
  await assert.rejects(submit(4), (error) => error instanceof BatcherFullError && error.code === 'OVERLOADED');
  calls[0]?.done();
  await running;
  const accepted = submit(5);
  calls[1]?.done();
  assert.deepEqual(await Promise.all([waiting, patient]), [20, 30]);
  calls[2]?.done();
  assert.equal(await accepted, 50);
});

test('as many flushes run at once as concurrency allows', async () => {
  const { calls, flush } = controlledFlush();
  const { submit, drain } = createBatcher({ ...limits, maxBatch: 1, concurrency: 2, flush });
  const results = [1, 2, 3].map(submit);
  await turn();
  assert.equal(calls.length, 2);
  calls[1]?.done();
  await results[1];
  assert.equal(calls.length, 3);
  calls[0]?.done();
  calls[2]?.done();
  await drain();
  assert.deepEqual(await Promise.all(results), [10, 20, 30]);
});

test('drain resolves only when nothing is queued or running', async () => {
  const { calls, flush } = controlledFlush();
  const { submit, drain } = createBatcher({ ...limits, flush });
  await drain();
  const result = submit(1);
  let drained = false;
  const draining = drain().then(() => (drained = true));
  await turn();
  assert.equal(drained, false);
  calls[0]?.done();
  await draining;
  assert.equal(await result, 10);
});

test('depth counts the queued items without those being flushed', async () => {
  const { calls, flush } = controlledFlush();
  const { submit, depth } = createBatcher({ ...limits, maxBatch: 2, flush });
  const results = [1, 2, 3].map(submit);
  assert.equal(depth(), 3);
  await turn();
  assert.equal(depth(), 1);
  calls[0]?.done();
  await results[1];
  assert.equal(depth(), 0);
  calls[1]?.done();
  await Promise.all(results);
});
