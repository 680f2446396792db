import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LIMITS } from '../../src/payouts/payout-limit-queries.ts';
import { readPayoutLimits, setPayoutLimits } from '../../src/payouts/set-payout-limits.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('limits of payouts', (openTestDatabase) => {
  test('that two people set at once are both kept: one was lost though it was acknowledged, or refused as a fault', async () => {
    const app = createTestApp(await openTestDatabase());
    const owner = await createTestEnvironment(app);
    for (let amount = 1; amount <= 5; amount++) {
      const changes = [{ per_payout: amount }, { per_batch: 2 * amount }, { per_day: 3 * amount }];
      await Promise.all(changes.map((change) => setPayoutLimits(app, owner, change, TESTER)));
      const all = Object.assign({ ...NO_LIMITS }, ...changes);
      assert.deepEqual({ ...(await readPayoutLimits(app, owner)) }, all);
    }
  });
});
