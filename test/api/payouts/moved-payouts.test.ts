import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { describeEvidence } from '../../../src/lib/evidence-file.ts';
import { approvePayouts } from '../../../src/payouts/approval/decide-payouts.ts';
import { makePayoutFiles } from '../../../src/payouts/files/make-payout-files.ts';
import { settlePayouts } from '../../../src/payouts/settling/settle-payouts.ts';
import { endContradiction } from '../../../src/statements/end-contradiction.ts';
import { importStatement } from '../../../src/statements/import-statement.ts';
import { previewLine } from '../../../src/statements/preview-line.ts';
import { readStatement } from '../../../src/statements/read-statement.ts';
import { type LineSubject, resolveLine } from '../../../src/statements/resolve-line.ts';
import { forEachEngine } from '../../support/engines.ts';
import { leaveFor } from '../../support/moving-shop.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { approved, openPayoutDesk, type PayoutDesk, propose } from '../../support/test-payouts.ts';
import { jsonOf, startTestServer, type TestServer } from '../../support/test-server.ts';

const TRANSFER = {
  id: 'T-1',
  messageToAddressee: 'Pago',
  amount: 1000,
  recipientData: { rut: '12.531.909-2', name: 'Ana Núñez', email: 'ana@example.cl' },
  bankData: { bankSBIFNumber: '012', bankAccount: '12531909' },
};
const ACCOUNT = { rut: '11.111.111-1', bankData: { bankSBIFNumber: '001', bankAccount: '990011223' } };

const base64 = (text: string) => Buffer.from(text).toString('base64');

function statementOf({ environment: { paymentServiceId } }: PayoutDesk, amount: string) {
  const content = base64(`Fecha;Descripción;Cargos;Abonos\n15/01/2026;ABONO;;${amount}`);
  return { account: '123456789', fileName: 'cartola.csv', content, paymentServiceId, environment: 'development' };
}

/** Makes a batch that waits, a payout in a file, a line of a statement in suspense, and a validated account. */
async function openDesk(app: TestApp, server: TestServer) {
  const desk = await openPayoutDesk(app);
  const [waiting] = await propose(app, desk);
  const [filed] = await approved(app, desk);
  const payer = { account: '1', rut: '', name: '', agreement: '' };
  const { environment: owner, maker: by } = desk;
  const [made] = await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
  const { headers } = desk.users.maker;
  const statement = jsonOf(await server.post('/bank-statements', { headers, json: statementOf(desk, '1.000') }));
  const validation = await server.post('/validations/BankAccount', {
    headers: desk.users.program.headers,
    json: ACCOUNT,
  });
  return {
    desk,
    waiting,
    filed,
    file: made?.file.id,
    statement: (statement['data'] as { id: string }).id,
    validation: (jsonOf(validation)['data'] as { id: string }).id,
  };
}

forEachEngine('payouts of a payment service that has moved', (openTestDatabase) => {
  test('are refused with 421 and the address that serves it, whatever a program or a person does', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { desk, waiting, filed, file, statement, validation } = await openDesk(app, server);
    await leaveFor(app, desk.environment);
    app.now.advance(2000);
    const batch = `/payout-batches/${waiting?.batch_id}`;
    const results = { fileName: 'r.csv', content: base64(`id;estado\n${filed?.id};Pagado`) };
    const asked: [path: string, by: keyof PayoutDesk['users'], json: unknown][] = [
      ['/tef', 'program', { tef: TRANSFER }],
      ['/payout-batches', 'program', { name: 'x', payouts: [TRANSFER] }],
      [`${batch}/reject`, 'approver', { reason: 'x' }],
      [`${batch}/cancel`, 'maker', { reason: 'x' }],
      [`${batch}/submit`, 'maker', undefined],
      ['/payout-files', 'maker', { format: 'santander', account: '1' }],
      [`/payout-files/${file}/results`, 'maker', results],
      ['/bank-statements', 'maker', statementOf(desk, '2.000')],
      [`/bank-statements/${statement}/uses`, 'maker', { use: 'other', line: 2, reason: 'x' }],
      ['/recipients', 'program', { validationId: validation, ...ACCOUNT, name: 'Pedro Soto' }],
    ];
    for (const [path, by, json] of asked) {
      const { headers } = desk.users[by];
      const answer = await server.post(path, { headers, ...(json !== undefined && { json }) });
      const { code, data } = jsonOf(answer);
      const moved = [421, 'PAYMENT_SERVICE_MOVED', { address: 'https://pay-2.example.cl' }];
      assert.deepEqual([answer.status, code, data], moved, path);
    }
    const owner = desk.environment;
    const evidence = describeEvidence('vista.pdf', Buffer.from('x'));
    const moved = { code: 'PAYMENT_SERVICE_MOVED' };
    assert.ok(filed !== undefined && waiting !== undefined);
    const named = { ids: [waiting.id] };
    await assert.rejects(approvePayouts(app, { owner, named, by: desk.approver, reason: null }), moved);
    const outcomes = [{ id: filed.id, outcome: 'confirmed' as const, reason: null }];
    await assert.rejects(settlePayouts(app, { owner, by: desk.maker, outcomes, evidence }), moved);
    const ending = { owner, payout: filed, by: desk.maker, reason: 'x', evidence };
    await assert.rejects(endContradiction(app, ending), moved);
  });

  test('are refused in the same way at a line of an account of all payment services', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const [payout] = await approved(app, desk);
    const account = { account: '123456789', environment: 'development', paymentServiceId: null } as const;
    const text = 'Fecha;Descripción;Cargos;Abonos\n15/01/2026;ABONO;;1.000\n15/01/2026;CARGO;7;\n';
    const read = await readStatement(Readable.from([text]));
    const evidence = describeEvidence('cartola.csv', Buffer.from(text));
    const { id } = await importStatement(app, { ...account, evidence, by }, read);
    await leaveFor(app, owner);
    app.now.advance(2000);
    const { paymentServiceId } = owner;
    const cases: [fileLine: number, is: LineSubject][] = [
      [2, { use: 'deposit', deposit: { paymentServiceId, paymentMethod: null, commission: 0 } }],
      [3, { use: 'payout', toMerchant: { paymentServiceId } }],
      [3, { use: 'payout', payoutId: payout?.id ?? '' }],
    ];
    for (const [fileLine, is] of cases)
      for (const act of [resolveLine, previewLine])
        await assert.rejects(act(app, { statementId: id ?? '', fileLine, is, reason: 'x', by }), {
          code: 'PAYMENT_SERVICE_MOVED',
        });
    const other = { statementId: id ?? '', fileLine: 3, is: { use: 'other' }, reason: 'x', by } as const;
    assert.equal((await resolveLine(app, other)).length, 1);
  });
});
