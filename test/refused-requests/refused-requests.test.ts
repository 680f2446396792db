import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_ATTENTION } from '../../src/attention/key-attention.ts';
import { readConfig } from '../../src/config.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { disablePaymentService, enablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { listRefusedRequests, readRefused } from '../../src/refused-requests/list-refused-requests.ts';
import { KEPT_REFUSED } from '../../src/refused-requests/refused-request.ts';
import { forgetRefusedRequests, storeRefusedRequests } from '../../src/refused-requests/store-refused-requests.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { signedBody } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('refused requests', (openTestDatabase) => {
  const open = async (settings: Record<string, string> = {}) => {
    const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings });
    const app = createTestApp(await openTestDatabase(), { config });
    const shop = await createPaymentService(app, 'Norte', TESTER);
    const server = await startTestServer(app);
    const refused = async (search = {}) => {
      await storeRefusedRequests(app);
      const { requests } = await listRefusedRequests(app, { environmentIds: null, ...search }, 500);
      return requests.map((row) => readRefused(row, 'en'));
    };
    return { app, shop, server, refused };
  };

  test('a refused request is found by its request_id, with its errors and without its secrets', async () => {
    const { app, shop, server, refused } = await open();
    await using _server = server;
    const { service_token, secret_token } = shop.development;
    const changes = {
      x_amount: '100',
      x_customer_email: 'paula@example.cl',
      x_url_cancel: 'https://shop.example.cl/c?k=hush',
    };
    const json = { ...signedBody(service_token, secret_token, changes) };
    const answer = await server.post('/trxs', { json });
    const { request_id, code } = jsonOf(answer);
    const [request, ...others] = await refused({ requestId: request_id as string });
    assert.equal(others.length, 0);
    assert.deepEqual(
      [request?.name, request?.environment, request?.method, request?.route, request?.status, request?.code],
      ['Norte', 'development', 'POST', '/trxs', answer.status, code],
    );
    assert.equal(request?.errors[0]?.pointer, '/x_amount');
    const kept = JSON.stringify(request);
    for (const secret of [secret_token, json.x_signature as string, 'paula@', 'hush'])
      assert.ok(!kept.includes(secret), secret);
    const fields = new Map(request?.fields.map(({ name, value }) => [name, value]));
    assert.equal(fields.get('x_amount'), '100');
    assert.equal(fields.get('x_url_cancel'), 'https://shop.example.cl/c?…');
    assert.equal(fields.get('x_signature'), '(64 characters, not kept)');
    const [row] = (await listRefusedRequests(app, { environmentIds: null }, 1)).requests;
    const spanish = row && readRefused(row, 'es').fields.find(({ name }) => name === 'x_signature');
    assert.equal(spanish?.value, '(64 caracteres, no guardados)', 'the note is in Spanish');
  });

  test('are kept beside a refusal whose field name is cut in the middle of a character', async () => {
    const { shop, server, refused } = await open();
    await using _server = server;
    const { service_token, secret_token } = shop.development;
    const order = signedBody(service_token, secret_token, { x_amount: '100' });
    await server.post('/trxs', { json: order });
    await server.post('/trxs', { json: { [`${'x'.repeat(63)}😀`]: '1' } });
    assert.equal((await refused()).length, 2);
  });

  test('the kept value of a wrong field contains no card number, Secret Token or e-mail address', async () => {
    const { shop, server, refused } = await open();
    await using _server = server;
    const { service_token, secret_token } = shop.development;
    const wrong = [
      { x_reference: 'card 4111 1111 1111 1111' },
      { x_reference: secret_token },
      { x_session_id: 'paula@example.cl' },
      { x_session_id: `paula@example.cl ana.rojas@example.cl ${secret_token}` },
      { x_url_callback: `https://shop.example.cl/${secret_token}` },
      { x_url_callback: `https://shop.example.cl/c?payer=paula@example.cl&key=hush&to=ana.rojas@example.cl` },
      { x_url_cancel: 'https://shop.example.cl/ana.rojas%40example.cl/c' },
      { [`x_${secret_token}`]: '1' },
    ];
    for (const changes of wrong) {
      const body = { ...signedBody(service_token, 'another secret', changes) };
      assert.ok((await server.post('/trxs', { json: body })).status >= 400);
    }
    const kept = JSON.stringify(await refused());
    // Names are cut after 64 characters, so a cut secret must be masked too.
    for (const secret of ['4111 1111 1111 1111', secret_token.slice(0, 32), 'paula@', 'ana.rojas', 'hush'])
      assert.ok(!kept.includes(secret), secret);
    assert.ok(kept.includes('https://shop.example.cl/c?…'));
  });

  test('the kept name of a field, and an error that quotes it, contains no e-mail address, RUT or card number', async () => {
    const { shop, server, refused } = await open();
    await using _server = server;
    const { service_token, secret_token } = shop.development;
    const order = signedBody(service_token, secret_token, {});
    const names = ['paula@correo.cl', 'to/paula%40correo.cl', 'of 12.531.909-2', '4111 1111 1111 1111'];
    for (const name of names)
      assert.equal((await server.post('/trxs', { json: { ...order, [name]: '1' } })).status, 400);
    const headers = { 'content-type': 'application/json' };
    assert.equal((await server.post('/trxs', { headers, body: '{"ana@correo.cl":1,"ana@correo.cl":2}' })).status, 400);
    const requests = await refused();
    assert.equal(requests.length, 5);
    const kept = JSON.stringify(requests);
    for (const secret of ['paula', 'ana@', '12.531.909', '1111 1111']) assert.ok(!kept.includes(secret), kept);
    assert.ok(kept.includes('(15 characters, not kept) is not a field of this message'), kept);
  });

  test('an unreadable body belongs to the merchant whose Service Token it contains', async () => {
    const { shop, server, refused } = await open();
    await using _server = server;
    const headers = { 'content-type': 'application/json' };
    await server.post('/trxs', {
      headers,
      body: `{"x_account_id": "${shop.development.service_token}", "x_amount": 1`,
    });
    await server.post('/trxs', { headers, body: '{' });
    assert.deepEqual((await refused()).map(({ name, code }) => `${name} ${code}`).toSorted(), [
      'Norte INVALID_JSON',
      'null INVALID_JSON',
    ]);
  });

  test('a refused list of payment methods is kept for the merchant, wherever a client sends the Service Token', async () => {
    const { shop, server, refused } = await open();
    await using _server = server;
    const { service_token: token } = shop.development;
    await server.get('/payments?x_currency=XXX', { authorization: token });
    await server.get(`/payments?x_currency=XXX&Authorization=${token}`);
    await server.get(`/v2/payments?x_currency=XXX&x_account_id=${token}`);
    const kept = (await refused()).map(({ name, code }) => `${name} ${code}`);
    assert.deepEqual(kept, Array(3).fill('Norte INVALID_CURRENCY'));
  });

  test('requests with development tokens are always kept, with production tokens only if the setting allows it', async () => {
    const production = { RUBRICA_ENV: 'production', PUBLIC_URL: 'https://pay.example.cl' };
    for (const [settings, kept] of [
      [production, ['development']],
      [{ ...production, REFUSED_REQUESTS: 'all' }, ['development', 'production']],
    ] as const) {
      const { shop, server, refused } = await open(settings);
      await using _server = server;
      for (const { service_token } of [shop.development, shop.production])
        await server.post('/trxs', { json: signedBody(service_token, 'wrong') });
      assert.deepEqual((await refused()).map(({ environment }) => String(environment)).toSorted(), kept);
    }
  });

  test('says to staff that the payment service is disabled, and counts no wrong key of a right signature', async () => {
    const { app, shop, server, refused } = await open();
    await using _server = server;
    const { service_token, secret_token } = shop.development;
    await disablePaymentService(app, shop.id, TESTER);
    for (let count = 0; count < 6; count++) {
      const answer = await server.post('/trxs', { json: signedBody(service_token, secret_token, {}) });
      assert.equal(jsonOf(answer)['code'], 'SIGNATURE_INVALID');
      assert.doesNotMatch(answer.text, /disabled/, 'a stranger does not learn it');
    }
    const [request] = await refused();
    assert.equal(
      request?.detail,
      `The payment service is disabled and refuses every request: \`bin/rubrica payment-service enable ${shop.id}\`.`,
    );
    await enablePaymentService(app, shop.id, TESTER);
    assert.deepEqual(await KEY_ATTENTION.list(app, 10), []);
    assert.deepEqual(await app.db.query('select environment_id from refused_keys'), []);
  });

  test('a text that PostgreSQL cannot store does not prevent other refusals from being kept', async () => {
    const { shop, server, refused } = await open();
    await using _server = server;
    const json = { x_account_id: shop.development.service_token };
    await server.post('/trxs', { json: signedBody(json.x_account_id, 'wrong') });
    assert.equal((await server.get('/v2/payments?x_account_id=a%00b')).status, 400);
    // The detail has the names, and is cut in the middle of a character.
    for (const length of [62, 63]) {
      assert.equal((await server.post('/trxs', { json: { ...json, [`${'n'.repeat(length)}😀`]: '1' } })).status, 400);
    }
    const codes = (await refused()).map(({ code }) => code).toSorted();
    assert.deepEqual(codes, ['HTTP_MALFORMED', 'SIGNATURE_INVALID', 'UNKNOWN_FIELD', 'UNKNOWN_FIELD']);
  });

  test('the kept texts contain no control characters for the terminal of a reader', async () => {
    const { app, server, refused } = await open();
    await using _server = server;
    const { headers } = await createTestUser(app, { payouts: true });
    const name = '\u001b]0;paid\u0007';
    const bodies = [JSON.stringify({ [name]: 1 }), '{"\\u001b[2J":1,"\\u001b[2J":2}'];
    for (const body of bodies) {
      const sent = { headers: { ...headers, 'content-type': 'application/json' }, body };
      assert.ok((await server.post('/validations/BankAccount', sent)).status >= 400);
    }
    await server.get('/transactions?amount=1.5&currency=%1b%5b2J', headers);
    const kept = await refused();
    assert.equal(kept.length, 3);
    for (const { detail, errors } of kept) {
      const texts = [detail, ...errors.flatMap(({ pointer, message, fix }) => [pointer, message, fix])];
      assert.doesNotMatch(texts.join(''), /\p{Cc}/u);
    }
  });

  test('an accepted request costs no extra statement, and a refused one is written after its answer', async () => {
    const { app, shop, server } = await open();
    await using _server = server;
    const { app: listened, all: heard } = listenToStatements(app);
    const listening = await startTestServer(listened);
    await using _listening = listening;
    const { service_token, secret_token } = shop.development;
    assert.equal((await listening.post('/trxs', { json: signedBody(service_token, secret_token) })).status, 200);
    await listening.post('/trxs', { json: signedBody(service_token, 'wrong') });
    await listening.post('/trxs', { json: { x_account_id: service_token } });
    assert.deepEqual(
      heard.filter(({ sql }) => sql.includes('refused_requests')),
      [],
    );
    await storeRefusedRequests(listened);
    assert.equal((await app.db.query('select request_id from refused_requests')).length, 2);

    heard.length = 0;
    const later = (await createPaymentService(app, 'Sur', TESTER)).development.service_token;
    for (const token of [later, service_token])
      await listening.post('/trxs', { json: signedBody(token, 'wrong', { x_reference: token }) });
    await storeRefusedRequests(listened);
    for (const changed of ['delete from refused_requests', 'insert into refused_keys']) {
      const [first, second, ...others] = heard.filter(({ sql }) => sql.startsWith(changed));
      assert.deepEqual(others, []);
      const inOrder = Number(first?.parameters[0]) < Number(second?.parameters[0]);
      assert.ok(inOrder, `${changed} in the order of environments, so that two processes do not deadlock`);
    }
  });

  test('a flood does not displace other codes: the first of an hour are kept, and the rest are counted', async () => {
    const { app, shop, server, refused } = await open();
    await using _server = server;
    const { service_token } = shop.development;
    await server.post('/trxs', { json: { x_account_id: service_token, x_extra: '1' } });
    await storeRefusedRequests(app);
    for (let group = 0; group < 3; group++) {
      for (let request = 0; request < 30; request++)
        await server.post('/trxs', { body: '{', headers: { 'content-type': 'application/json' } });
      await storeRefusedRequests(app);
    }
    const all = await refused();
    const flood = all.filter(({ code }) => code === 'INVALID_JSON');
    assert.equal(flood.length, KEPT_REFUSED.ofHour);
    assert.equal(
      flood.reduce((sum, { repeated }) => sum + repeated, 0),
      90 - KEPT_REFUSED.ofHour,
    );
    assert.equal(all.length - flood.length, 1);
  });

  test('refusals are removed after their time, and of each code only the newest are kept', async () => {
    const { app, shop, server, refused } = await open();
    await using _server = server;
    const refuse = () => server.post('/trxs', { json: { x_account_id: shop.development.service_token } });
    for (let hour = 0; hour < 5; hour++) {
      for (let request = 0; request < KEPT_REFUSED.ofHour; request++) await refuse();
      await storeRefusedRequests(app);
      app.now.advance(3_600_000);
    }
    assert.equal((await refused()).length, KEPT_REFUSED.ofCode);
    app.now.advance(KEPT_REFUSED.ms);
    await forgetRefusedRequests(app, 1_000);
    assert.equal((await refused()).length, 0);
  });

  test('a user reads only the refusals of their own payment services, page by page', async () => {
    const { app, shop, server } = await open();
    await using _server = server;
    const other = await createPaymentService(app, 'Sur', TESTER);
    for (const { service_token } of [shop.development, other.development, shop.development]) {
      app.now.advance(1_000);
      await server.post('/trxs', { json: signedBody(service_token, 'wrong') });
    }
    await storeRefusedRequests(app);
    const user = await createTestUser(app, { role: 'merchant', may: [], paymentServices: [shop.id] });
    const ask = async (query: string) => {
      const answer = jsonOf(await server.get(`/requests${query}`, user.headers));
      return answer['data'] as { requests: { payment_service: string; request_id: string }[]; next: string | null };
    };
    const first = await ask('?limit=1');
    const second = await ask(`?limit=1&after=${first.next ?? ''}`);
    assert.equal(second.next, null);
    const found = [...first.requests, ...second.requests];
    assert.deepEqual(
      found.map(({ payment_service }) => payment_service),
      [shop.id, shop.id],
    );
    const [theirs] = (await listRefusedRequests(app, { environmentIds: null, paymentServiceId: other.id }, 1)).requests;
    const id = theirs?.request_id ?? '';
    assert.deepEqual((await ask(`?request_id=${id}`)).requests, []);
    const cookie = user.console;
    assert.equal((await server.get(`/console/requests/${id}`, cookie)).status, 404);
    const page = await server.get(`/console/requests/${found[0]?.request_id ?? ''}`, cookie);
    assert.match(page.text, /SIGNATURE_INVALID/);
    assert.match(page.text, /(?:firma|secreto)/i, 'the Spanish page says in Spanish what was wrong');
    assert.doesNotMatch(page.text, /the signature|sign with/i);
    assert.equal((await server.get('/requests?after=x', user.headers)).status, 400);
  });

  test('a search for the request_id leads to the refusal, for users who may see it', async () => {
    const { app, shop, server } = await open();
    await using _server = server;
    const other = await createPaymentService(app, 'Sur', TESTER);
    const refusal = jsonOf(await server.post('/trxs', { json: signedBody(shop.development.service_token, 'wrong') }));
    const id = String(refusal['request_id']);
    await storeRefusedRequests(app);
    const ask = async (paymentServices: string[] | 'all', path: string) => {
      const person = await createTestUser(app, { role: 'merchant', may: [], paymentServices });
      return server.get(`/console${path}`, person.console);
    };
    for (const owner of [[shop.id], 'all'] as const) {
      const found = await ask(owner === 'all' ? owner : [...owner], `/payments?q=${id}`);
      assert.deepEqual([found.status, found.headers.get('location')], [303, `/console/requests/${id}`]);
    }
    const listed = await ask([shop.id], `/requests?request_id=${id}`);
    assert.ok(listed.text.includes(`/console/requests/${id}"`));
    const stranger = await ask([other.id], `/payments?q=${id}`);
    assert.deepEqual([stranger.status, stranger.text.includes(`/requests/${id}`)], [200, false]);
    assert.equal((await ask([other.id], `/requests/${id}`)).status, 404);
  });

  test('a refusal of a program belongs to the merchant of the transaction in the path, if the program sees it', async () => {
    const { app, shop, server, refused } = await open();
    await using _server = server;
    const { service_token, secret_token } = shop.development;
    const created = jsonOf(await server.post('/trxs', { json: signedBody(service_token, secret_token) }));
    const { idTrx } = created['data'] as { idTrx: number };
    const program = await createTestUser(app, { may: ['payments:read'], paymentServices: [shop.id] });
    const stranger = await createTestUser(app, { may: ['payments:read'], paymentServices: [] });
    for (const { headers } of [program, stranger])
      await server.post(`/trxs/${idTrx}/nullification`, { headers, json: {} });
    assert.deepEqual((await refused()).map(({ name, code }) => `${name} ${code}`).toSorted(), [
      'Norte PERMISSION_MISSING',
      'null PERMISSION_MISSING',
    ]);
  });
});
