import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { App } from '../../src/app.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const answered = (status: number): FetchOutcome => ({
  kind: 'answered',
  status,
  retryAfter: null,
  excerpt: 'the-text-of-the-shop',
  durationMs: 1,
});
const timeout: FetchOutcome = { kind: 'failed', reason: 'timeout', detail: 'HEADERS', durationMs: 1 };

/** The answers of the shop, and the reason and next step in the log. */
const ANSWERS: [outcome: FetchOutcome, reason: string, step: string][] = [
  [timeout, 'timeout', 'retry'],
  [answered(503), 'status_503', 'retry'],
  [answered(400), 'status_400', 'dead'],
];

forEachEngine('a failed delivery attempt', (openTestDatabase) => {
  test('logs a warning, or an alarm if it is the last one, with no more of the address than the host', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
    const queue = [...ANSWERS.map(([outcome]) => outcome), answered(410), answered(200)];
    const fetch = async () => queue.shift() ?? answered(200);
    const app = createTestApp(await openTestDatabase(), { log, fetch });
    const environment = await createTestEnvironment(app);
    await setEventsUrl(
      app,
      { paymentServiceId: environment.paymentServiceId, environment: 'development' },
      'https://hooks.example.cl:8443/s3cret?k=s3cret',
      TESTER,
    );
    const urlCallback = 'https://shop.example.cl/s3cret?token=s3cret';
    const paid = await createPaidTransaction(app, environment, { urlCallback });
    const times: string[] = [];
    for (const _ of ANSWERS) {
      await deliverOnce(app);
      const [row] = await app.db.query<{ next_attempt_at: number; state: string }>(
        'select next_attempt_at, state from callbacks',
      );
      times.push(row?.state === 'queued' ? new Date(row.next_attempt_at).toISOString() : '');
      app.now.advance(600_000);
    }
    await acceptedRefund(app, paid, 1000);
    await deliverOnce(app);

    const event = `evt_${paid.id}_2`;
    const told = ANSWERS.map(([, reason, step], at) => ({
      event,
      attempt: at + 1,
      host: 'shop.example.cl',
      reason,
      step,
      nextAttempt: times[at] || null,
    }));
    const gone = { host: 'hooks.example.cl:8443', event: `evt_${paid.id}_3`, attempt: 1, reason: 'status_410' };
    assert.deepEqual(
      lines.map(({ event, attempt, host, reason, step, nextAttempt }) => {
        return { event, attempt, host, reason, step, nextAttempt };
      }),
      [...told, { ...gone, step: 'disable', nextAttempt: null }],
    );
    for (const { step, level, alarm, msg } of lines) {
      assert.deepEqual(
        [level, alarm, msg],
        step === 'retry'
          ? [40, undefined, 'a callback was not delivered']
          : [50, 'given_up', 'a callback was given up'],
      );
    }
    assert.doesNotMatch(JSON.stringify(lines), /s3cret|the-text-of-the-shop/);
  });
});

async function deliverOnce(app: App): Promise<void> {
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
}
