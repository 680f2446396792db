import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { payableBalance } from '../../src/payouts/payout-balance.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { type LineSubject, resolveLine } from '../../src/statements/resolve-line.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { payOut } from '../support/test-movements.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

const evidence = { name: 'cartola.csv', sha256: 'ab', bytes: 1, excerpt: '' };

forEachEngine('a charge of the bank statement above its payout', (openTestDatabase) => {
  test('is explained in the steps that its refusal names, which leave the books right', async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment: owner, maker: by, ...desk } = await openPayoutDesk(app);
    const [{ id }] = (await approved(app, { environment: owner, maker: by, ...desk }, [wish()])) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    const owed = await payableBalance(app, owner.id);
    const { paymentServiceId, environment } = owner;
    const { id: statement } = await importStatement(
      app,
      { environment, paymentServiceId, account: '1', evidence, by },
      { lines: [{ line: 1, day: dayOf(app.now()), amount: -10_300, text: `TEF ${id}` }], proof: 'balance' },
    );
    const resolve = (is: LineSubject) =>
      resolveLine(app, { statementId: statement ?? '', fileLine: 1, is, reason: `la comisión de ${id}`, by });
    await assert.rejects(resolve({ use: 'payout', payoutId: id }), {
      code: 'PAYOUT_STATE',
      message: new RegExp(
        `^The line is of \\$10\\.300 CLP, and ${id} of \\$10\\.000 CLP\\. If the bank charged \\$300 CLP more, .*payout settle.*call the line unrelated \\(other\\) with ${id} in the reason\\. .* Recorded by hand \\(payout create\\): `,
      ),
    });
    await settlePayouts(app, { owner, by, outcomes: [{ id, outcome: 'confirmed', reason: 'seen' }], evidence });
    const [line] = await resolve({ use: 'other' });
    assert.equal(line?.used_as, 'other');
    await payOut(app, owner, 300, { reference: `comision ${id}`, by });
    assert.equal(Number(await payableBalance(app, owner.id)), Number(owed) - 300);
    assert.equal((await verifyStore(app)).ok, true);
  });
});
