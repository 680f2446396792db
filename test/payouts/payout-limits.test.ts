import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/error-catalogue.ts';
import { approvePayouts, cancelPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { NO_LIMITS, selectPayoutLimits } from '../../src/payouts/approval/payout-limit-queries.ts';
import { setPayoutLimits, setPersonLimit } from '../../src/payouts/approval/set-payout-limits.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
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

  test('what was taken back does not count for the limits of a day, but for the pace of programs', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const owner = desk.environment;
    const [first, second, third] = (await propose(app, desk, [wish(), wish(), wish()])).map(({ id }) => id);
    const approve = (id = '') => approvePayouts(app, { owner, named: { ids: [id] }, by: desk.approver, reason: null });
    const takeBack = (id = '') => cancelPayouts(app, { owner, named: { ids: [id] }, by: desk.maker, reason: 'error' });
    const reached = { code: 'PAYOUT_LIMIT_REACHED' };
    await setPayoutLimits(app, owner, { per_day: 10_000 }, TESTER);
    await approve(first);
    await assert.rejects(approve(second), reached);
    await takeBack(first);
    await approve(second);
    await setPayoutLimits(app, owner, { per_day: null }, TESTER);
    await setPersonLimit(app, desk.approver.userId ?? '', 10_000, TESTER);
    await assert.rejects(approve(third), reached);
    await takeBack(second);
    await approve(third);

    const limits = { automatic_per_payout: 10_000, automatic_per_day: 10_000, automatic_count_per_hour: 1 };
    await setPayoutLimits(app, owner, limits, TESTER);
    const ask = async () => {
      const [made] = (await proposePayouts(app, { owner, by: desk.program, wishes: [wish()], batch: null })).payouts;
      return made as Payout;
    };
    const automatic = await ask();
    assert.equal(automatic.state, 'approved');
    await takeBack(automatic.id);
    assert.match((await ask()).reason ?? '', /limit of a day for programs/);
    await setPayoutLimits(app, owner, { automatic_per_day: null }, TESTER);
    assert.match((await ask()).reason ?? '', /more than 1 in an hour/);
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
