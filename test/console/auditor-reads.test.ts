import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { mayAny, permissionsOf } from '../../src/auth/permission.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { handOverTokens } from '../../src/payment-services/hand-over-tokens.ts';
import { setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { FORM } from '../support/form-headers.ts';
import { createConsoleApp, fillConsole } from '../support/full-console.ts';
import { TESTER } from '../support/test-actor.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

/** The screens and lists of other roles that an auditor may read. */
const AUDITED = ROUTES.filter(({ needed }) => needed?.includes('audit:read') === true && needed[0] !== 'audit:read');

const READERS = ['auditor', 'finance'] as const;

test('the permission to audit opens no route that changes something or shows tokens', () => {
  assert.deepEqual(
    AUDITED.filter(({ method }) => method !== 'GET').map(({ paths }) => paths[0]),
    [],
  );
  assert.ok(AUDITED.length > 10);
  for (const path of ['/hand-over/:link', '/console/staff/:id/token', '/console/merchants/:id/rotate']) {
    const route = ROUTES.find(({ method, paths }) => method === 'GET' && paths[0] === path);
    assert.ok(route?.needed === undefined || !mayAny(permissionsOf('auditor', []), route.needed), path);
  }
});

forEachEngine('auditors and finance', (openTestDatabase) => {
  test('can read every audited screen, without its forms and without secrets', async () => {
    const app = createConsoleApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { environment, screens } = await fillConsole(app, server);
    const program = await createTestUser(app, { may: ['payments:read'] });
    const token = await makeApiToken(app, program.id, { name: 'caja', expiresAt: null }, TESTER);
    const merchant = environment.paymentServiceId;
    const target = { paymentServiceId: merchant, environment: 'development' } as const;
    const handover = await handOverTokens(app, target, 60_000, TESTER);
    assert.ok(token !== null && handover !== null);
    const method = { account: '597055555532', key: 'clave-secreta-1' };
    await setMethodSettings(app, { ...target, method: 'webpay' }, method, TESTER);
    await setFee(app, { ...target, method: 'webpay', currency: 'CLP' }, { rate_ppm: 29_500, fixed: 50 }, TESTER);
    const secrets = [method.key, token.api_token, handover.link, 'token=abre', 'clave=cierra'];
    await setEventsUrl(app, target, 'https://shop.example.cl/events?token=abre', TESTER);
    const url = 'https://shop.example.cl/refunds?clave=cierra';
    await setWebhook(app, { userId: program.id, webhook: 'refunds', url, method: 'POST' }, TESTER);
    for (const role of READERS) {
      const may = permissionsOf(role, []);
      // A person who may act on a screen sees its form.
      const readOnly = AUDITED.filter(({ needed }) => needed !== undefined && !may.has(needed[0]));
      const opened = screens.filter(({ route }) => readOnly.some(({ paths }) => paths[0] === route));
      assert.ok(opened.length >= 9, String(opened.length));
      const user = await createTestUser(app, { role, may: [] });
      const home = await server.get('/console/payments', user.console);
      for (const path of ['/callbacks', '/merchants', '/staff', '/health', '/audit'])
        assert.ok(home.text.includes(`href="/console${path}"`), `${role}: ${path}`);
      for (const path of [...opened.map((one) => one.path), `/console/staff/${program.id}`]) {
        const about = `${role} at ${path}`;
        const { status, text } = await server.get(path, user.console);
        assert.equal(status, 200, about);
        const main = text.slice(text.indexOf('<main'));
        assert.doesNotMatch(main, /method="post"/, about);
        for (const secret of secrets) assert.ok(!text.includes(secret), about);
      }
      const settings = await server.get(`/console/merchants/${merchant}`, user.console);
      for (const said of ['2,95 % + $50 CLP', method.account, 'Hasta 6000 solicitudes firmadas por minuto'])
        assert.ok(settings.text.includes(said), `${role} is not told ${said}`);
      const person = await server.get(`/console/staff/${program.id}`, user.console);
      assert.match(person.text, /https:\/\/shop\.example\.cl\/refunds</, role);
      const csv = await server.get('/console/callbacks?format=csv', user.console);
      assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
      assert.match(csv.text, /shop\.example\.cl\/callback/);
    }
  });

  test('an auditor sees no form but the one that verifies the books, and cannot take what waits for a person', async () => {
    const app = createConsoleApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { screens } = await fillConsole(app, server);
    const user = await createTestUser(app, { role: 'auditor', may: [] });
    const may = permissionsOf('auditor', []);
    const opened = screens.filter(({ route }) =>
      ROUTES.some(
        ({ method, paths, needed }) =>
          method === 'GET' && paths[0] === route && needed !== undefined && mayAny(may, needed),
      ),
    );
    for (const { path } of opened) {
      const { status, text } = await server.get(path, user.console);
      assert.equal(status, 200, path);
      const forms = [...text.slice(text.indexOf('<main')).matchAll(/method="post"[^>]* action="([^"]+)"/g)];
      // Filters that can name a person are posted, so that no address has them.
      assert.deepEqual(
        forms.map(([, action]) => action).filter((action) => action !== '/console/find'),
        path === '/console/verification' ? [path] : [],
        path,
      );
    }
    const [item] = await listAttention(app, null, 1);
    for (const act of ['take', 'give-up']) {
      const form = new URLSearchParams(Object.entries({ ...item }).map(([name, value]) => [name, String(value)]));
      const answer = await server.post(`/console/attention/${act}`, {
        headers: { ...FORM, ...user.console },
        body: String(form),
      });
      assert.equal(answer.status, 403, act);
    }
    assert.ok((await listAttention(app, null, 100)).every(({ taken_by }) => taken_by === null));
  });

  test('an auditor of some payment services sees only those', async () => {
    const app = createConsoleApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const [own, other] = [
      await createPaymentService(app, 'Propia', TESTER),
      await createPaymentService(app, 'Ajena', TESTER),
    ];
    const user = await createTestUser(app, { role: 'auditor', may: [], paymentServices: [own.id] });
    const list = await server.get('/console/merchants', user.console);
    assert.equal(list.status, 200);
    assert.match(list.text, /Propia/);
    assert.doesNotMatch(list.text, /Ajena/);
    assert.equal((await server.get(`/console/merchants/${own.id}`, user.console)).status, 200);
    for (const path of [`/merchants/${other.id}`, `/merchants/${other.id}/links`, '/callbacks', '/staff', '/health'])
      assert.equal((await server.get(`/console${path}`, user.console)).status, 404, path);
    const foreign = await createTestUser(app, { may: ['payments:read'], paymentServices: [other.id] });
    assert.equal((await server.get(`/api-tokens?user=${foreign.email}`, user.headers)).status, 404);
  });

  test('an auditor can read the lists of the API, and changes nothing there', async () => {
    const app = createConsoleApp(await openTestDatabase());
    await using server = await startTestServer(app);
    await createPaymentService(app, 'Propia', TESTER);
    const { headers } = await createTestUser(app, { role: 'auditor', may: [] });
    const program = await createTestUser(app, { may: ['payments:read'] });
    for (const path of ['/banks', '/balance', '/availableBalance', `/api-tokens?user=${program.email}`])
      assert.equal((await server.get(path, headers)).status, 200, path);
    const { text } = await server.get(`/api-tokens?user=${program.email}`, headers);
    assert.ok(!text.includes(program.api_token));
    const account = { rut: '12345678-5', bankData: { bankSBIFNumber: '001', bankAccount: '123456' } };
    const refused: [path: string, json: unknown, missing: string][] = [
      ['/validations/BankAccount', account, 'accounts:validate'],
      ['/api-tokens', { user: program.email, name: 'x' }, 'users:manage'],
      ['/payout-batches', { payouts: [] }, 'payouts:create'],
    ];
    for (const [path, json, missing] of refused) {
      const answer = await server.post(path, { headers, json });
      assert.deepEqual([answer.status, jsonOf(answer)['data']], [403, { permission: missing }], path);
    }
  });
});
