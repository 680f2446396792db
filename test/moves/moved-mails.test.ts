import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { queueAskedReceipt } from '../../src/mail/queue-receipt.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoDatabases, wishOf } from '../support/moving-shop.ts';
import { runCommand } from '../support/run-command.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('a receipt of a payment service that moved', (openTestDatabase) => {
  test('is no longer listed as queued in the old database', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-mails-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const here = await openTestDatabase();
    const { from, to } = await twoDatabases(async () => here, await openTestDatabase());
    const merchant = await createTestEnvironment(from);
    const transaction = await createPaidTransaction(from, merchant);
    const receipt = { transaction, refundId: null, address: 'buyer@example.cl', at: from.now() };
    await from.db.transaction((tx) => queueAskedReceipt(tx, 'es', receipt));
    const env = { DATABASE_URL: here.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent' };
    const listed = async () => {
      const { stdout } = await runCommand(['mail', 'list', '--json'], { env });
      return (JSON.parse(stdout) as { mails: { address: string }[] }).mails.map(({ address }) => address);
    };
    assert.deepEqual(await listed(), ['buyer@example.cl']);
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual(await listed(), []);
  });
});
