import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createSimulatedProvider } from '../../src/validation-providers/simulated-provider.ts';
import { describeValidationProvider, questionOf } from '../contracts/validation-provider.contract.ts';

describeValidationProvider('the simulated provider', async () => ({
  provider: createSimulatedProvider(() => 0),
  accounts: {
    match: '900000000001',
    close_match: '900000000003',
    // The sandbox gives the same answer for a missing account and for another holder.
    no_account: '900000000002',
    other_holder: '900000000002',
    account_closed: '900000000008',
    not_checkable: '900000000004',
    timeout: '900000000005',
    pending_then_match: '900000000006',
    pending_then_no_match: '900000000007',
    rate_limited: '900000000009',
  },
}));

suite('the simulated provider', () => {
  const provider = createSimulatedProvider(() => 0);

  test('names a closed account in the detail for the operator', async () => {
    const answer = await provider.ask(questionOf('900000000008'));
    assert.deepEqual(answer, { kind: 'no_match', expiresAt: 86_400_000, detail: 'account_closed' });
  });

  const meaningless = [
    { ...questionOf('900000000001'), rut: '12345678-5' },
    { ...questionOf('900000000001'), bankCode: '012' },
    questionOf('0900000000001'),
    questionOf('900000000000'),
    questionOf('123456789'),
    questionOf(''),
  ];
  for (const question of meaningless) {
    test(`does not cover ${question.rut} ${question.bankCode} ${question.account}`, () => {
      assert.equal(provider.covers(question), false);
    });
  }
});
