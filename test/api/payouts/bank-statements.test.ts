import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '../../../src/lib/calendar-day.ts';
import { makePayoutFiles } from '../../../src/payouts/files/make-payout-files.ts';
import { forEachEngine } from '../../support/engines.ts';
import { createTestApp } from '../../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../../support/test-payouts.ts';
import { jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestUser } from '../../support/test-user.ts';

const inBase64 = (rows: readonly string[]) => Buffer.from(rows.join('\n')).toString('base64');

forEachEngine('bank statements and bank results over HTTP', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const server = await startTestServer(app);
    const desk = await openPayoutDesk(app);
    const paymentServices = [desk.environment.paymentServiceId];
    const may = ['movements:record', 'books:read', 'recipients:read'] as const;
    const books = await createTestUser(app, { may, paymentServices });
    const file = async (...amounts: number[]) => {
      await approved(
        app,
        desk,
        amounts.map((amount) => wish({ amount })),
      );
      const payer = { account: '123456789', rut: '', name: '', agreement: '' };
      const { environment: owner, maker: by } = desk;
      const [made] = await makePayoutFiles(app, { owner, by, format: 'bice', payer, batchId: null });
      return made?.file.id ?? '';
    };
    const post = async (path: string, json: unknown, { headers } = books) => {
      const reply = await server.post(path, { json, headers });
      const body = jsonOf(reply) as { data: Record<string, unknown>; code?: string; errors: { pointer: string }[] };
      return { ...reply, body };
    };
    const get = async (path: string, { headers } = books) => {
      const reply = await server.get(path, headers);
      return { status: reply.status, data: (jsonOf(reply) as { data: Record<string, unknown> }).data };
    };
    return { app, server, desk, books, file, post, get };
  };

  test('a statement is imported once, listed and shown, and its lines can be explained', async () => {
    const { app, server, desk, books, file, post, get } = await open();
    await using _server = server;
    await file(15_000);
    const day = dayOf(app.now());
    const content = inBase64([
      'Fecha;Descripción;Cargos;Abonos;Saldo',
      `${day};TEF 12.531.909-2;15.000;;985.000`,
      `${day};ARRIENDO;5.000;;980.000`,
      `${day};ABONO WEBPAY;;20.000;1.000.000`,
    ]);
    const sent = { account: '123456789', fileName: 'cartola.csv', content };
    const made = await post('/bank-statements', sent);
    const { id, uses, proof } = made.body.data as { id: string; uses: object; proof: string };
    assert.deepEqual(
      [made.status, uses, proof],
      [201, { payout: 1, return: 0, deposit: 0, suspense: 2, other: 0 }, 'balance'],
    );
    const again = await post('/bank-statements', sent);
    assert.deepEqual([again.headers.get('idempotency-hit'), again.body.data['id']], ['true', id]);
    const shown = await get(`/bank-statements/${id}?use=suspense`);
    const lines = shown.data['lines'] as { line: number; amount: number }[];
    assert.deepEqual(
      lines.map(({ line, amount }) => [line, amount]),
      [
        [3, -5000],
        [4, 20_000],
      ],
    );
    assert.deepEqual((shown.data['statement'] as { account: object }).account, { masked: '…6789' });
    assert.equal(shown.data['next'], null);
    const pages: unknown[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page = await get(`/bank-statements/${id}?limit=2&after=${after}`);
      pages.push((page.data['lines'] as { line: number }[]).map(({ line }) => line));
      after = page.data['next'] as string | null;
    }
    assert.deepEqual(pages, [[2, 3], [4]]);
    assert.equal((await get(`/bank-statements/${id}?limit=3`)).data['next'], null, 'a full page that is the last');
    for (const wrong of ['after=st_1', 'after=-1', 'limit=0', 'limit=10001'])
      assert.equal((await get(`/bank-statements/${id}?${wrong}`)).status, 400, wrong);
    const uses_ = `/bank-statements/${id}/uses`;
    const asks = await post(uses_, { use: 'deposit', line: 4, reason: 'abono' });
    assert.deepEqual([asks.status, asks.body.errors[0]?.pointer], [422, '/from']);
    for (const wrong of [
      { to: 'merchant', payoutId: 'po_1' },
      { to: 'recipient' },
      { to: 'merchant', use: 'return' },
    ]) {
      const refused = await post(uses_, { use: 'payout', line: 3, reason: 'pago doble', ...wrong });
      assert.deepEqual([refused.status, refused.body.errors[0]?.pointer], [422, '/to']);
    }
    for (const [wrong, pointer] of [
      [{ use: 'other', payoutId: 'po_1' }, '/payoutId'],
      [{ use: 'deposit', from: 'simulated', payoutId: 'po_1' }, '/payoutId'],
      [{ use: 'return', payoutId: 'po_1', depositId: 'mv_1' }, '/depositId'],
      [{ use: 'deposit', depositId: 'mv_1', from: 'simulated' }, '/from'],
      [{ use: 'deposit', depositId: 'mv_1', commission: 500 }, '/commission'],
      [{ use: 'other', paymentServiceId: 'ps_1' }, '/paymentServiceId'],
      [{ use: 'deposit', depositId: 'mv_1', paymentServiceId: 'ps_1' }, '/paymentServiceId'],
      [{ use: 'payout', payoutId: 'po_1', commission: 500 }, '/commission'],
    ] as const) {
      const refused = await post(uses_, { line: 4, reason: 'abono', ...wrong });
      assert.deepEqual([refused.status, refused.body.errors[0]?.pointer], [422, pointer], JSON.stringify(wrong));
    }
    assert.equal((await post(uses_, { use: 'other', line: 3, reason: 'arriendo' })).body.data['replaced'], null);
    const double = { use: 'payout', line: 3, to: 'merchant', reason: 'pago doble' };
    const twice = await post(uses_, double);
    const earlier = { use: 'other', reason: 'arriendo', resolvedBy: books.email };
    assert.deepEqual(twice.body.data['replaced'], earlier);
    assert.equal((await post(uses_, double)).body.data['replaced'], null, 'a repeated request replaces nothing');
    const [booked] = twice.body.data['lines'] as { use: string; of: string }[];
    assert.deepEqual([twice.status, booked?.use, booked?.of.slice(0, 3)], [200, 'payout', 'mv_']);
    const deposit = { use: 'deposit', line: 4, from: 'simulated', commission: 300, reason: 'abono' };
    assert.equal((await post(uses_, deposit)).status, 200);
    assert.equal((await post(uses_, deposit)).status, 200, 'a repeated request changes nothing');
    assert.equal((await post(uses_, { ...deposit, reason: 'otro' })).status, 404);
    assert.equal((await post(uses_, { use: 'other', reason: 'arriendo' })).status, 404, 'no line waits any longer');
    const { data } = await get('/bank-statements');
    assert.deepEqual(
      (data['statements'] as { id: string; open: number }[]).map((one) => [one.id, one.open]),
      [[id, 0]],
    );
    const wrong = { use: 'suspense', reason: 'de otro pago' };
    const unnamed = await post(uses_, wrong);
    assert.deepEqual([unnamed.status, unnamed.body.errors[0]?.pointer], [422, '/line']);
    assert.equal((await post(uses_, { ...wrong, line: 4 })).status, 409, 'its deposit was booked with it');
    const reopened = await post(uses_, { ...wrong, line: 2 });
    const [open2] = reopened.body.data['lines'] as { use: string; of: string | null }[];
    assert.deepEqual([reopened.status, open2?.use, open2?.of], [200, 'suspense', null]);
    const elsewhere = await openPayoutDesk(app);
    const { paymentServiceId } = elsewhere.environment;
    const stranger = await createTestUser(app, {
      may: ['movements:record', 'books:read'],
      paymentServices: [paymentServiceId],
    });
    assert.equal((await get(`/bank-statements/${id}`, stranger)).status, 404);
    assert.deepEqual((await get('/bank-statements', stranger)).data, { statements: [], next: null });
    const named = { ...sent, paymentServiceId: desk.environment.paymentServiceId };
    assert.equal((await post('/bank-statements', named, stranger)).status, 404);
    assert.equal((await post('/bank-statements', sent, desk.users.program)).status, 403);
  });

  test('a user of several merchants names the one whose account it is', async () => {
    const { app, server, desk, post, get } = await open();
    await using _server = server;
    const { paymentServiceId } = desk.environment;
    const other = (await openPayoutDesk(app)).environment.paymentServiceId;
    const may = ['movements:record', 'books:read'] as const;
    const both = await createTestUser(app, { may, paymentServices: [paymentServiceId, other] });
    const content = inBase64(['Fecha;Descripción;Cargos;Abonos;Saldo', `${dayOf(app.now())};ARRIENDO;5.000;;0`]);
    const sent = { account: '123456789', fileName: 'cartola.csv', content };
    const unnamed = await post('/bank-statements', sent, both);
    assert.deepEqual([unnamed.status, unnamed.body.code], [409, 'PAYMENT_SERVICE_AMBIGUOUS']);
    assert.deepEqual((await get('/bank-statements', both)).data, { statements: [], next: null });
    for (const named of [paymentServiceId, other])
      assert.equal((await post('/bank-statements', { ...sent, paymentServiceId: named }, both)).status, 201);
    const owners = await app.db.query<{ id: string }>('select payment_service_id as id from bank_statements');
    assert.deepEqual(owners.map(({ id }) => id).sort(), [paymentServiceId, other].sort());
  });

  test('an invalid body or a file that contradicts itself leaves nothing behind', async () => {
    const { app, server, post } = await open();
    await using _server = server;
    const good = {
      account: '123456789',
      fileName: 'c.csv',
      content: inBase64(['Fecha;Glosa;Cargos;Abonos', '15/01/2026;X;1;']),
    };
    for (const [changes, pointer] of [
      [{ account: '12' }, '/account'],
      [{ fileName: '' }, '/fileName'],
      [{ content: 'a b' }, '/content'],
      [{ content: '' }, '/content'],
      [{ environment: 'test' }, '/environment'],
      [{ more: 1 }, '/more'],
    ] as const) {
      const refused = await post('/bank-statements', { ...good, ...changes });
      assert.deepEqual([refused.status, refused.body.errors[0]?.pointer], [422, pointer], pointer);
    }
    const changed = inBase64([
      'Fecha;Glosa;Cargos;Abonos;Saldo',
      '15/01/2026;X;1;;10',
      '15/01/2026;Y;1;;10',
      '16/01/2026;Z;1;;7',
    ]);
    const sided = inBase64(['Fecha;Glosa;Monto;Tipo', '15/01/2026;X;1;Cargo', '15/01/2026;Y;1;CAR']);
    for (const content of [changed, sided, inBase64(['nothing'])]) {
      const refused = await post('/bank-statements', { ...good, content });
      assert.deepEqual([refused.status, refused.body.code], [422, 'INVALID_STATEMENT']);
    }
    const large = { ...good, content: Buffer.alloc(2.5 * 1024 * 1024).toString('base64') };
    assert.equal((await post('/bank-statements', large)).status, 413);
    assert.deepEqual(await app.db.query('select id from bank_statements'), []);
  });

  test('the result of a bank is imported once, and the file shows the outcome of its payouts', async () => {
    const { server, desk, file, post, get } = await open();
    await using _server = server;
    const id = await file(15_000, 9_000);
    const content = inBase64([
      'RUT;Monto;Estado;Motivo',
      '12.531.909-2;15.000;Pagado;',
      '12.531.909-2;9.000;Rechazado;Cuenta cerrada',
      '11.111.111-1;1;Pagado;',
    ]);
    const path = `/payout-files/${id}/results`;
    const taken = await post(path, { fileName: 'resultado.csv', content });
    const { settled, unmatchedLines } = taken.body.data as { settled: { state: string }[]; unmatchedLines: number[] };
    assert.deepEqual([settled.map(({ state }) => state).toSorted(), unmatchedLines], [['confirmed', 'failed'], [4]]);
    const again = await post(path, { fileName: 'resultado.csv', content });
    assert.deepEqual([again.body.data['settled'], (again.body.data['already'] as string[]).length], [[], 2]);
    const { data } = await get(`/payout-files/${id}`);
    const payouts = data['payouts'] as { state: string; reason: string | null }[];
    assert.deepEqual(payouts.map(({ state, reason }) => `${state} ${reason}`).toSorted(), [
      'confirmed null',
      'failed Cuenta cerrada',
    ]);
    const listed = (await get('/payout-files')).data['files'] as { id: string }[];
    assert.deepEqual(
      listed.map((one) => one.id),
      [id],
    );
    assert.equal((await post(path, { fileName: 'r.csv', content }, desk.users.program)).status, 403);
  });
});
