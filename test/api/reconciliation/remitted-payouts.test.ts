import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePayoutFiles } from '../../../src/payouts/files/make-payout-files.ts';
import { proposePayouts } from '../../../src/payouts/propose-payouts.ts';
import { settlePayouts } from '../../../src/payouts/settling/settle-payouts.ts';
import { erasePerson } from '../../../src/privacy/erase-person.ts';
import { personOfRut } from '../../../src/privacy/person.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { payOut } from '../../support/test-movements.ts';
import { approved, openPayoutDesk, propose, wish } from '../../support/test-payouts.ts';
import { jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestUser, type TestUser } from '../../support/test-user.ts';

type Remittance = Record<string, unknown> & { trxData: { messageToAddressee: string }; status: string };

forEachEngine('payouts to people among the remittances', (openTestDatabase) => {
  test('are listed with their recipient, beside payouts to the merchant, the newest first', async () => {
    await using at = await open(openTestDatabase);
    const { app, desk } = at;
    await payOut(app, desk.environment, 15_238, { reference: 'ABONO-1' });
    app.now.advance(1000);
    const [payout] = await propose(app, desk, [wish({ message: 'Pago factura 12' })]);
    app.now.advance(1000);
    await payOut(app, desk.environment, 1000, { reference: 'ABONO-2' });
    const all = await at.list(desk.users.maker);
    assert.deepEqual(messagesOf(all), ['ABONO-2', 'Pago factura 12', 'ABONO-1']);
    assert.deepEqual(all[1], {
      idAuth0: desk.users.maker.id,
      trxData: { messageToAddressee: 'Pago factura 12' },
      clientData: { rutAddressee: '12531909-2', nameAddressee: 'Ana Núñez', emailAddressee: 'ana@example.cl' },
      status: 'processing',
      timestamp: Math.floor((payout?.created_at ?? 0) / 1000),
      amount: 10_000,
      bankData: { bankSBIFNumber: '012', bankAccountNumber: '•••••1909' },
      currency: 'CLP',
      environment: 'development',
      paymentService: desk.environment.paymentServiceId,
    });
    assert.doesNotMatch(JSON.stringify(all), /"12531909"/, 'the account is masked');
    assert.deepEqual(messagesOf(await at.list(desk.users.maker, '2')), ['ABONO-2', 'Pago factura 12']);
    assert.deepEqual(messagesOf(await at.list(desk.users.maker, '1')), ['ABONO-2']);
    assert.deepEqual(messagesOf(await at.list(desk.users.maker, '10', '/2026-01-15')), messagesOf(all));
    assert.deepEqual(messagesOf(await at.list(desk.users.maker, '10', '/2026-01-16')), []);
  });

  test('have the status of GET /tef: processing until they end, and drafts are left out', async () => {
    await using at = await open(openTestDatabase);
    const { app, desk } = at;
    const { environment: owner, maker: by } = desk;
    const batch = { name: 'Proveedores', fileSha256: null };
    await proposePayouts(app, { owner, by, wishes: [wish({ message: 'borrador' })], batch, draft: true });
    const names = ['confirmado', 'fallido', 'devuelto', 'enviado'];
    const payouts = await approved(
      app,
      desk,
      names.map((message, n) => wish({ message, amount: 10_000 + n })),
    );
    assert.deepEqual(new Set(statusesOf(await at.list(desk.users.maker)).values()), new Set(['processing']));
    const payer = { account: '1', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: payouts[0]?.batch_id ?? '' });
    const settle = (name: string, outcome: 'confirmed' | 'failed' | 'returned') => {
      const id = payouts.find(({ message }) => message === name)?.id ?? '';
      const reason = outcome === 'confirmed' ? null : 'cuenta cerrada';
      const evidence = { name: 'banco.csv', sha256: '0'.repeat(64), bytes: 1, excerpt: '' };
      return settlePayouts(app, { owner, by, outcomes: [{ id, outcome, reason }], evidence });
    };
    await settle('confirmado', 'confirmed');
    await settle('fallido', 'failed');
    await settle('devuelto', 'confirmed');
    await settle('devuelto', 'returned');
    const said = statusesOf(await at.list(desk.users.maker));
    assert.deepEqual(Object.fromEntries(said), {
      confirmado: 'completed',
      fallido: 'failed',
      devuelto: 'failed',
      enviado: 'processing',
    });
    for (const { reference, message } of payouts) {
      const { tefResponse } = jsonOf(await at.server.get(`/tef/${reference}`, desk.users.maker.headers));
      assert.equal((tefResponse as { status: string }).status, said.get(message), message);
    }
  });

  test('are shown only to users who may read GET /tef, for the payment services that they see', async () => {
    await using at = await open(openTestDatabase);
    const { app, desk } = at;
    const other = await openPayoutDesk(app);
    await propose(app, desk, [wish({ message: 'propio' })]);
    await propose(app, other, [wish({ message: 'ajeno' })]);
    await payOut(app, desk.environment, 1000, { reference: 'ABONO-1' });
    const paymentServices = [desk.environment.paymentServiceId];
    const sees = async (given: Parameters<typeof createTestUser>[1]) =>
      new Set(messagesOf(await at.list(await createTestUser(app, given))));
    assert.deepEqual(await sees({ role: 'merchant', may: [], paymentServices }), new Set(['ABONO-1']));
    assert.deepEqual(await sees({ may: ['books:read'], paymentServices }), new Set(['ABONO-1']));
    const own = new Set(['ABONO-1', 'propio']);
    assert.deepEqual(await sees({ may: ['books:read', 'payouts:create'], paymentServices }), own);
    assert.deepEqual(await sees({ role: 'finance', may: [], paymentServices }), own);
    assert.deepEqual(await sees({ role: 'auditor', may: [], paymentServices }), own);
    assert.deepEqual(await sees({ role: 'auditor', may: [] }), new Set(['ABONO-1', 'propio', 'ajeno']));
    assert.deepEqual(await sees({ role: 'finance', may: [], paymentServices: [] }), new Set());
    const { headers } = desk.users.program;
    const refused = await at.server.post('/remittances/getRemittances', { headers, json: {} });
    assert.equal(refused.status, 403, 'the list needs books:read');
  });

  test('hide the recipient’s RUT, e-mail address and account from a program without recipients:read', async () => {
    await using at = await open(openTestDatabase);
    const { app, desk } = at;
    await propose(app, desk, [wish({ message: 'Pago factura 12' })]);
    for (const may of [
      ['books:read', 'payouts:create'],
      ['books:read', 'audit:read'],
    ] as const) {
      const [remittance] = await at.list(await createTestUser(app, { may }));
      assert.equal(remittance?.trxData.messageToAddressee, 'Pago factura 12');
      assert.deepEqual(remittance['clientData'], { rutAddressee: null, nameAddressee: null, emailAddressee: null });
      assert.deepEqual(remittance['bankData'], { bankSBIFNumber: null, bankAccountNumber: null });
    }
    const [told] = await at.list(
      await createTestUser(app, { may: ['books:read', 'payouts:create', 'recipients:read'] }),
    );
    assert.deepEqual(told?.['bankData'], { bankSBIFNumber: '012', bankAccountNumber: '•••••1909' });
  });

  test('name no recipient after the person has been erased', async () => {
    await using at = await open(openTestDatabase);
    const { app, desk } = at;
    const [payout] = await approved(app, desk, [wish({ message: 'Pago' })]);
    const { environment: owner, maker: by } = desk;
    const payer = { account: '1', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: payout?.batch_id ?? '' });
    const evidence = { name: 'banco.csv', sha256: '0'.repeat(64), bytes: 1, excerpt: '' };
    const outcomes = [{ id: payout?.id ?? '', outcome: 'confirmed' as const, reason: null }];
    await settlePayouts(app, { owner, by, outcomes, evidence });
    const person = personOfRut('12.531.909-2');
    assert.ok(person !== null);
    await erasePerson(app, person, TESTER, { reason: 'lo pidió' });
    const [remittance] = await at.list(desk.users.maker);
    assert.deepEqual(remittance?.['clientData'], { rutAddressee: null, nameAddressee: null, emailAddressee: null });
    assert.equal(remittance?.status, 'completed');
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const server = await startTestServer(app);
  const desk = await openPayoutDesk(app);
  const list = async ({ headers }: TestUser, limit?: string, day?: string): Promise<Remittance[]> => {
    const path = day === undefined ? '/remittances/getRemittances' : `/remittances/getRemittance${day}`;
    const answer = await server.post(path, { headers, json: limit === undefined ? {} : { limit } });
    assert.equal(answer.status, 200, answer.text);
    const { message, remittances } = jsonOf(answer) as { message: string; remittances: Remittance[] };
    assert.equal(message, `${remittances.length === 0 ? 'No se' : 'Se'} encontraron remittances`);
    return remittances;
  };
  return { app, server, desk, list, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function messagesOf(remittances: readonly Remittance[]): string[] {
  return remittances.map(({ trxData }) => trxData.messageToAddressee);
}

function statusesOf(remittances: readonly Remittance[]): Map<string, string> {
  return new Map(remittances.map(({ trxData, status }) => [trxData.messageToAddressee, status]));
}
