import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { openCheckout, readAttempt, scriptMethod } from '../checkout/checkout-case.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';

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
});
