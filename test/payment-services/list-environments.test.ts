import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findPayoutOwner } from '../../src/payouts/find-payout-owner.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('an empty id of a payment service', (openTestDatabase) => {
  test('is refused by every command, and does not select the first payment service', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    const app = createTestApp(db);
    for (let at = 0; at < 2; at++) await createTestEnvironment(app);
    const named = { paymentServiceId: '', environment: null };
    await assert.rejects(findPayoutOwner(app, { environmentIds: null }, named), { code: 'NOT_FOUND' });
    const file = join(folder, 'abono.csv');
    writeFileSync(file, 'fecha;orden de compra;monto\n2026-10-15;A1;1000\n');
    for (const command of [
      ['payment', 'import', file, '--yes', '--payment-service', '', '--method', 'simulated'],
      ['settlement', 'keep', file, '--payment-service', '', '--method', 'simulated'],
      ['reconcile', '--settlement', file, '--payment-service', '', '--method', 'simulated'],
      ['books', 'statement', '', '--from', '2026-10-01', '--to', '2026-10-31'],
    ]) {
      const { status, stdout, stderr } = await runCommand(command, { env });
      assert.equal(status, 64, stdout);
      assert.match(stderr, /^INVALID_OPTION: (--payment-service|<payment-service>) is empty/);
    }
  });
});
