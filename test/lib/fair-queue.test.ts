import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue, QueueFullError } from '../../src/lib/fair-queue.ts';

/** Returns a queue whose work ends when `open` is called, and the order of the work done. */
function heldQueue({ maxQueued = 100, maxOfAnOwner = 100 } = {}) {
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const work = async (item: string) => {
    await gate.promise;
    done.push(item);
    return item;
  };
  return { ...createFairQueue({ work, maxQueued, maxOfAnOwner }), done, open: gate.resolve };
}

test('owners take turns, and the items of each owner stay in order', async () => {
  const { submit, depth, done, open } = heldQueue();
  const items = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((item) => submit(item[0] as string, item));
  assert.equal(depth(), 6);
  open();
  assert.deepEqual(await Promise.all(items), ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']);
  assert.deepEqual(done, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  assert.equal(depth(), 0);
});

test('an owner at its limit is refused, and another owner is still accepted', async () => {
  const { submit, open } = heldQueue({ maxOfAnOwner: 2 });
  const taken = [submit('a', 'a1'), submit('a', 'a2'), submit('a', 'a3')];
  await assert.rejects(submit('a', 'a4'), QueueFullError);
  taken.push(submit('b', 'b1'));
  open();
  assert.equal((await Promise.all(taken)).length, 4);
});

test('a full queue drops the last item of the largest owner, and refuses the newcomer among equals', async () => {
  const { submit, done, open } = heldQueue({ maxQueued: 3 });
  const first = submit('a', 'a1');
  const [second, , last] = [submit('a', 'a2'), submit('b', 'b1'), submit('a', 'a3')];
  const lost = assert.rejects(last, QueueFullError);
  const newcomer = submit('c', 'c1');
  await lost;
  await assert.rejects(submit('d', 'd1'), QueueFullError);
  open();
  await Promise.all([first, second, newcomer]);
  assert.deepEqual(done, ['a1', 'a2', 'b1', 'c1']);
});

test('a failing item does not affect the others, also if its work throws at once', async () => {
  const { submit } = createFairQueue({
    work: (item: string) => {
      if (item === 'thrown') throw new Error('thrown');
      return item === 'rejected' ? Promise.reject(new Error('rejected')) : Promise.resolve(item);
    },
    maxQueued: 9,
    maxOfAnOwner: 9,
  });
  const [thrown, rejected, good] = [submit('a', 'thrown'), submit('a', 'rejected'), submit('a', 'good')];
  await assert.rejects(thrown, /thrown/);
  await assert.rejects(rejected, /rejected/);
  assert.equal(await good, 'good');
});
