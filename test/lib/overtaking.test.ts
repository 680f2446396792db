import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitedAnswers, overtaking } from '../../src/lib/overtaking.ts';
import { comesTrue } from '../support/comes-true.ts';

test('a key is slow while an answer about it is awaited for a while, and no longer', async () => {
  const asked = awaitedAnswers<string>();
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const answers = [
    asked.during('a', first.promise),
    asked.during('a', second.promise),
    asked.during('b', Promise.resolve('at once')),
  ];
  assert.deepEqual(asked.slow(), []);
  assert.ok(await comesTrue(() => asked.slow().length > 0));
  assert.deepEqual(asked.slow(), ['a']);
  first.resolve('late');
  assert.equal(await answers[0], 'late');
  // Its half second may end some milliseconds later.
  assert.ok(await comesTrue(() => asked.slow().length > 0), 'another answer is awaited');
  assert.deepEqual(asked.slow(), ['a']);
  second.reject(new Error('refused'));
  await assert.rejects(answers[1] as Promise<string>, /refused/);
  assert.deepEqual(asked.slow(), []);
});

test('a step that waits lets others begin beside it, at most four at once', async () => {
  const steps: PromiseWithResolvers<number>[] = [];
  const work = overtaking(() => {
    const step = Promise.withResolvers<number>();
    steps.push(step);
    return step.promise;
  });
  for (let n = 1; n <= 4; n++) {
    assert.equal(await work.step(), 0, 'the caller goes on');
    assert.equal(steps.length, n);
  }
  const fifth = work.step();
  const settled = work.settled();
  steps[0]?.resolve(7);
  assert.ok(await comesTrue(() => steps.length === 5), 'the fifth begins when one has ended');
  steps[4]?.resolve(3);
  assert.equal(await fifth, 3, 'a step that ends within a second tells what it found');
  for (const step of steps.slice(1, 4)) step.reject(new Error('refused'));
  await settled;
});
