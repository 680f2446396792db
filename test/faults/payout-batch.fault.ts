import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCharacter } from '../../src/lib/modulo-eleven.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { openPayoutDesk, wish } from '../support/test-payouts.ts';
import { report } from './support/report.ts';

const PAYOUTS = Number(process.env.FAULT_PAYOUTS ?? 10_000);
const MOST_SECONDS = 60;
const MOST_MEGABYTES = 1000;

forEachEngine('a large batch of payouts', (openTestDatabase, engine) => {
  test(`of ${PAYOUTS} is proposed, approved, written and confirmed within ${MOST_SECONDS} seconds`, async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app, { money: PAYOUTS * 10_000 });
    const { environment: owner, maker, approver } = desk;
    const wishes = Array.from({ length: PAYOUTS }, (_, at) => toPerson(10_000_000 + at));
    const seconds: Record<string, number> = {};
    const timed = async <Result>(step: string, run: () => Promise<Result>) => {
      const begun = performance.now();
      const result = await run();
      seconds[step] = Math.round((performance.now() - begun) / 100) / 10;
      return result;
    };
    const batch = { name: 'nomina.csv', fileSha256: 'ab'.repeat(32) };
    const proposed = await timed('proposed', () => proposePayouts(app, { owner, by: maker, wishes, batch }));
    const named = { batchId: proposed.batch?.id ?? '' };
    await timed('approved', () => approvePayouts(app, { owner, named, by: approver, reason: null }));
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const files = { owner, by: maker, format: 'santander', payer, batchId: null };
    const made = await timed('written', () => makePayoutFiles(app, files));
    const outcomes = proposed.payouts.map(({ id }) => ({ id, outcome: 'confirmed' as const, reason: null }));
    const evidence = { name: 'resultado.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };
    const { settled } = await timed('confirmed', () => settlePayouts(app, { owner, by: maker, outcomes, evidence }));
    const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
    const megabytes = Math.round(process.resourceUsage().maxRSS / 1000);
    report(`a batch of ${PAYOUTS} payouts on ${engine}`, { ...seconds, total, megabytes, files: made.length });
    assert.equal(settled.length, PAYOUTS);
    assert.equal((await verifyStore(app)).ok, true);
    assert.ok(total <= MOST_SECONDS, `${total} s`);
    assert.ok(megabytes <= MOST_MEGABYTES, `${megabytes} MB`);
  });
});

/** Returns another person's CuentaRUT for each `body`. */
function toPerson(body: number) {
  const account = String(body);
  const rut = `${account}-${checkCharacter(account)}`;
  const payee = { rut, bankCode: '012', account, name: `Persona ${account}`, email: null, rutFormat: null };
  return wish({ reference: `factura-${account}`, payee });
}
