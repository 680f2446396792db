import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { CALLBACK_STATES, type CallbackState, hasArrived } from '../../src/outbox/callback-state.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const DAY = 86_400_000;
const OTHER_PAGE = 'https://shop.example.cl/thanks';
const SAME_PAGE_ELSEWHERE = 'https://www.shop.example.cl/callback?order=1';

type Answers = (number | { status: number; location: string })[];

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

/**
 * THE TABLE of how callbacks end: the answers of the shop in order, whether the payer's browser came first, the final
 * state, and the number of attempts.
 */
const TABLE: [answers: Answers, browserFirst: boolean, state: CallbackState, attempts: number][] = [
  [[200], false, 'delivered', 1],
  [[204], false, 'delivered', 1],
  [[...times(9, 500), 200], false, 'delivered', 10],
  [times(10, 500), false, 'dead', 10],
  [times(9, 500), false, 'queued', 9],
  [[410], false, 'disabled', 1],
  [[404, 410], false, 'disabled', 2],
  [times(2, 400), false, 'queued', 2],
  [times(3, 400), false, 'dead', 3],
  [times(3, 409), false, 'dead', 3],
  [times(3, 422), false, 'dead', 3],
  [[500, 404, 422], false, 'dead', 3],
  [times(2, 400), true, 'queued', 2],
  [times(3, 400), true, 'superseded', 3],
  [times(3, 409), true, 'superseded', 3],
  [times(3, 422), true, 'superseded', 3],
  [[200], true, 'delivered', 1],
  [times(10, 500), true, 'dead', 10],
  [times(10, 404), true, 'dead', 10],
  ...[401, 403, 404, 405, 408, 411, 413, 415, 418, 425, 429, 431, 451].flatMap((status): typeof TABLE => [
    [times(9, status), false, 'queued', 9],
    [times(10, status), false, 'dead', 10],
  ]),
  ...[302, 303].flatMap((status): typeof TABLE => [
    [[{ status, location: OTHER_PAGE }], false, 'redirected', 1],
    [[{ status, location: '/callback?done=1' }], false, 'redirected', 1],
    [[500, { status, location: '/thanks' }], false, 'redirected', 2],
    [[{ status, location: SAME_PAGE_ELSEWHERE }, 200], false, 'delivered', 2],
  ]),
  ...[300, 301, 304, 307, 308].map((status): (typeof TABLE)[number] => [
    [
      { status, location: OTHER_PAGE },
      { status, location: OTHER_PAGE },
      { status, location: OTHER_PAGE },
    ],
    false,
    'queued',
    3,
  ]),
];

test('the shop has a callback in three states alone', () => {
  assert.deepEqual(CALLBACK_STATES.filter(hasArrived), ['delivered', 'redirected', 'superseded']);
});

forEachEngine('a callback', (openTestDatabase) => {
  test('ends in the state that the table gives for its answers', async () => {
    const db = await openTestDatabase();
    const answers = new Map<string, Answers>();
    const fetch = async ({ url }: { url: string }): Promise<FetchOutcome> => {
      const next = answers.get(url)?.shift();
      assert.ok(next !== undefined, `no more answers for ${url}`);
      const answer = typeof next === 'number' ? { status: next } : next;
      return { kind: 'answered', retryAfter: null, excerpt: '', durationMs: 1, ...answer };
    };
    const app = createTestApp(db, { fetch });
    const environment = await createTestEnvironment(app);
    for (const [at, [planned, browserFirst]] of TABLE.entries()) {
      // Each has a separate endpoint, so that none wakes another.
      const urlCallback = `https://shop${at}.example.cl/callback?order=1`;
      answers.set(
        urlCallback,
        planned.map((one) => moveTo(one, at)),
      );
      const { id } = await createPaidTransaction(app, environment, { urlCallback });
      if (!browserFirst) continue;
      await db.transaction((tx) => tx.query('update callbacks set returned_at = 1 where transaction_id = $1', [id]));
    }
    // One attempt at a time. A callback without further answers gets no further attempt.
    for (let attempt = 1; attempt <= 10; attempt++) {
      await db.transaction(async (tx) => {
        for (const [url, left] of answers)
          if (left.length === 0)
            await tx.query(`update callbacks set next_attempt_at = $2 where url = $1`, [url, 9e15]);
      });
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
      app.now.advance(2 * DAY);
    }
    const rows = await db.query<{ state: CallbackState; attempts: number; made: number }>(
      `select state, attempts, (select count(*) from delivery_attempts a where a.callback_id = c.id) as made
       from callbacks c order by id`,
    );
    assert.deepEqual(
      rows.map(({ state, attempts }, at) => [describe(at), state, attempts]),
      TABLE.map(([, , state, attempts], at) => [describe(at), state, attempts]),
    );
    assert.ok(rows.every(({ attempts, made }) => attempts === made));
  });
});

function describe(at: number): string {
  const [answers, browserFirst] = TABLE[at] as (typeof TABLE)[number];
  return `${JSON.stringify(answers)}${browserFirst ? ' after the browser' : ''}`;
}

function moveTo(answer: Answers[number], at: number): Answers[number] {
  return typeof answer === 'number' ? answer : { ...answer, location: answer.location.replace('shop.', `shop${at}.`) };
}
