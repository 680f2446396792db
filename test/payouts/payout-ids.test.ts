import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import type { PayoutWish } from '../../src/payouts/payout-wish.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { openPayoutDesk, type PayoutDesk, propose, wish } from '../support/test-payouts.ts';

const conflict = { code: 'PAYOUT_CONFLICT' };

forEachEngine('the id of a payout', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openPayoutDesk(app, { money: 99_000_000 }) };
  };

  // PAYOUT_RAIL_LIMIT is 7,000,000 here.
  for (const [first, second] of [
    [6_000_000, 8_000_000],
    [8_000_000, 6_000_000],
    [14_000_000, 21_000_000],
    [21_000_000, 14_000_000],
  ] as const) {
    test(`is paid once: after ${first} pesos, ${second} with the same id is a conflict`, async () => {
      const { app, desk } = await open();
      const before = await propose(app, desk, [wish({ reference: 'FAC-7', amount: first })]);
      await assert.rejects(propose(app, desk, [wish({ reference: 'FAC-7', amount: second })]), conflict);
      assert.equal((await app.db.query('select id from payouts')).length, before.length);
    });
  }

  test('is paid once if two requests split it differently at the same moment', async () => {
    const { app, desk } = await open();
    const amounts = [6_000_000, 8_000_000, 15_000_000];
    const outcomes = await Promise.allSettled(
      amounts.map((amount) => propose(app, desk, [wish({ reference: 'FAC-7', amount })])),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'PAYOUT_CONFLICT', String(outcome.reason));
  });

  test('returns its payout again after the limits became lower, so that nobody pays it in another way', async () => {
    const { app, desk } = await open();
    const asked = wish({ amount: 10_000 });
    const made = await ask(app, desk, asked);
    await setPayoutLimits(app, desk.environment, { per_payout: 9_999 }, TESTER);
    const again = await ask(app, desk, asked);
    assert.deepEqual([again.kind, again.payouts[0]?.id], ['replayed', made.payouts[0]?.id]);
    await assert.rejects(ask(app, desk, wish({ amount: 10_000 })), { code: 'PAYOUT_LIMIT_REACHED' });
  });
});

function ask(app: TestApp, { environment: owner, program: by }: PayoutDesk, one: PayoutWish) {
  return proposePayouts(app, { owner, by, wishes: [one], batch: null });
}
