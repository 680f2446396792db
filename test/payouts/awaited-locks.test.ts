import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateRole } from '../../src/auth/user-right-queries.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { approvePayouts, cancelPayouts, rejectPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { approveRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { type LineSubject, resolveLine } from '../../src/statements/resolve-line.ts';
import { returnDeposit } from '../../src/statements/return-deposit.ts';
import { forEachEngine } from '../support/engines.ts';
import { afterQuery } from '../support/on-query.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, propose } from '../support/test-payouts.ts';
import { askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { refundsOf } from '../support/test-refunds.ts';

const PAYER = { rut: '76.123.456-0', name: 'Tienda SpA', account: '123456789', agreement: '' };
const EVIDENCE = describeEvidence('portal.csv', Buffer.from('paid'));
const REFUSED = { code: 'PERMISSION_MISSING' };

/** The app in which a user becomes an auditor while their act waits for the lock of the money or of payouts. */
function demoting(app: TestApp, { id }: { id: string }): TestApp {
  return afterQuery(app, AWAITED, (tx) => updateRole(tx, id, 'auditor'));
}

const AWAITED = /^update environments set|^select \* from payouts [^]*\{for_update\}$/;

forEachEngine('a user who loses the permission while the act waits for a lock', (openTestDatabase) => {
  const open = async () => createTestApp(await openTestDatabase());

  test('proposes, approves, rejects and cancels no payout, and makes no file', async () => {
    const app = await open();
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker, approver, users } = desk;
    const [waiting] = await propose(app, desk);
    const [ready] = await approved(app, desk);
    const statesOf = async () =>
      (await app.db.query<{ state: string }>('select state from payouts order by state')).map(({ state }) => state);
    const decision = (id = '') => ({ owner, named: { ids: [id] }, reason: 'no corresponde' });
    const [byMaker, byApprover] = [demoting(app, users.maker), demoting(app, users.approver)];
    await assert.rejects(propose(byMaker, desk), REFUSED);
    await assert.rejects(approvePayouts(byApprover, { ...decision(waiting?.id), by: approver }), REFUSED);
    await assert.rejects(rejectPayouts(byApprover, { ...decision(waiting?.id), by: approver }), REFUSED);
    await assert.rejects(cancelPayouts(byMaker, { ...decision(ready?.id), by: maker }), REFUSED);
    const file = { owner, by: maker, format: 'bice', payer: PAYER, batchId: null };
    await assert.rejects(makePayoutFiles(byMaker, file), REFUSED);
    assert.deepEqual(await statesOf(), ['approved', 'awaiting_approval']);
    assert.equal((await makePayoutFiles(app, file)).length, 1);
  });

  test('settles no payout, explains no line of a statement, and takes no deposit back', async () => {
    const app = await open();
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by, users } = desk;
    const byMaker = demoting(app, users.maker);
    const take = async (through: TestApp, ...amounts: number[]) => {
      const file = describeEvidence('cartola.csv', Buffer.from(amounts.join()));
      const text = 'TRANSF A 12.531.909-2';
      const lines = amounts.map((amount, at) => ({ line: at + 1, day: '2026-01-15', amount, text }));
      const wish = { environment: owner.environment, paymentServiceId: owner.paymentServiceId, account: '123456789' };
      return (await importStatement(through, { ...wish, evidence: file, by }, { lines, proof: 'balance' })).id ?? '';
    };
    const statementId = await take(app, -10_000, 5000, 7000);
    const [payout] = await approved(app, desk);
    const id = payout?.id ?? '';
    await makePayoutFiles(app, { owner, by, format: 'bice', payer: PAYER, batchId: null });
    const said = { owner, by, outcomes: [{ id, outcome: 'confirmed' as const, reason: null }], evidence: EVIDENCE };
    await assert.rejects(settlePayouts(byMaker, said), REFUSED);
    const explain = (through: TestApp, fileLine: number, is: LineSubject) =>
      resolveLine(through, { statementId, fileLine, is, reason: 'seen at the bank', by });
    const deposit = { paymentServiceId: null, paymentMethod: null, commission: 0 };
    await assert.rejects(explain(byMaker, 1, { use: 'payout', payoutId: id }), REFUSED);
    await assert.rejects(explain(byMaker, 2, { use: 'deposit', deposit }), REFUSED);
    await assert.rejects(take(byMaker, -10_000, -10_000), REFUSED);
    const target = { paymentServiceId: owner.paymentServiceId, environment: owner.environment };
    const back = { reference: `${statementId}/2`, reason: 'another one', by };
    await explain(app, 2, { use: 'deposit', deposit });
    await assert.rejects(returnDeposit(byMaker, target, back), REFUSED);
    assert.equal((await selectPayoutAnywhere(app.db, id))?.state, 'sent');
    await explain(app, 1, { use: 'payout', payoutId: id });
    assert.equal((await returnDeposit(app, target, back)).kind, 'returned');
    assert.equal((await selectPayoutAnywhere(app.db, id))?.state, 'confirmed');
  });

  test('approves no refund of another person', async () => {
    const app = await open();
    const desk = await openRefundDesk(app);
    const { paid, approver, users } = desk;
    const request = await askForRefund(app, desk);
    const approval = { by: approver, reason: null };
    await assert.rejects(approveRefundRequest(demoting(app, users.approver), request, approval), REFUSED);
    assert.deepEqual(await refundsOf(app, paid), []);
  });
});
