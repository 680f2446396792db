import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import { findAttempt } from '../../src/checkout/find-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { decideRefund } from '../../src/refunds/decide-refund.ts';
import { openCheckout, readAttempt, scriptMethod } from '../checkout/checkout-case.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('payment settle', (openTestDatabase) => {
  test('names the money that goes to suspense, and its alarm is not in the output', async (context) => {
    const db = await openTestDatabase();
    const { env, folder } = commandStore(context, db);
    const evidence = join(folder, 'portal.csv');
    writeFileSync(evidence, 'order;amount\n');
    const method = scriptMethod({ start: async () => ({ kind: 'unknown' }) });
    const { app, transaction } = await openCheckout(async () => db, { method });
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const settle = (outcome: string, ...more: string[]) =>
      runCommand(['payment', 'settle', id, '--outcome', outcome, '--evidence', evidence, '--reason', 'seen', ...more], {
        env,
      });
    const more = String(transaction.amount + 10);
    const { status, stdout, stderr } = await settle('approved', '--amount', more, '--yes');
    assert.equal(status, 0, stderr);
    const [says, suspended, ...others] = stdout.trim().split('\n');
    assert.match(says ?? '', /^Attempt \S+ of \S+ CLP is approved; transaction \d+ is completed\.$/);
    assert.match(suspended ?? '', /^\$10 CLP of it belong to no order and wait: bin\/rubrica books resolve /);
    assert.deepEqual(others, []);
    assert.match(stderr, /"alarm":"conflict"/);
  });

  test('and refund settle change nothing if another person decides during their question', async (context) => {
    const db = await openTestDatabase();
    const { env, folder } = commandStore(context, db);
    const file = join(folder, 'portal.csv');
    writeFileSync(file, 'order;amount\n');
    const method = scriptMethod({ start: async () => ({ kind: 'unknown' }) });
    const { app, transaction } = await openCheckout(async () => db, { method });
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const shop = createTestApp(db, { now: createTestClock(Date.now()) });
    const paid = await createPaidTransaction(shop, await createTestEnvironment(shop));
    const refund = await acceptedRefund(shop, paid, 2990);
    const decision = { reason: 'seen', evidence: describeEvidence(file, Buffer.from('')), by: TESTER };
    const cases = [
      {
        words: ['payment', 'settle', id, '--outcome', 'approved'],
        other: () => decidePayment(app, id, { ...decision, outcome: 'declined', taken: null }),
      },
      {
        words: ['refund', 'settle', refund.id, '--outcome', 'completed'],
        other: () => decideRefund(shop, refund.id, { ...decision, outcome: 'failed' }),
      },
    ];
    for (const { words, other } of cases) {
      const answer = async () => {
        assert.equal(await other(), 'decided');
        return 'y';
      };
      const all = [...words, '--evidence', file, '--reason', 'seen'];
      const { stderr } = await runCommand(all, { env, answers: [answer] });
      assert.match(stderr, /^Decide for .* \[y\/N\] .*ALREADY_DONE:\S* Nothing of (?:attempt|refund) \S+ waits/);
    }
    const { attempt } = (await findAttempt(app, id)) ?? {};
    assert.deepEqual([attempt?.state, await refundsOf(shop, paid)], ['declined', [['failed', 2990]]]);
  });
});
