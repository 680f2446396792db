import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitLookUps } from '../../src/lib/network/limit-look-ups.ts';

const MERCHANT = 1;
const OTHER_MERCHANT = 2;

/** Returns a resolver whose look-ups the test ends, and a clock that the test moves. */
function fakes() {
  let now = 0;
  const running = new Map<string, { answer: (addresses: string[]) => void; fail: (code: string) => void }>();
  const asked: string[] = [];
  const resolve = limitLookUps(
    (name) => {
      const { promise, resolve: answer, reject } = Promise.withResolvers<string[]>();
      asked.push(name);
      running.set(name, { answer, fail: (code) => reject(Object.assign(new Error(code), { code })) });
      return promise;
    },
    () => now,
  );
  return { resolve, asked, running, pass: (ms: number) => (now += ms) };
}

const turnOfTheLoop = () => new Promise((done) => setImmediate(done));

test('a merchant with many silent name servers has eight look-ups at most, and another merchant waits for none', async () => {
  const { resolve, asked, running } = fakes();
  const many = Array.from({ length: 20 }, (_, at) => resolve(`silent-${at}.example.com`, MERCHANT));
  await turnOfTheLoop();
  assert.equal(asked.length, 8);
  const honest = resolve('shop.example.com', OTHER_MERCHANT);
  running.get('shop.example.com')?.answer(['93.184.216.34']);
  assert.deepEqual(await honest, ['93.184.216.34']);
  for (let at = 0; at < 20; at++) {
    running.get(`silent-${at}.example.com`)?.fail('ETIMEDOUT');
    await assert.rejects(many[at] as Promise<unknown>, { code: 'ETIMEDOUT' });
    await turnOfTheLoop();
  }
  assert.equal(asked.length, 21);
});

test('a look-up that waits until its request has timed out is never started', async () => {
  const { resolve, asked, running, pass } = fakes();
  const first = Array.from({ length: 8 }, (_, at) => resolve(`slow-${at}.example.com`, MERCHANT));
  const late = assert.rejects(resolve('late.example.com', MERCHANT), { code: 'ETIMEDOUT' });
  pass(5_001);
  for (const { answer } of running.values()) answer(['93.184.216.34']);
  await Promise.all([...first, late]);
  assert.ok(!asked.includes('late.example.com'));
});

test('a failure is remembered for 4 s, then twice as long, and forgotten with the first success', async () => {
  const { resolve, asked, running, pass } = fakes();
  const refusedAnew = async () => {
    const before = asked.length;
    const answer = resolve('dead.example.com', MERCHANT);
    if (asked.length > before) running.get('dead.example.com')?.fail('ETIMEDOUT');
    await assert.rejects(answer, { code: 'ETIMEDOUT' });
    return asked.length > before;
  };
  assert.equal(await refusedAnew(), true);
  pass(3_999);
  assert.equal(await refusedAnew(), false);
  pass(1);
  assert.equal(await refusedAnew(), true);
  pass(7_999);
  assert.equal(await refusedAnew(), false);
  pass(1);
  const alive = resolve('dead.example.com', MERCHANT);
  running.get('dead.example.com')?.answer(['93.184.216.34']);
  await alive;
  assert.equal(await refusedAnew(), true);
  pass(4_000);
  assert.equal(await refusedAnew(), true);
});

test('concurrent failures of one name count as one failure', async () => {
  let now = 0;
  let asked = 0;
  const resolve = limitLookUps(
    async () => {
      asked++;
      throw Object.assign(new Error('gone'), { code: 'ENOTFOUND' });
    },
    () => now,
  );
  const failsFor = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => assert.rejects(resolve('gone.example.com'), { code: 'ENOTFOUND' })),
    );
  await failsFor(3);
  assert.equal(asked, 3);
  now = 4_000;
  await failsFor(1);
  assert.equal(asked, 4);
});
