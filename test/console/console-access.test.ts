import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { mayAny, permissionsOf, ROLES, type Role } from '../../src/auth/permission.ts';
import { typedQuery } from '../../src/console/kept-typing.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM, formHeaders } from '../support/form-headers.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const SCREENS = ROUTES.filter(({ access }) => access === 'session');

type Headers = Record<string, string>;

const cookieOf = (user: TestUser): Headers => user.console;

forEachEngine('the console', (openTestDatabase, engine) => {
  // Permissions do not depend on the store, so two roles are enough on PostgreSQL.
  const roles = engine === 'sqlite' ? (Object.keys(ROLES) as Role[]) : (['owner', 'merchant'] as const);

  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createShop(app);
    const payment = await createPaidTransaction(app, shop, { reference: 'ORD-7', amount: 5000 });
    const server = await startTestServer(app);
    return { app, shop, payment, server };
  };

  test('shows no screen without a session, and leads to the sign-in and back', async () => {
    const { server, payment } = await open();
    await using _server = server;
    for (const screen of SCREENS) {
      const { method, paths } = screen;
      const path = paths[0].replace(':id', String(payment.id));
      for (const headers of [{}, { cookie: 'rubrica_console=wrong' }]) {
        const answer = await server.send(method, path, { headers: { ...formHeaders(screen), ...headers } });
        // A search continues after the sign-in, so the answer is the page and not a redirect.
        assert.equal(answer.status, path === '/console/find' ? 401 : 303, path);
        if (path === '/console/find') assert.match(answer.text, /action="\/console\/sign-in"/);
        else assert.match(answer.headers.get('location') ?? '', /^\/console\/sign-in/, path);
      }
    }
    const { headers } = await server.get('/console/payments?state=pending');
    assert.equal(headers.get('location'), '/console/sign-in?next=%2Fpayments%3Fstate%3Dpending');
  });

  test('shows each role the screens that the table allows, and names the missing permission on the others', async () => {
    const { app, server, payment } = await open();
    await using _server = server;
    for (const role of roles) {
      const user = await createTestUser(app, { role, may: [] });
      const may = permissionsOf(role, []);
      for (const screen of SCREENS) {
        const { method, paths, needed } = screen;
        const path = paths[0].replace(':id', String(payment.id));
        const answer = await server.send(method, path, {
          headers: { ...formHeaders(screen), ...cookieOf(user) },
          ...(method === 'POST' && { body: '' }),
        });
        const about = `${role} at ${method} ${path}`;
        if (needed === undefined || mayAny(may, needed)) assert.notEqual(answer.status, 403, about);
        else {
          assert.equal(answer.status, 403, about);
          assert.ok(answer.text.includes(needed[0]), about);
        }
        const isPage = answer.text.includes('<nav');
        if (isPage) assert.equal(/href="\/console\/audit"/.test(answer.text), may.has('audit:read'), about);
      }
    }
  });

  test('answers 404 for a payment of another payment service, and for every act on it', async () => {
    const { app, server, payment } = await open();
    await using _server = server;
    const service = await createPaymentService(app, 'Other', TESTER);
    const user = await createTestUser(app, { role: 'owner', may: [], paymentServices: [service.id] });
    const ask = (method: string, path: string) =>
      server.send(method, path, {
        headers: { ...FORM, ...cookieOf(user) },
        ...(method === 'POST' && { body: 'amount=1&reason=x&callback=1' }),
      });
    for (const path of ['', '/refund?amount=1&reason=x']) {
      assert.equal((await ask('GET', `/console/payments/${payment.id}${path}`)).status, 404);
    }
    for (const path of ['/refund', '/resend']) {
      assert.equal((await ask('POST', `/console/payments/${payment.id}${path}`)).status, 404);
    }
    for (const path of ['/console/payments', '/console/payments?format=csv', '/console/payments?q=ORD-7', '/console']) {
      assert.doesNotMatch((await ask('GET', path)).text, /buyer@|5\.000|>ORD-7/);
    }
    assert.equal((await app.db.query('select id from refunds')).length, 0);
    const whole = await ask('GET', '/console/months');
    assert.equal(whole.status, 404);
    assert.match(
      whole.text,
      /es de todos los comercios, y tú ves solo algunos\. [^<]*\(finanzas, /,
      'it names who can',
    );
  });

  test('a form that another site sends does nothing', async () => {
    const { app, server, payment } = await open();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: ['refunds:create'] });
    const type = FORM['content-type'] as string;
    const foreign: Headers[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const answer = await server.post(`/console/payments/${payment.id}/refund`, {
        headers: { 'content-type': type, ...cookieOf(owner), ...headers },
        body: 'amount=5000&reason=x&key=k',
      });
      assert.equal(answer.status, 403);
    }
    assert.equal((await app.db.query('select id from refunds')).length, 0);
  });

  test('previews a refund, records its reason and requester, and makes one refund of two clicks', async () => {
    const { app, server, payment } = await open();
    await using _server = server;
    const support = await createTestUser(app, { role: 'support', may: [], email: 'sonia@example.cl' });
    const at = `/console/payments/${payment.id}/refund`;
    const send = (body: string) => server.post(at, { headers: { ...FORM, ...cookieOf(support) }, body });
    const asked = (await send('amount=2000&reason=agotado')).headers.get('location') ?? '';
    assert.doesNotMatch(asked, /agotado/, 'the typed text, perhaps a card number, is not in the address');
    const shown = await server.get(asked, cookieOf(support));
    assert.equal(shown.status, 200);
    assert.match(shown.text, /¿Devolver \$2\.000 CLP\?/);
    assert.match(shown.text, /\$3\.000 CLP disponibles después/);
    const key = /name="key" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
    for (let click = 0; click < 2; click++) {
      const done = await send(`amount=2000&reason=agotado&key=${key}`);
      assert.equal(done.status, 303, done.text);
    }
    const refunds = await app.db.query('select amount, requested_by from refunds');
    assert.deepEqual(
      refunds.map((row) => ({ ...row })),
      [{ amount: 2000, requested_by: 'sonia@example.cl' }],
    );
    const { acts } = await listAudit(app, { action: 'refund.requested' }, 10);
    assert.deepEqual(
      acts.map(({ who, reason }) => [who.kind, who.name, reason]),
      [['person', 'sonia@example.cl', 'agotado']],
    );
    for (const wish of [
      'amount=5001&reason=x',
      'amount=1.000&reason=x',
      'amount=0&reason=x',
      'amount=1&reason=',
      'amount=1&reason=a@b',
      'amount=1&reason=4111111111111111',
    ]) {
      assert.equal((await send(wish)).status, 400, wish);
      assert.equal((await send(`${wish}&key=other`)).status, 400, wish);
    }
    assert.equal((await app.db.query('select id from refunds')).length, 1);
  });

  test('keeps the typed amount and reason of a refused refund', async () => {
    const { app, server, payment } = await open();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const at = `/console/payments/${payment.id}`;
    const typed = typedQuery({ app, user: owner }, { amount: '99.999', reason: 'llegó roto' });
    const refused = await server.get(`${at}/refund?${typed}`, cookieOf(owner));
    assert.equal(refused.status, 400);
    assert.match(refused.text, /name="amount"[^>]* value="99\.999"/);
    assert.match(refused.text, /name="reason"[^>]* value="llegó roto"/);
    const headers = { ...cookieOf(owner), ...FORM };
    for (const form of ['refund', 'requests']) {
      const posted = await server.post(`${at}/${form}`, { headers, body: 'amount=99.999&reason=lleg%C3%B3+roto' });
      assert.equal(posted.status, 400);
      assert.match(
        posted.text,
        /value="99\.999"[\s\S]*value="llegó roto"/,
        'the form keeps its values after the page that asks for confirmation',
      );
    }
    const done = await server.get(`${at}?done=refund&amount=%241.000+CLP`, cookieOf(owner));
    assert.match(done.text, /name="amount"[^>]* value="\d+"/);
  });

  test('opens the only payment that a search finds, and exports lists as they are shown', async () => {
    const { app, server, payment, shop } = await open();
    await using _server = server;
    await createPaidTransaction(app, shop, { reference: '=1+1', amount: 700 });
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const found = await server.get('/console/payments?q=ORD-7', cookieOf(owner));
    assert.deepEqual([found.status, found.headers.get('location')], [303, `/console/payments/${payment.id}`]);
    assert.match((await server.get('/console/payments?q=buyer@example.cl', cookieOf(owner))).text, />ORD-7</);
    const none = await server.get('/console/payments?q=700+pasado', { ...cookieOf(owner), 'accept-language': 'es' });
    assert.match(
      none.text,
      /monto y día \(12\.990 24\/11, 12\.990 ayer, 12\.990 viernes\)[\s\S]*<a href="\/console\/payments">Con el monto y el día, o el comercio, filtra/,
      'the way for what callers know',
    );
    // A part of a reference may match another payment than the intended one, so the answer is a list with a note.
    const part = await server.get('/console/payments?q=rd-7', { ...cookieOf(owner), 'accept-language': 'es' });
    assert.equal(part.status, 200);
    assert.match(part.text, />ORD-7<[\s\S]*parte de la orden/);
    const filtered = (await server.get('/console/payments?order=rd-7', cookieOf(owner))).text;
    assert.match(filtered, />ORD-7</);
    assert.doesNotMatch(filtered, />=1\+1</);
    const csv = await server.get('/console/payments?amount=700&format=csv', cookieOf(owner));
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(
      csv.text,
      /^\ufeff?Transacción,Orden,.*\r\n\d+,'=1\+1,700,CLP,Pagado,0,2026-01-15 09:00:00 -03:00,buyer@example\.cl,/,
    );
    assert.doesNotMatch(csv.text, /ORD-7/);
    for (const [said, since] of [
      ['$700 15-01-2026', '2026-01-15'],
      ['5.000 14/1', '2026-01-14'],
      ['700 16/01', '2025-01-16'],
      ['14/1 5.000', '2026-01-14'],
      ['700 15/01/26', '2026-01-15'],
      ['$700 hoy', '2026-01-15'],
      ['700 15 de enero', '2026-01-15'],
      ['28 de octubre  $700', '2025-10-28'],
      ['$700 28 Octubre de 2024', '2024-10-28'],
      ['1 de septiembre del 2025', '2025-09-01'],
      ['14 de enero', '2026-01-14'],
      ['today 700', '2026-01-15'],
      ['Ayer 5.000', '2026-01-14'],
      ['5.000 CLP yesterday', '2026-01-14'],
      ['700 anteayer', '2026-01-13'],
      ['5.000 pesos ayer', '2026-01-14'],
      ['700 14 ene', '2026-01-14'],
      ['$700 28 oct. 2024', '2024-10-28'],
      // 2026-01-15 is a Thursday.
      ['$700 el viernes', '2026-01-09'],
      ['miércoles 700', '2026-01-14'],
      ['700 jueves', '2026-01-08'],
      ['5.000 on Sunday', '2026-01-11'],
      ['sabado', '2026-01-10'],
    ] as const) {
      const day = await server.get(`/console/payments?q=${encodeURIComponent(said)}`, cookieOf(owner));
      const { searchParams } = new URL(day.headers.get('location') ?? '', server.origin);
      assert.deepEqual([day.status, searchParams.get('since'), searchParams.get('until')], [303, since, since], said);
    }
    for (const wrong of ['amount=mucho', 'card=Visa', 'amount=5.000+USD']) {
      const { text } = await server.get(`/console/payments?${wrong}`, cookieOf(owner));
      assert.doesNotMatch(text, />ORD-7</, `${wrong} lists no payment`);
    }
    assert.match((await server.get('/console/payments?amount=5.000+CLP', cookieOf(owner))).text, />ORD-7</);
    const support = await createTestUser(app, { role: 'support', may: [] });
    const rut = await server.get('/console/payments?q=12.531.909-2', { ...cookieOf(support), 'accept-language': 'es' });
    assert.match(rut.text, /Un pago no guarda el RUT de quien paga\./);
  });

  test('resends a callback of the payment, and no other', async () => {
    const { app, server, payment } = await open();
    await using _server = server;
    const support = await createTestUser(app, { role: 'support', may: [], email: 'sonia@example.cl' });
    const page = await server.get(`/console/payments/${payment.id}`, cookieOf(support));
    const id = /name="callback" value="(\d+)"/.exec(page.text)?.[1] ?? '';
    const resend = (body: string): Promise<Answer> =>
      server.post(`/console/payments/${payment.id}/resend`, { headers: { ...FORM, ...cookieOf(support) }, body });
    assert.equal((await resend('callback=999')).status, 404);
    assert.match((await resend(`callback=${id}`)).headers.get('location') ?? '', /\?done=resent$/);
    const { acts } = await listAudit(app, { action: 'callback.resent' }, 10);
    assert.deepEqual(
      acts.map(({ who }) => who.name),
      ['sonia@example.cl'],
    );
  });

  test('signing in sets a cookie that scripts cannot read, and signing out ends the session itself', async () => {
    const { app, server } = await open();
    await using _server = server;
    const { email, password } = await createTestUser(app, { role: 'owner', may: [] });
    const signIn = (fields: Record<string, string>) =>
      server.post('/console/sign-in', { headers: FORM, body: String(new URLSearchParams(fields)) });
    const wrong = await signIn({ email, password: 'wrong-word' });
    assert.equal(wrong.status, 401);
    assertMarked(wrong.text, 'password');
    assert.ok(wrong.text.includes(`value="${email}"`) && !wrong.text.includes('wrong-word'));
    const elsewhere = ['/../../x', '/payments/%2e%2E/.%2e/../x', '/..?x', '/../consolex'];
    for (const next of ['https://evil.example', '//evil.example', '/\\evil.example', ...elsewhere]) {
      assert.equal((await signIn({ email, password, next })).headers.get('location'), '/console');
    }
    const signedIn = await signIn({ email, password, next: '/payments?state=pending&order=/../..' });
    assert.equal(signedIn.headers.get('location'), '/console/payments?state=pending&order=/../..');
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^rubrica_console=[\w.-]+; Path=\/console; HttpOnly; SameSite=Lax$/);
    const own = { cookie: cookie.split(';')[0] as string };
    assert.equal((await server.get('/console', own)).status, 200);
    await signOut(server, own);
    app.now.advance(2000);
    assert.equal((await server.get('/console', own)).status, 303);
    const { acts } = await listAudit(app, { action: 'user.session_ended' }, 10);
    assert.deepEqual(
      acts.map(({ who }) => who.name),
      [email],
    );
  });
});

async function signOut(server: TestServer, headers: Headers): Promise<void> {
  const answer = await server.post('/console/sign-out', { headers: { ...FORM, ...headers }, body: '' });
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/console/sign-in']);
  assert.match(answer.headers.get('set-cookie') ?? '', /^rubrica_console=; .*Max-Age=0$/);
}

async function createShop(app: TestApp): Promise<ServiceEnvironment> {
  const service = await createPaymentService(app, 'Tienda', TESTER);
  return (await loadEnvironment(app, service.development.service_token)) as ServiceEnvironment;
}
