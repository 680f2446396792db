import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const MINUTE_MS = 60_000;

forEachEngine('the payments by hour of the first page', (openTestDatabase) => {
  for (const [day, start, pauses, bars] of [
    ['of 24 hours', '2026-01-15T11:30:00-03:00', [0, 60], ['11:00 · 1', '12:00 · 1']],
    ['on which the clocks are set forward', '2026-09-06T01:30:00-03:00', [0, 690], ['1:00 · 1', '13:00 · 1']],
    ['on which the clocks are set back', '2026-04-04T22:30:00-03:00', [0, 60, 60], ['22:00 · 1', '23:00 · 2']],
  ] as const) {
    test(`are at the hours of the Chilean clock on a day ${day}`, async () => {
      const now = createTestClock(Date.parse(start));
      const app = createTestApp(await openTestDatabase(), { now });
      const shop = await createTestEnvironment(app);
      for (const minutes of pauses) {
        now.advance(minutes * MINUTE_MS);
        await createPaidTransaction(app, shop);
      }
      await using server = await startTestServer(app);
      const user = await createTestUser(app, { role: 'owner', may: [] });
      const { text } = await server.get('/console', user.console);
      assert.deepEqual(
        [...text.matchAll(/<title>(\d+:00 · \d+)<\/title>/g)].map(([, bar]) => bar),
        bars,
      );
    });
  }
});
