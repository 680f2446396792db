import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import type { Payout, PayoutState } from '../../src/payouts/payout.ts';
import { compareOutcome } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import type { PayoutOutcome } from '../../src/payouts/settle-outcomes.ts';
import { settlePayouts } from '../../src/payouts/settle-payouts.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk } from '../support/test-payouts.ts';

forEachEngine('a result of the bank', (openTestDatabase) => {
  test('that says again what was so before the payout came back changes nothing and waits for nobody', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const [{ id }] = (await approved(app, desk)) as [Payout];
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: app.now() }));
    const say = async (outcome: PayoutOutcome) => {
      const evidence = describeEvidence(`${outcome}.csv`, Buffer.from(outcome));
      const said = { owner, by, outcomes: [{ id, outcome, reason: null }], evidence };
      const { settled, already, contradicted } = await settlePayouts(app, said);
      return [settled.length, already.length, contradicted.length];
    };
    assert.deepEqual(await say('confirmed'), [1, 0, 0]);
    assert.deepEqual(await say('returned'), [1, 0, 0]);
    assert.deepEqual(await say('confirmed'), [0, 1, 0]);
    const { state, contradiction } = (await selectPayoutAnywhere(app.db, id)) ?? {};
    assert.deepEqual([state, contradiction], ['returned', null]);
    assert.deepEqual(await listAttention(app, 'payout', 10), []);
    assert.deepEqual(await say('failed'), [0, 0, 1], 'that it never arrived contradicts its return');
  });
});

const EFFECTS = { settles: 'settles', already: 'changes nothing about', contradicts: 'contradicts' } as const;

for (const [state, outcome, effect] of [
  ['sent', 'confirmed', 'settles'],
  ['sent', 'failed', 'settles'],
  ['sent', 'returned', 'settles'],
  ['unknown', 'returned', 'settles'],
  ['confirmed', 'returned', 'settles'],
  ['confirmed', 'confirmed', 'already'],
  ['returned', 'confirmed', 'already'],
  ['returned', 'failed', 'contradicts'],
  ['failed', 'confirmed', 'contradicts'],
  ['failed', 'returned', 'contradicts'],
  ['approved', 'returned', 'contradicts'],
] as const satisfies readonly (readonly [PayoutState, PayoutOutcome, keyof typeof EFFECTS])[]) {
  test(`the result ${outcome} ${EFFECTS[effect]} a payout that is ${state}`, () => {
    assert.equal(compareOutcome(state, outcome), effect);
  });
}
