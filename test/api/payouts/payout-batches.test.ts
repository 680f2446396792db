import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createRubricaClient } from '../../../sdk/src/rubrica-client.ts';
import { disableUser } from '../../../src/auth/change-user.ts';
import { addTotp } from '../../../src/auth/factors/enrol-totp.ts';
import { totpCode } from '../../../src/auth/factors/totp.ts';
import { makeApiToken } from '../../../src/auth/tokens/make-api-token.ts';
import { approvePayouts } from '../../../src/payouts/approval/decide-payouts.ts';
import { setPayoutLimits } from '../../../src/payouts/approval/set-payout-limits.ts';
import { makePayoutFiles } from '../../../src/payouts/files/make-payout-files.ts';
import { proposePayouts } from '../../../src/payouts/propose-payouts.ts';
import { showPayouts } from '../../../src/payouts/show-payouts.ts';
import { forEachEngine } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { deposit, payOut } from '../../support/test-movements.ts';
import { openPayoutDesk, propose, wish } from '../../support/test-payouts.ts';
import { jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestUser, type TestUser, withApiToken } from '../../support/test-user.ts';

const tef = (id: string, amount: unknown = 15_000, account = '12531909') => ({
  id,
  messageToAddressee: 'Factura',
  amount,
  recipientData: { rut: '12.531.909-2', name: 'Ana Núñez', email: 'ana@example.cl' },
  bankData: { bankSBIFNumber: '012', bankAccount: account },
});

type Body = { data: Record<string, unknown>; code?: string; title?: string; errors: { pointer: string }[] };

forEachEngine('payout batches over HTTP', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const server = await startTestServer(app);
    const desk = await openPayoutDesk(app);
    const as = ({ headers }: TestUser) => ({
      post: async (path: string, json: unknown) => {
        const reply = await server.post(path, { json, headers });
        return { status: reply.status, headers: reply.headers, ...(jsonOf(reply) as Body) };
      },
      get: async (path: string) => {
        const reply = await server.get(path, headers);
        return { status: reply.status, ...(jsonOf(reply) as Body) };
      },
    });
    return { app, server, desk, as };
  };
  const propose2 = { name: 'Proveedores', payouts: [tef('FAC-1'), tef('FAC-2', '9000')] };

  test('a batch is proposed once, listed, and approved by another person with the second factor', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const made = await maker.post('/payout-batches', propose2);
    assert.deepEqual([made.status, made.data['payouts'], made.data['total']], [201, 2, 24_000]);
    const id = String(made.data['id']);
    const again = await maker.post('/payout-batches', propose2);
    assert.deepEqual([again.headers.get('idempotency-hit'), again.data['id']], ['true', id]);
    const other = await maker.post('/payout-batches', { ...propose2, payouts: [tef('FAC-1', 1)] });
    assert.deepEqual([other.status, other.code], [409, 'PAYOUT_CONFLICT']);
    const listed = (await maker.get('/payout-batches')).data['batches'] as { id: string }[];
    assert.deepEqual(
      listed.map((one) => one.id),
      [id],
    );
    const first = (await maker.get(`/payout-batches/${id}?limit=1`)).data;
    const second = (await maker.get(`/payout-batches/${id}?limit=1&after=${String(first['next'])}`)).data;
    assert.equal(second['next'], null, 'the last page has no next one, also if it is full');
    const stray = await maker.get(`/payout-batches/${id}?after=1`);
    assert.deepEqual([stray.status, stray.code], [400, 'INVALID_PARAMETER'], '1 is not the id of a payout');
    const shown = [first, second].flatMap(
      ({ payouts }) => payouts as { reference: string; recipient: { rut: string } }[],
    );
    assert.deepEqual(shown.map(({ reference, recipient }) => `${reference} ${recipient.rut}`).sort(), [
      'FAC-1 12531909-2',
      'FAC-2 12531909-2',
    ]);
    const approve = `/payout-batches/${id}/approve`;
    assert.equal((await maker.post(approve, { code: '1' })).code, 'PERMISSION_MISSING');
    const boss = as(await withApiToken(app, desk.users.approver));
    const { code, title } = await boss.post(approve, { code: '000000' });
    assert.deepEqual(
      [code, title],
      ['SECOND_FACTOR_NEEDED', 'A second factor is needed: a password alone is not enough'],
    );
    const added = await addTotp(app, desk.users.approver, 'Phone', TESTER);
    assert.equal((await boss.post(approve, {})).code, 'SECOND_FACTOR_NEEDED');
    assert.equal((await boss.post(approve, { code: '000000' })).code, 'FACTOR_REFUSED');
    const send = async () => {
      app.now.advance(30_000);
      const code = await totpCode(added?.secret ?? '', app.now());
      return boss.post(approve, { code, reason: 'facturas de enero' });
    };
    await setPayoutLimits(app, desk.environment, { per_day: 23_999 }, TESTER);
    assert.equal((await send()).code, 'PAYOUT_LIMIT_REACHED');
    await setPayoutLimits(app, desk.environment, { per_day: null }, TESTER);
    await payOut(app, desk.environment, 976_001);
    assert.equal((await send()).code, 'INSUFFICIENT_BALANCE');
    await deposit(app, desk.environment, 1, { paymentMethod: null });
    const done = await send();
    const { decided, batch } = done.data as { decided: number; batch: { states: { state: string }[] } };
    assert.deepEqual([done.status, decided, batch.states.map(({ state }) => state)], [200, 2, ['approved']]);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const { environment: owner, maker: by } = desk;
    const [file] = await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: id });
    const files = (await boss.get(`/payout-batches/${id}`)).data['files'] as { id: string }[];
    assert.deepEqual(
      files.map((one) => one.id),
      [file?.file.id],
    );
    assert.equal((await maker.post(`/payout-batches/${id}/cancel`, { reason: 'tarde' })).code, 'PAYOUT_STATE');
  });

  test('a list that has other payouts than the batch of its first one is refused, and proposes nothing', async () => {
    const { server, desk, as } = await open();
    await using _server = server;
    const post = (...payouts: unknown[]) => as(desk.users.maker).post('/payout-batches', { ...propose2, payouts });
    const id = (await post(tef('FAC-1'), tef('FAC-2'))).data['id'];
    await post(tef('FAC-3'));
    for (const list of [[tef('FAC-1')], [tef('FAC-2'), tef('FAC-1'), tef('FAC-3')]]) {
      const refused = await post(...list);
      assert.deepEqual([refused.status, refused.code], [409, 'PAYOUT_CONFLICT'], JSON.stringify(list));
    }
    assert.equal((await post(tef('FAC-2'), tef('FAC-1'))).data['id'], id, 'the order does not count');
  });

  test('a draft is submitted, approved and written into one payout file, whose bytes never change', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    const { maker, program } = desk.users;
    const id = String((await as(program).post('/payout-batches', { ...propose2, draft: true })).data['id']);
    const submit = `/payout-batches/${id}/submit`;
    const submitted = await as(program).post(submit, undefined);
    const { states } = submitted.data['batch'] as { states: { state: string }[] };
    assert.deepEqual([submitted.status, states.map(({ state }) => state)], [200, ['awaiting_approval']]);
    assert.equal(
      (await as(program).post(submit, undefined)).code,
      'PAYOUT_STATE',
      'the batch has already been submitted',
    );
    const wish = { format: 'santander', account: '123456789', batchId: id };
    const early = await as(program).post('/payout-files', wish);
    assert.deepEqual([early.status, early.code], [422, 'INVALID_PAYOUT'], 'the batch is not approved');
    await approvePayouts(app, { owner: desk.environment, named: { batchId: id }, by: desk.approver, reason: null });

    const added = await addTotp(app, maker, 'Phone', TESTER);
    const makersProgram = as(await withApiToken(app, maker));
    assert.equal(
      (await makersProgram.post('/payout-files', wish)).code,
      'SECOND_FACTOR_NEEDED',
      'a person needs the second factor',
    );
    assert.equal((await makersProgram.post('/payout-files', { ...wish, code: '000000' })).code, 'FACTOR_REFUSED');
    assert.deepEqual(await app.db.query('select id from payout_files'), []);
    const made = await makersProgram.post('/payout-files', {
      ...wish,
      code: await totpCode(added?.secret ?? '', app.now()),
    });
    const [file, ...others] = made.data['files'] as { id: string; payouts: number; total: number; sha256: string }[];
    assert.deepEqual([made.status, file?.payouts, file?.total, others], [201, 2, 24_000, []]);
    const elsewhere = { ...wish, environment: 'production' };
    assert.equal(
      (await as(program).post('/payout-files', elsewhere)).code,
      'NOT_FOUND',
      'the batch belongs to development',
    );
    const again = await as(program).post('/payout-files', wish);
    assert.deepEqual([again.headers.get('idempotency-hit'), again.data['files']], ['true', made.data['files']]);
    const other = await as(program).post('/payout-files', { ...wish, format: 'bice' });
    assert.deepEqual([other.status, other.code], [422, 'INVALID_PAYOUT'], 'no file of another bank is returned for it');
    const { batchId: _batch, ...all } = wish;
    assert.equal((await as(program).post('/payout-files', all)).code, 'INVALID_PAYOUT', 'a payout is in one file only');
    for (const _time of [1, 2]) {
      const { data } = await as(program).get(`/payout-files/${file?.id}/content`);
      const bytes = Buffer.from(String(data['content']), 'base64');
      assert.equal(createHash('sha256').update(bytes).digest('hex'), file?.sha256);
    }
    assert.equal((await as(desk.users.approver).get(`/payout-files/${file?.id}/content`)).code, 'PERMISSION_MISSING');
  });

  test('concurrent requests for the files of one batch get the same files', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    const { program } = desk.users;
    const id = String((await as(program).post('/payout-batches', propose2)).data['id']);
    await approvePayouts(app, { owner: desk.environment, named: { batchId: id }, by: desk.approver, reason: null });
    const wish = { format: 'bice', account: '123456789', batchId: id };
    const replies = await Promise.all([1, 2, 3].map(() => as(program).post('/payout-files', wish)));
    const ids = replies.map(({ data }) => (data['files'] as { id: string }[] | undefined)?.map((file) => file.id));
    assert.deepEqual(ids, [ids[0], ids[0], ids[0]]);
    assert.equal(replies.filter(({ headers }) => headers.get('idempotency-hit') === 'true').length, 2);
    assert.equal((await app.db.query('select id from payout_files')).length, 1);
  });

  test('a batch for an environment that the user does not see is refused, and nothing is created', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    const developer = await createTestUser(app, {
      role: 'developer',
      may: ['payouts:create'],
      paymentServices: [desk.environment.paymentServiceId],
    });
    const refused = await as(developer).post('/payout-batches', { ...propose2, environment: 'production' });
    assert.deepEqual([refused.status, refused.code], [404, 'NOT_FOUND']);
    assert.deepEqual(await app.db.query('select id from payouts'), []);
    assert.equal((await as(developer).post('/payout-batches', propose2)).status, 201);
  });

  test('the SDK client reports NO_ANSWER, not a refusal, when an answer is lost, and does not repeat the call', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    const { maker, approver, program } = desk.users;
    const asked: string[] = [];
    /** Sends the request, and loses the answer of the service. */
    const forgetful = async (url: string, init: object) => {
      const reply = await fetch(url, init);
      asked.push(new URL(url).pathname);
      if (reply.ok) throw new TypeError('fetch failed');
      return reply;
    };
    const clientOf = ({ headers }: TestUser) => {
      const accessToken = headers['authorization'].replace('Bearer ', '');
      return createRubricaClient({ baseUrl: server.origin, accessToken, fetch: forgetful });
    };
    const drafted = (await as(program).post('/payout-batches', { ...propose2, draft: true })).data;
    const id = String(drafted['id']);
    const added = await addTotp(app, approver, 'Phone', TESTER);
    const code = await totpCode(added?.secret ?? '', app.now());
    const file = { format: 'santander', account: '123456789' };
    const [boss, shop] = [clientOf(await withApiToken(app, approver)), clientOf(program)];
    const other = String(
      (await as(maker).post('/payout-batches', { name: 'Otros', payouts: [tef('FAC-3')] })).data['id'],
    );
    for (const call of [
      () => shop.submitPayoutBatch(id),
      () => boss.approvePayoutBatch(id, { code }),
      () => shop.makePayoutFiles(file),
      () => boss.rejectPayoutBatch(other, 'ya se pagó'),
    ]) {
      asked.length = 0;
      await assert.rejects(call(), { code: 'NO_ANSWER' });
      assert.equal(asked.length, 1, asked.join());
    }
    const { batch } = (await as(program).get(`/payout-batches/${id}`)).data as {
      batch: { states: { state: string }[] };
    };
    assert.deepEqual(
      batch.states.map(({ state }) => state),
      ['sent'],
    );
  });

  test('a payout file request that lacks what the bank format requires is refused, and nothing is created', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    await proposePayouts(app, { owner: desk.environment, by: desk.maker, wishes: [wish()], batch: null });
    const program = as(desk.users.program);
    for (const [body, code] of [
      [{}, 'INVALID_BODY'],
      [{ format: 'nobody', account: '1' }, 'INVALID_PAYOUT'],
      [{ format: 'santander', account: '' }, 'INVALID_BODY'],
      [{ format: 'santander', account: '1', other: '1' }, 'INVALID_BODY'],
      [{ format: 'bancochile-v4', account: '1' }, 'INVALID_PAYOUT'],
      [{ format: 'santander', account: '1', batchId: 'pb_none' }, 'NOT_FOUND'],
      [{ format: 'santander', account: '1', paymentServiceId: 'ps_none' }, 'NOT_FOUND'],
    ] as const) {
      assert.equal((await program.post('/payout-files', body)).code, code, JSON.stringify(body));
    }
    assert.deepEqual(await app.db.query('select id from payout_files'), []);
  });

  test('one bad row refuses the whole batch, rejecting needs a reason, and a program cannot approve', async () => {
    const { app, server, desk, as } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const bad = await maker.post('/payout-batches', { name: 'x', payouts: [tef('A'), tef('B', 0), { id: 3 }] });
    assert.equal(bad.status, 422);
    assert.ok(
      bad.errors.every(({ pointer }) => pointer.startsWith('/payouts/2')),
      JSON.stringify(bad.errors),
    );
    const unpaid = await maker.post('/payout-batches', { name: 'x', payouts: [tef('A'), tef('B', 0)] });
    assert.deepEqual(
      unpaid.errors.map(({ pointer }) => pointer),
      ['/payouts/1/amount'],
    );
    for (const body of [{}, { name: 'x', payouts: [] }, { ...propose2, paymentServiceId: 'ps_none' }]) {
      assert.ok([404, 422].includes((await maker.post('/payout-batches', body)).status));
    }
    for (const name of ['N\u001b[2K\rX', 'N\nX', 'TC 4111 1111 1111 1111']) {
      const misleading = await maker.post('/payout-batches', { ...propose2, name });
      assert.deepEqual([misleading.status, misleading.errors[0]?.pointer], [422, '/name'], name);
    }
    assert.deepEqual(await app.db.query('select id from payouts'), []);
    const id = String((await maker.post('/payout-batches', propose2)).data['id']);
    const boss = as(await withApiToken(app, desk.users.approver));
    assert.equal((await boss.post(`/payout-batches/${id}/reject`, { reason: '' })).status, 422);
    assert.equal((await boss.post(`/payout-batches/${id}/reject`, { reason: 'ya pagado' })).status, 200);
    const taken = String((await maker.post('/payout-batches', { name: 'y', payouts: [tef('C')] })).data['id']);
    assert.equal((await maker.post(`/payout-batches/${taken}/cancel`, { reason: 'no va' })).status, 200);
    const program = await createTestUser(app, {
      may: ['payouts:create', 'payouts:approve'],
      paymentServices: [desk.environment.paymentServiceId],
    });
    const waiting = String((await maker.post('/payout-batches', { name: 'z', payouts: [tef('D')] })).data['id']);
    const refused = await as(program).post(`/payout-batches/${waiting}/approve`, { code: '1' });
    assert.ok(['PERSON_NEEDED', 'SECOND_FACTOR_NEEDED'].includes(refused.code ?? ''), String(refused.code));
    await disableUser(app, desk.users.approver.email, TESTER);
    const late = await boss.post(`/payout-batches/${waiting}/reject`, { reason: 'no va' });
    assert.deepEqual([late.status, late.code], [401, 'TOKEN_INVALID'], 'this process still knows the token');
  });

  test('a person who created an API token of a program cannot approve the payouts of that program', async () => {
    const { app, server, desk } = await open();
    await using _server = server;
    const { environment: owner, approver, program, users } = desk;
    const { payouts } = await proposePayouts(app, { owner, by: program, wishes: [wish()], batch: null });
    const ids = payouts.map(({ id }) => id);
    const decision = { owner, named: { ids }, by: approver, reason: null };
    await makeApiToken(app, users.program.id, { name: 'mine', expiresAt: null }, approver);
    await assert.rejects(approvePayouts(app, decision), { code: 'APPROVAL_REFUSED' });
    const [shown] = await showPayouts(app, payouts);
    assert.match(shown?.barred.get(users.approver.id)?.en ?? '', /API token/);
    assert.ok(shown?.warnings.some(({ code }) => code === 'NO_APPROVER'));
    const [own] = await propose(app, desk);
    await approvePayouts(app, { ...decision, named: { ids: [own?.id ?? ''] } });
  });
});
