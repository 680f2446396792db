import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/error-catalogue.ts';
import { NO_LIMITS, selectPayoutLimits } from '../../src/payouts/approval/payout-limit-queries.ts';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('payout limits', (openTestDatabase) => {
  test('concurrent changes of different limits are all kept', async () => {
    const app = createTestApp(await openTestDatabase());
    const owner = await createTestEnvironment(app);
    for (let amount = 1; amount <= 5; amount++) {
      const changes = [{ per_payout: amount }, { per_batch: 2 * amount }, { per_day: 3 * amount }];
      await Promise.all(changes.map((change) => setPayoutLimits(app, owner, change, TESTER)));
      const all = Object.assign({ ...NO_LIMITS }, ...changes);
      assert.deepEqual({ ...(await selectPayoutLimits(app.db, owner.id)) }, all);
    }
  });

  test('a batch that would be split into too many payouts is refused before it is split', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const wishes = Array.from({ length: 20 }, () => wish({ amount: 999_999_999_999 }));
    const refused = await propose(app, desk, wishes).catch((error: unknown) => error);
    assert.ok(refused instanceof Problem);
    const parts = 20 * Math.ceil(999_999_999_999 / app.config.payoutRailLimit);
    assert.deepEqual(
      [refused.code, refused.extras.errors?.map(({ message }) => message)],
      ['INVALID_PAYOUT', [`There are ${parts} payouts.`]],
    );
    const most = await propose(app, desk, [wish({ amount: 10 * app.config.payoutRailLimit })]);
    assert.equal(most.length, 10);
  });
});
