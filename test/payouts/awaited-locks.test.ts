import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireUserOf } from '../../src/auth/person-of.ts';
import { updateRole } from '../../src/auth/user-right-queries.ts';
import type { Database, SqlParameter, SqlRow, Tx } from '../../src/db/database.ts';
import { approvePayouts, cancelPayouts, rejectPayouts } from '../../src/payouts/decide-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/make-payout-files.ts';
import { createRefund } from '../../src/refunds/create-refund.ts';
import { approveRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, propose } from '../support/test-payouts.ts';
import { askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { refundsOf } from '../support/test-refunds.ts';

const PAYER = { rut: '76.123.456-0', name: 'Tienda SpA', account: '123456789', agreement: '' };
const REFUSED = { code: 'PERMISSION_MISSING' };

/**
 * The app in which a user becomes an auditor while their act waits for the lock of the money or of payouts: the change
 * is there as soon as the act has the lock, as if another process had committed it.
 */
function demoting(app: TestApp, { id }: { id: string }): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction((tx) => {
      const query: Tx['query'] = async <Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]) => {
        const rows = await tx.query<Row>(sql, parameters);
        if (AWAITED.test(sql)) await updateRole(tx, id, 'auditor');
        return rows;
      };
      return work({ ...tx, query });
    }, kind);
  return { ...app, db: { ...app.db, transaction } };
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

  test('makes no refund, and approves none of another person', async () => {
    const app = await open();
    const desk = await openRefundDesk(app);
    const { paid, asker, approver, users } = desk;
    const request = await askForRefund(app, desk);
    const approval = { by: approver, reason: null };
    await assert.rejects(approveRefundRequest(demoting(app, users.approver), request, approval), REFUSED);
    const wish = { amount: 1000, type: 'parcial', idempotencyKey: null, by: asker } as const;
    const ask = (asking: TestApp) =>
      createRefund(asking, paid, wish, (tx) => requireUserOf(tx, asker, paid.environment_id, 'refunds:create'));
    await assert.rejects(ask(demoting(app, users.asker)), REFUSED);
    assert.deepEqual(await refundsOf(app, paid), []);
    assert.equal((await ask(app)).kind, 'accepted');
  });
});
