import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { cancelPayouts } from '../../../src/payouts/approval/decide-payouts.ts';
import { setPayoutLimits } from '../../../src/payouts/approval/set-payout-limits.ts';
import { verifyStore } from '../../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { leaveFor } from '../../support/moving-shop.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { openPayoutDesk, propose } from '../../support/test-payouts.ts';
import { jsonOf, startTestServer, type TestServer } from '../../support/test-server.ts';
import { createTestUser } from '../../support/test-user.ts';

const TEF = {
  id: '6f1d4c0e-2b1a-4a7e-9a37-0d4b8d1f3c55',
  messageToAddressee: 'Pago factura 12',
  amount: 15_000,
  recipientData: { rut: '12.531.909-2', name: 'Ana Núñez', email: 'ana@example.cl' },
  bankData: { bankSBIFNumber: '012', bankAccount: '12531909' },
};
const BODY = { tef: TEF, callbackUrl: 'https://shop.example.cl/tef?token=a%20b&x=1' };

async function setUp(openTestDatabase: OpenTestDatabase, settings: Record<string, string> = {}) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings });
  const app = createTestApp(await openTestDatabase(), { config });
  const server = await startTestServer(app);
  const desk = await openPayoutDesk(app);
  const { headers } = desk.users.program;
  const pay = (json: unknown, path = '/tef', sent = headers) => server.post(path, { json, headers: sent });
  return { app, server, desk, headers, pay, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

forEachEngine('transfers from published clients', (openTestDatabase) => {
  test('of a payment service that has moved are answered 421, and so is its balance: what stands here is old', async () => {
    await using at = await setUp(openTestDatabase);
    assert.equal((await at.pay(BODY)).status, 201);
    const [batched] = await propose(at.app, at.desk);
    await leaveFor(at.app, at.desk.environment);
    at.app.now.advance(2000);
    for (const path of [`/tef/${TEF.id}`, '/balance', '/availableBalance', `/payout-batches/${batched?.batch_id}`]) {
      const answer = await at.server.get(path, at.headers);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [421, 'PAYMENT_SERVICE_MOVED'], path);
    }
    assert.equal((await at.server.get('/tef/unknown', at.headers)).status, 404);
  });

  test('a transfer becomes one payout, even when it is repeated, and is read by the id of the client', async () => {
    await using at = await setUp(openTestDatabase);
    const made = await at.pay(BODY);
    assert.equal(made.status, 201, made.text);
    const { tefResponse, ...rest } = jsonOf(made) as {
      tefResponse: { status: string; tef: { id: string; state: string } };
    };
    assert.deepEqual(rest, { message: 'The transfer was recorded.', errors: null });
    assert.deepEqual(
      [tefResponse.status, tefResponse.tef.id, tefResponse.tef.state],
      ['processing', TEF.id, 'awaiting_approval'],
    );
    assert.equal((await at.pay(BODY)).headers.get('idempotency-hit'), 'true');
    for (const rut of ['12531909-2', '125319092', '0012.531.909-2', '12.531.909-2 ']) {
      const again = await at.pay({ ...BODY, tef: { ...TEF, recipientData: { ...TEF.recipientData, rut } } });
      assert.deepEqual([again.status, again.headers.get('idempotency-hit')], [201, 'true'], rut);
    }
    const [, bare = ''] = at.headers.authorization.split(' ');
    const read = await at.server.get(`/tef/${TEF.id}`, { authorization: bare });
    assert.deepEqual(jsonOf(read), { tefResponse });
    const other = await at.pay({ ...BODY, tef: { ...TEF, amount: 15_001 } });
    assert.deepEqual([other.status, jsonOf(other)['code']], [409, 'PAYOUT_CONFLICT']);
    assert.match(
      String(jsonOf(other)['detail']),
      /belongs to another payout\. Repeat its fields to read it, or choose a new id\.$/,
    );
    assert.equal((await at.server.get('/tef/none', at.headers)).status, 404);
    assert.equal((await at.app.db.query('select id from payouts')).length, 1);
  });

  test('a client whose id is in both environments reads the transfer of the one in which it makes them', async () => {
    await using at = await setUp(openTestDatabase);
    assert.equal((await at.pay(BODY)).status, 201);
    const app: App = { ...at.app, config: { ...at.app.config, mode: 'production' } };
    await using server = await startTestServer(app);
    const json = { ...BODY, tef: { ...TEF, amount: 20_000 } };
    assert.equal((await server.post('/tef', { json, headers: at.headers })).status, 201);
    const amountAt = async (one: TestServer) =>
      (jsonOf(await one.get(`/tef/${TEF.id}`, at.headers)) as { tefResponse: { tef: { amount: number } } }).tefResponse
        .tef.amount;
    assert.deepEqual([await amountAt(server), await amountAt(at.server)], [20_000, 15_000]);
  });

  test('an id that several merchants have is refused until the request names the merchant', async () => {
    await using at = await setUp(openTestDatabase);
    assert.equal((await at.pay(BODY)).status, 201);
    const other = await openPayoutDesk(at.app);
    assert.equal((await at.pay({ tef: { ...TEF, amount: 20_000 } }, '/tef', other.users.program.headers)).status, 201);
    const named = [at.desk, other].map(({ environment }) => environment.paymentServiceId);
    const { headers } = await createTestUser(at.app, { role: 'auditor', may: [], paymentServices: named });
    const read = (query: string, by = headers) => at.server.get(`/tef/${TEF.id}${query}`, by);
    const refused = await read('');
    assert.deepEqual([refused.status, jsonOf(refused)['code']], [409, 'PAYMENT_SERVICE_AMBIGUOUS']);
    assert.match((await read(`?payment_service=${named[1]}`)).text, /"amount":20000/);
    assert.equal((await read('?payment_service=ps_none')).status, 404);
    for (const query of ['?payment_service=', `?payment_service=${named[0]}&payment_service=${named[1]}`])
      assert.equal(jsonOf(await read(query))['code'], 'INVALID_PARAMETER', query);
    assert.match((await read('', at.headers)).text, /"amount":15000/, 'a user of one merchant names none');
  });

  test('the variants of published clients are accepted: url in tef, amount as text, any e-mail, a path prefix', async () => {
    await using at = await setUp(openTestDatabase, { BASE_PATH: '/dev,/v1/' });
    const id = 'shop.example.cl-1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
    const recipientData = { ...TEF.recipientData, email: 'alexander' };
    const variant = { tef: { ...TEF, id, amount: '1800', recipientData, url: 'https://shop.example.cl/tef' } };
    assert.equal((await at.pay(variant, '/v1/payout/tef')).status, 201);
    assert.equal((await at.pay(variant, '/dev/tef')).headers.get('idempotency-hit'), 'true');
    assert.equal((await at.server.get(`/dev/tef/${id}`, at.headers)).status, 200);
    assert.deepEqual(jsonOf(await at.server.get('/v1/payout/balance', at.headers)), { balance: 1_000_000 });
    assert.equal((await at.server.get('/v2x/balance', at.headers)).status, 404);
  });

  test('every empty or wrong member is refused with 422 and its own error code', async () => {
    await using at = await setUp(openTestDatabase);
    const recipient = (changes: object) => ({ ...TEF, recipientData: { ...TEF.recipientData, ...changes } });
    const bank = (changes: object) => ({ ...TEF, bankData: { ...TEF.bankData, ...changes } });
    const { email: _email, ...withoutEmail } = TEF.recipientData;
    for (const [tef, pointer, code] of [
      [{ ...TEF, amount: null }, '/tef/amount', 'INVALID_TYPE'],
      [{ ...TEF, amount: 0 }, '/tef/amount', 'INVALID_AMOUNT'],
      [{ ...TEF, amount: 1.5 }, '/tef/amount', 'INVALID_AMOUNT'],
      [{ ...TEF, amount: -1 }, '/tef/amount', 'INVALID_AMOUNT'],
      [{ ...TEF, amount: 7_000_001 }, '/tef/amount', 'INVALID_AMOUNT'],
      [recipient({ rut: '' }), '/tef/recipientData/rut', 'EMPTY_FIELD'],
      [recipient({ rut: '12.531.909-3' }), '/tef/recipientData/rut', 'RUT_CHECK_DIGIT_MISMATCH'],
      [recipient({ name: '' }), '/tef/recipientData/name', 'EMPTY_FIELD'],
      [recipient({ name: 'Ana\u001b[2K\rEva' }), '/tef/recipientData/name', 'CONTROL_CHARACTER'],
      [recipient({ name: 'Ana\nEva' }), '/tef/recipientData/name', 'CONTROL_CHARACTER'],
      [recipient({ name: 'Ana \u202eavE' }), '/tef/recipientData/name', 'CONTROL_CHARACTER'],
      [recipient({ name: 'Ana 4111 1111 1111 1111' }), '/tef/recipientData/name', 'CARD_NUMBER'],
      [recipient({ email: '' }), '/tef/recipientData/email', 'EMPTY_FIELD'],
      [recipient({ email: 'ana\n@example.cl' }), '/tef/recipientData/email', 'CONTROL_CHARACTER'],
      [{ ...TEF, messageToAddressee: 'Pago\u2028de otro' }, '/tef/messageToAddressee', 'CONTROL_CHARACTER'],
      [{ ...TEF, recipientData: withoutEmail }, '/tef/recipientData/email', 'MISSING_FIELD'],
      [bank({ bankAccount: '' }), '/tef/bankData/bankAccount', 'EMPTY_FIELD'],
      [bank({ bankAccount: '1'.repeat(21) }), '/tef/bankData/bankAccount', 'ACCOUNT_TOO_LONG'],
      [bank({ bankAccount: '0000' }), '/tef/bankData/bankAccount', 'ACCOUNT_ALL_ZEROS'],
      [bank({ bankSBIFNumber: '' }), '/tef/bankData/bankSBIFNumber', 'EMPTY_FIELD'],
      [bank({ bankSBIFNumber: 12 }), '/tef/bankData/bankSBIFNumber', 'INVALID_TYPE'],
      [bank({ bankSBIFNumber: '999' }), '/tef/bankData/bankSBIFNumber', 'BANK_UNKNOWN'],
      [bank({ bankSBIFNumber: '764' }), '/tef/bankData/bankSBIFNumber', 'BANK_NOT_TRANSFER_TARGET'],
      [{ ...TEF, id: 'a'.repeat(81) }, '/tef/id', 'FIELD_TOO_LONG'],
      [{ ...TEF, id: '../x' }, '/tef/id', 'INVALID_REFERENCE'],
      [{ ...TEF, id: '4111111111111111' }, '/tef/id', 'INVALID_REFERENCE'],
      [{ ...TEF, messageToAddressee: 'TC 4111 1111 1111 1111' }, '/tef/messageToAddressee', 'CARD_NUMBER'],
      [{ ...TEF, extra: 1 }, '/tef/extra', 'UNKNOWN_FIELD'],
    ] as const) {
      const refused = await at.pay({ ...BODY, tef });
      const { message, errors } = jsonOf(refused) as { message: string; errors: { pointer: string; code: string }[] };
      assert.deepEqual([refused.status, errors[0]?.pointer, errors[0]?.code], [422, pointer, code], refused.text);
      assert.ok(message.length > 0);
    }
    const url = 'ftp://shop.example.cl/';
    for (const [body, pointer] of [
      [{ ...BODY, callbackUrl: url }, '/callbackUrl'],
      [{ ...BODY, callbackUrl: 'https://shop.example.cl/tef?by=4111111111111111' }, '/callbackUrl'],
      [{ tef: { ...TEF, url } }, '/tef/url'],
    ] as const) {
      const refused = await at.pay(body);
      const { errors } = jsonOf(refused) as { errors: { pointer: string }[] };
      assert.deepEqual([refused.status, errors[0]?.pointer], [422, pointer]);
    }
    assert.deepEqual(await at.app.db.query('select id from payouts union all select id from recipients'), []);
  });

  test('an unknown or closed bank is the reason for the refusal, even if all digits of the RUT are equal', async () => {
    await using at = await setUp(openTestDatabase);
    const recipientData = { ...TEF.recipientData, rut: '11.111.111-1' };
    for (const [bankSBIFNumber, code] of [
      ['999', 'BANK_UNKNOWN'],
      ['017', 'BANK_CLOSED'],
    ] as const) {
      const tef = { ...TEF, recipientData, bankData: { ...TEF.bankData, bankSBIFNumber } };
      const { errors } = jsonOf(await at.pay({ ...BODY, tef })) as { errors: { pointer: string; code: string }[] };
      assert.deepEqual(
        errors.map((error) => [error.pointer, error.code]),
        [['/tef/bankData/bankSBIFNumber', code]],
      );
    }
  });

  test('a payout to a bank that cannot be read says the code to send, or what to do for one that is not in the list', async () => {
    await using at = await setUp(openTestDatabase);
    for (const [bankSBIFNumber, fix] of [
      ['12', 'Send 012, the code of Banco del Estado de Chile.'],
      ['BancoEstado', 'Send 012, the code of Banco del Estado de Chile.'],
      ['152', 'Did you mean 729, Sociedad Emisora de Tarjetas Los Héroes S.A.?'],
      ['999', 'Check the code. If it is right, the operator imports a newer list: bin/rubrica banks import.'],
      ['Banco Inexistente', 'Write its name as in the list of banks, or its code of three digits, such as 012.'],
    ] as const) {
      const tef = { ...TEF, bankData: { ...TEF.bankData, bankSBIFNumber } };
      const { errors } = jsonOf(await at.pay({ ...BODY, tef })) as { errors: { fix: string }[] };
      assert.deepEqual([bankSBIFNumber, ...errors.map((error) => error.fix)], [bankSBIFNumber, fix]);
    }
  });

  test('approved money stays in the balance, but not in the available balance', async () => {
    await using at = await setUp(openTestDatabase);
    const { environment } = at.desk;
    await setPayoutLimits(at.app, environment, { automatic_per_payout: 20_000 }, TESTER);
    const { tefResponse } = jsonOf(await at.pay(BODY)) as { tefResponse: { tef: { state: string; payoutId: string } } };
    assert.equal(tefResponse.tef.state, 'approved');
    assert.deepEqual(jsonOf(await at.server.get('/balance', at.headers)), { balance: 1_000_000 });
    assert.deepEqual(jsonOf(await at.server.get('/availableBalance', at.headers)), { balance: 985_000 });
    const named = { ids: [tefResponse.tef.payoutId] };
    await cancelPayouts(at.app, { owner: environment, named, by: at.desk.maker, reason: 'duplicada' });
    const callbacks = await at.app.db.query<{ url: string; body: string }>(
      'select url, body from callbacks where sequence = 0',
    );
    assert.deepEqual(
      callbacks.map(({ url }) => url),
      [BODY.callbackUrl],
    );
    assert.deepEqual(JSON.parse(callbacks[0]?.body ?? ''), {
      tefResponse: {
        status: 'failed',
        tef: {
          id: TEF.id,
          amount: 15_000,
          state: 'cancelled',
          payoutId: tefResponse.tef.payoutId,
          reason: 'duplicada',
        },
      },
    });
    assert.deepEqual((await verifyStore(at.app)).findings, []);
  });

  test('a user who sees several payment services or lacks the permission cannot create a payout', async () => {
    await using at = await setUp(openTestDatabase);
    await openPayoutDesk(at.app);
    const all = await createTestUser(at.app, { may: ['payouts:create'] });
    const ambiguous = await at.pay(BODY, '/tef', all.headers);
    assert.deepEqual([ambiguous.status, jsonOf(ambiguous)['code']], [409, 'PAYMENT_SERVICE_AMBIGUOUS']);
    assert.match(
      String(jsonOf(ambiguous)['detail']),
      /Name one as `paymentServiceId` .+ use a user of one payment service\./,
    );
    const validator = await createTestUser(at.app, { payouts: true });
    assert.equal((await at.pay(BODY, '/tef', validator.headers)).status, 403);
    assert.equal((await at.server.get(`/tef/${TEF.id}`, all.headers)).status, 404);
  });
});
