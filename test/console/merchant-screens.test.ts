import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { ROLES, type Role } from '../../src/auth/permission.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { linkUrl, listPaymentLinks } from '../../src/payment-links/find-payment-link.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { disablePaymentService, enablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import { handOverTokens, listHandovers } from '../../src/payment-services/hand-over-tokens.ts';
import { listPaymentServices } from '../../src/payment-services/list-payment-services.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { atConsole, ConsolePerson, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM, formHeaders } from '../support/form-headers.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const SCREENS = ROUTES.filter(({ access }) => access === 'session');
const HOUR_MS = 3_600_000;

const cookieOf = (user: TestUser) => user.console;

forEachEngine('the merchant screens', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const own = await createPaymentService(app, 'Zapateria Norte', TESTER);
    const other = await createPaymentService(app, 'Ferreteria Sur', TESTER);
    const server = await startTestServer(app);
    const as = (user: TestUser) => atConsole(server, cookieOf(user));
    return { app, own, other, server, as };
  };

  test('show and change nothing of a merchant for people of another, in any role', async () => {
    const { app, own, other, server } = await open();
    await using _server = server;
    const shop = (await loadEnvironment(app, own.development.service_token)) as ServiceEnvironment;
    const payment = await createPaidTransaction(app, shop, { reference: 'NORTE-7', amount: 5000 });
    const [service] = await listPaymentServices(app);
    const secret = service?.tokens.find(({ environment }) => environment === 'development')?.secret_id ?? '';
    const fields = {
      environment: 'development',
      overlap: '0',
      secret,
      valid: '1d',
      state: 'disabled',
      per_minute: '1',
      method: 'simulated',
      rate: '1000000',
      fixed: '0',
      currency: 'CLP',
      url: 'https://other.example/x',
      endpoint: 'https://shop.example/callback',
      name: 'x',
      amount: '1',
      reason: 'x',
      callback: '1',
    };
    const before = await rowsOf(app.db);
    const visitAll = async (role: Role, user: TestUser) => {
      for (const screen of SCREENS) {
        const { method, paths, whole } = screen;
        const ids = /merchants|accounts/.test(paths[0]) ? [own.id] : [String(payment.id)];
        for (const id of ids) {
          const path = paths[0].replace(':id', id);
          const answer = await server.send(method, `${path}${method === 'GET' ? '?environment=development' : ''}`, {
            headers: { ...formHeaders(screen), ...cookieOf(user) },
            ...(method === 'POST' && { body: String(new URLSearchParams(fields)) }),
          });
          const about = `${role} at ${method} ${path}: ${answer.status}`;
          assert.doesNotMatch(answer.text, /Zapateria|NORTE-7|buyer@/, about);
          assert.ok(!answer.text.includes(own.development.service_token), about);
          if (whole === true || path.includes(id)) assert.ok([403, 404].includes(answer.status), about);
        }
      }
    };
    const users: [Role, TestUser][] = [];
    for (const role of Object.keys(ROLES) as Role[])
      users.push([role, await createTestUser(app, { role, may: [], paymentServices: [other.id] })]);
    // All roles at once: on a busy machine the test would wait for each of a thousand answers alone.
    await Promise.all(users.map(([role, user]) => visitAll(role, user)));
    assert.deepEqual(await rowsOf(app.db), before);
  });

  test('let a person of a merchant read and rotate its tokens, and hide the acts of the operator', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const ana = as(
      await createTestUser(app, { role: 'merchant', may: [], email: 'ana@norte.example', paymentServices: [own.id] }),
    );
    const page = await ana.get(`/merchants/${own.id}`);
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(own.production.service_token));
    assert.ok(!page.text.includes(own.production.secret_token));
    assert.doesNotMatch(page.text, /\/fee"|\/method"|\/limit"|\/state"|\/console\/audit|\/console\/callbacks"/);
    assert.equal((await ana.post(`/merchants/${own.id}/fee`, {})).status, 403);

    const asked = await ana.get(`/merchants/${own.id}/rotate?environment=production`);
    const secret = /name="secret" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const wish = { environment: 'production', overlap: '24h', secret };
    app.now.advance(1);
    const rotated = await ana.post(`/merchants/${own.id}/rotate`, wish);
    const shown = /<pre>([0-9a-f]{64})<\/pre>/.exec(rotated.text)?.[1] ?? '';
    assert.equal(rotated.status, 200);
    assert.match(asked.text, /(Last use of the present one: never|Último uso del de ahora: nunca)\./);
    assert.match(rotated.text, /(Keep it now|Guárdalo ahora): /, 'one token is shown');
    const environment = await loadEnvironment(app, own.production.service_token);
    assert.deepEqual(
      environment?.secrets.map(({ text }) => text),
      [shown, own.production.secret_token],
    );
    const again = await ana.post(`/merchants/${own.id}/rotate`, wish);
    assert.equal(again.status, 409, 'a form that is sent twice rotates the token once');
    const { acts } = await listAudit(app, { action: 'payment_service.rotated' }, 10);
    assert.deepEqual(
      acts.map(({ who }) => who.name),
      ['ana@norte.example'],
    );
  });

  test('let people of a merchant resend callbacks of its endpoint, not of another with the same address', async () => {
    const { app, own, other, server, as } = await open();
    await using _server = server;
    const ids: number[] = [];
    const endpoints: string[] = [];
    for (const { development } of [own, other]) {
      const shop = (await loadEnvironment(app, development.service_token)) as ServiceEnvironment;
      await createPaidTransaction(app, shop, {});
      ids.push(shop.id);
      const rows = await app.db.query('select id from endpoints where environment_id = $1', [shop.id]);
      endpoints.push(String(rows[0]?.['id']));
    }
    await app.db.transaction((tx) => tx.query("update callbacks set state = 'dead', attempts = 1, finished_at = 1"));
    await app.db.transaction((tx) => tx.query('update endpoints set failing_since = 1'));
    const ana = as(await createTestUser(app, { role: 'merchant', may: [], paymentServices: [own.id] }));
    const resend = async (merchant: { id: string }, environment: string, endpoint = '') =>
      (await ana.post(`/merchants/${merchant.id}/resend`, { environment, endpoint })).status;
    const queued = async () =>
      (await app.db.query("select environment_id from callbacks where state = 'queued'")).map(
        (row) => row['environment_id'],
      );
    assert.equal(await resend(own, 'production', endpoints[0]), 404);
    assert.equal(await resend(own, 'development', endpoints[1]), 404);
    assert.equal(await resend(other, 'development', endpoints[1]), 404);
    assert.deepEqual(await queued(), []);
    assert.match((await ana.get(`/merchants/${own.id}`)).text, new RegExp(`<option value="${endpoints[0]}">`));
    assert.equal(await resend(own, 'development', endpoints[0]), 303);
    assert.deepEqual(await queued(), [ids[0]]);
    const { acts } = await listAudit(app, { action: 'callback.resent' }, 10);
    assert.equal(acts.length, 1);
  });

  test('show a developer only the tokens of development, and refuse changes of production', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const dev = as(await createTestUser(app, { role: 'developer', may: [] }));
    const page = await dev.get(`/merchants/${own.id}`);
    assert.ok(page.text.includes(own.development.service_token));
    assert.ok(!page.text.includes(own.production.service_token));
    const wish = { environment: 'production', overlap: '0', secret: '', valid: '1d' };
    for (const form of ['rotate', 'hand-over', 'events-url'])
      assert.equal((await dev.post(`/merchants/${own.id}/${form}`, wish)).status, 404, form);
  });

  test('only a person who sees production sets the limit and the state of a merchant, which apply there too', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const dev = as(
      await createTestUser(app, { role: 'developer', may: ['payment-services:manage'], paymentServices: [own.id] }),
    );
    const page = (await dev.get(`/merchants/${own.id}`)).text;
    assert.ok(!page.includes('name="per_minute"') && !page.includes('name="state"'));
    for (const [form, fields] of [
      ['limit', { per_minute: '1' }],
      ['state', { state: 'disabled' }],
    ] as const)
      assert.equal((await dev.post(`/merchants/${own.id}/${form}`, fields)).status, 404, form);
    const [merchant] = await listPaymentServices(app);
    assert.deepEqual([merchant?.per_minute, merchant?.disabled_at], [null, null]);
    const olga = as(await createTestUser(app, { role: 'operator', may: [], paymentServices: [own.id] }));
    assert.match((await olga.get(`/merchants/${own.id}`)).text, /name="per_minute"[^]*name="state"/);
    assert.equal((await olga.post(`/merchants/${own.id}/limit`, { per_minute: '9' })).status, 303);
    assert.equal((await olga.post(`/merchants/${own.id}/state`, { state: 'disabled' })).status, 303);
  });

  test('a link shows the tokens once, and its opening is in the audit log', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [], email: 'olga@example.cl' }));
    const made = await operator.post(`/merchants/${own.id}/hand-over`, { environment: 'development', valid: '1d' });
    const path = /<pre>https?:\/\/[^/]+(\/hand-over\/[\w-]+)<\/pre>/.exec(made.text)?.[1] ?? '';
    assert.notEqual(path, '');
    for (let look = 0; look < 2; look++) {
      const asked = await server.get(path);
      assert.equal(asked.status, 200, 'opening the link does not use it up');
      assert.doesNotMatch(asked.text, /Zapateria/);
    }
    const asOf010 = await server.get(path.replace('/hand-over/', '/tokens/'));
    assert.ok(asOf010.text.includes(`action="${path}"`), 'a link that 0.1.0 made leads to the same form');
    const opened = await server.post(path, { headers: FORM, body: '' });
    assert.ok(opened.text.includes(own.development.secret_token));
    assert.ok(opened.text.includes(own.development.service_token));
    assert.ok(!opened.text.includes(own.production.secret_token));
    assert.equal(opened.headers.get('cache-control'), 'no-store');
    for (const again of [await server.get(path), await server.post(path, { headers: FORM, body: '' })]) {
      assert.equal(again.status, 404);
      assert.ok(!again.text.includes(own.development.secret_token));
    }
    const { acts } = await listAudit(app, { action: 'tokens' }, 10);
    assert.deepEqual(
      acts.map(({ action, who, subject }) => [action, who.kind, subject.id]),
      [
        ['tokens.link_opened', 'stranger', own.id],
        ['tokens.handed_over', 'person', own.id],
      ],
    );
    assert.match(
      (await operator.get(`/merchants/${own.id}`)).text,
      /abierto el 2026-01-15 09:00 -03:00 desde 127\.0\.0\.1/,
    );
  });

  test('two clicks make one link to the tokens, and another wish or a link that was opened makes another', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [] }));
    const { text } = await operator.get(`/merchants/${own.id}`);
    const ids = [...text.matchAll(/name="id" value="(th_[0-9a-z]{20})"/g)].map(([, id = '']) => id);
    assert.equal(new Set(ids).size, 2, 'the form of each environment has an id');
    const [id = ''] = ids;
    const make = async (fields: Record<string, string> = {}, by = operator) => {
      const made = await by.post(`/merchants/${own.id}/hand-over`, {
        id,
        environment: 'production',
        valid: '1d',
        ...fields,
      });
      return /(\/hand-over\/[\w-]+)<\/pre>/.exec(made.text)?.[1] ?? '';
    };
    const [link, again] = await Promise.all([make(), make()]);
    assert.match(link, new RegExp(`^/hand-over/${id}-`));
    assert.equal(again, link);
    assert.equal(await make(), link);
    assert.equal((await listAudit(app, { action: 'tokens.handed_over' }, 10)).acts.length, 1);
    const other = as(await createTestUser(app, { role: 'operator', may: [] }));
    const others = [await make({ valid: '3d' }), await make({ environment: 'development' }), await make({}, other)];
    assert.match((await server.post(link, { headers: FORM, body: '' })).text, /<pre>/);
    others.push(await make());
    assert.equal(new Set([...others, link]).size, 5);
    for (const one of others) assert.equal((await server.get(one)).status, 200);
  });

  test('a link shows nothing after it expires or is ended, or after the Secret Token is rotated', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [] }));
    const make = async () => {
      const { text } = await operator.post(`/merchants/${own.id}/hand-over`, {
        environment: 'production',
        valid: '1d',
      });
      return /(\/hand-over\/[\w-]+)<\/pre>/.exec(text)?.[1] ?? '';
    };
    const isGone = async (path: string) => (await server.post(path, { headers: FORM, body: '' })).status === 404;
    const ended = await make();
    const id = /th_[0-9a-z]+/.exec(ended)?.[0] ?? '';
    await operator.post(`/merchants/${own.id}/end-link`, { link: id });
    assert.ok(await isGone(ended), 'an ended link is gone');
    const rotated = await make();
    await rotateSecretToken(app, own.id, 'production', HOUR_MS, TESTER);
    assert.ok(await isGone(rotated), 'a link from before a rotation is gone');
    const late = await make();
    app.now.advance(20 * HOUR_MS);
    assert.equal((await server.get(late)).status, 200);
    app.now.advance(4 * HOUR_MS);
    assert.ok(await isGone(late), 'an expired link is gone');
    for (const wrong of ['/hand-over/x', `/hand-over/${id}-${'A'.repeat(43)}`]) assert.ok(await isGone(wrong), wrong);
  });

  test('a link that waits is listed and can be ended also after many newer ones', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [] }));
    const target = { paymentServiceId: own.id, environment: 'production' } as const;
    const make = async (validMs: number) => {
      const made = await handOverTokens(app, target, validMs, TESTER);
      app.now.advance(1);
      return made?.id ?? '';
    };
    const oldest = await make(HOUR_MS);
    const second = await make(60_000);
    for (let newer = 0; newer < 20; newer++) await make(60_000);
    app.now.advance(120_000);
    const { text } = await operator.get(`/merchants/${own.id}`);
    assert.match(text, new RegExp(`name="link" value="${oldest}">`));
    assert.ok(!text.includes(second), 'a link that has expired leaves the list');
    assert.match(text, new RegExp(`<code>bin/rubrica payment-service links ${own.id}</code>`));
    await operator.post(`/merchants/${own.id}/end-link`, { link: oldest });
    assert.ok(!(await operator.get(`/merchants/${own.id}`)).text.includes(oldest));
  });

  test('handle an unknown validity, such as __proto__, without a server error', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    for (const valid of ['__proto__', 'constructor', '2d']) {
      const wish = {
        environment: 'development',
        valid,
        amount: '1000',
        currency: 'CLP',
        subject: 'Cuota',
        uses: 'one',
      };
      for (const [form, status] of Object.entries({ 'hand-over': 200, links: 400 }))
        assert.equal((await owner.post(`/merchants/${own.id}/${form}`, wish)).status, status, `${form} ${valid}`);
      const page = (await owner.get(`/merchants/${own.id}/rotate?environment=development`)).text;
      const secret = /name="secret" value="([^"]+)"/.exec(page)?.[1] ?? '';
      const rotation = { environment: 'development', overlap: valid, secret };
      assert.equal((await owner.post(`/merchants/${own.id}/rotate`, rotation)).status, 404, `rotate ${valid}`);
    }
    const [service] = await listPaymentServices(app);
    const ids = service?.tokens.map(({ environment_id }) => environment_id) ?? [];
    assert.deepEqual(await listPaymentLinks(app, ids, { limit: 10 }), []);
  });

  test('end a payment link of a disabled merchant, and it stays ended when the merchant is enabled', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    const wish = {
      environment: 'development',
      valid: '7d',
      amount: '1000',
      currency: 'CLP',
      subject: 'Cuota',
      uses: 'one',
    };
    assert.equal((await owner.post(`/merchants/${own.id}/links`, wish)).status, 303);
    await disablePaymentService(app, own.id, TESTER);
    const end = async () =>
      /<button name="link" value="(pl_\w+)"/.exec((await owner.get(`/merchants/${own.id}/links`)).text)?.[1];
    const link = (await end()) ?? '';
    assert.equal((await owner.post(`/merchants/${own.id}/links/end`, { link })).status, 303);
    assert.equal(await end(), undefined, 'the page has no button for an ended link');
    await enablePaymentService(app, own.id, TESTER);
    const [listed] = await listPaymentLinks(app, null, { limit: 1 });
    assert.deepEqual([listed?.id, listed?.state], [link, 'ended']);
  });

  test('a payment link leads to its payments, and the search to the link while it has none', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const environment = (await loadEnvironment(app, own.development.service_token)) as ServiceEnvironment;
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    const wish = {
      amount: 1000,
      currency: 'CLP',
      subject: 'Cuota',
      uses: 'many',
      expiresAt: null,
      urlCallback: null,
    } as const;
    const { link } = await createPaymentLink(app, environment.id, wish, TESTER);
    const list = `/console/merchants/${own.id}/links`;
    const search = () => owner.get(`/payments?q=${encodeURIComponent(linkUrl(app, link))}`);
    assert.equal((await search()).headers.get('location'), `${list}?text=${link.id}`);
    const program = as(await createTestUser(app, { may: ['payments:read'] }));
    assert.equal((await program.get(`/payments?q=${link.id}`)).status, 200, 'the person may not see links');
    assert.ok(!(await owner.get(list.slice(8))).text.includes('/console/payments?q='));
    await createPaidTransaction(app, environment, { reference: `${link.id}-1`, amount: 1000 });
    await createPaidTransaction(app, environment, { reference: `${link.id}-2`, amount: 1000 });
    assert.ok((await owner.get(list.slice(8))).text.includes(`<a href="/console/payments?q=${link.id}">2</a>`));
    const { status, text } = await owner.get(`/payments?q=${link.id}`);
    assert.equal(status, 200);
    assert.ok(text.includes(`${link.id}-1`) && text.includes(`${link.id}-2`));
  });

  test('a developer sees the link of development, also if twenty links of production are newer', async () => {
    const { app, own, server, as } = await open();
    await using _server = server;
    const link = (environment: 'development' | 'production') =>
      handOverTokens(app, { paymentServiceId: own.id, environment }, HOUR_MS, TESTER);
    const made = await link('development');
    app.now.advance(1);
    for (let n = 0; n < 20; n++) await link('production');
    const developer = as(await createTestUser(app, { role: 'developer', may: [], paymentServices: [own.id] }));
    const { text } = await developer.get(`/merchants/${own.id}`);
    assert.ok(text.includes(`name="link" value="${made?.id}"`));
    assert.ok((await listHandovers(app, own.id, 20)).every(({ environment }) => environment === 'production'));
  });

  test('a link whose row was altered in the store opens no tokens', async () => {
    const { app, own, other, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [] }));
    const { text } = await operator.post(`/merchants/${own.id}/hand-over`, { environment: 'production', valid: '1d' });
    const path = /(\/hand-over\/[\w-]+)<\/pre>/.exec(text)?.[1] ?? '';
    const environment = (await loadEnvironment(app, other.production.service_token)) as ServiceEnvironment;
    await app.db.transaction((tx) =>
      tx.query('update token_handovers set environment_id = $1, secret_id = $2', [
        environment.id,
        environment.secrets[0]?.id ?? '',
      ]),
    );
    const answer = await server.post(path, { headers: FORM, body: '' });
    assert.equal(answer.status, 404);
    assert.ok(!answer.text.includes(other.production.secret_token));
  });

  test('tell merchants with the same name apart by their ids wherever one is chosen', async () => {
    const { app, server, as } = await open();
    await using _server = server;
    const make = async (name: string) => (await createPaymentService(app, name, TESTER)).id;
    const [one, other] = [await make('Norte'), await make('Norte')];
    await make('Sur');
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    for (const path of [
      '/payments',
      '/payouts',
      '/payouts/upload',
      '/payout-files/new',
      '/recipients',
      '/settlements',
      '/statements/new',
    ]) {
      const { text } = await owner.get(path);
      for (const id of [one, other])
        assert.match(text, new RegExp(`<option[^>]*>(?:\\p{L}+ · )?Norte · ${id}`, 'u'), path);
      assert.match(text, /<option[^>]*>(?:\p{L}+ · )?Sur</u, path);
    }
  });

  test('create one merchant for two clicks, and another for another name', async () => {
    const { app, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [] }));
    const id = valueOf((await operator.get('/merchants')).text, 'id');
    const create = async (name: string) => (await operator.post('/merchants', { id, name })).headers.get('location');
    const clicks = [create('Norte'), create('Norte')];
    assert.deepEqual(await Promise.all(clicks), Array(2).fill(`/console/merchants/${id}?done=created`));
    assert.equal(await create('Norte'), `/console/merchants/${id}?done=created`);
    assert.notEqual(await create('Sur'), `/console/merchants/${id}?done=created`);
    const names = (await app.db.query('select name from payment_services')).map(({ name }) => String(name));
    assert.deepEqual(names.filter((name) => name === 'Norte' || name === 'Sur').sort(), ['Norte', 'Sur']);
    const wrong = await operator.post('/merchants', { name: 'Nor\u202Ete' });
    assert.match(wrong.text, /name="name" required maxlength="100" value="Nor\u202Ete"/u);
  });

  test('let an operator create a merchant and set its fee, method, limit and state, and refuse invalid values', async () => {
    const { app, server, as } = await open();
    await using _server = server;
    const operator = as(await createTestUser(app, { role: 'operator', may: [], email: 'olga@example.cl' }));
    const nameless = await operator.post('/merchants', { name: ' ' });
    assert.equal(nameless.status, 400);
    assertMarked(nameless.text, 'name');
    const created = await operator.post('/merchants', { name: 'Almacén Ñuñoa' });
    const path = /\/merchants\/ps_\w+/.exec(created.headers.get('location') ?? '')?.[0] ?? '';
    const send = async (form: string, fields: Record<string, string>) =>
      (await operator.post(`${path}/${form}`, { environment: 'production', ...fields })).status;
    const refuse = async (form: string, fields: Record<string, string>, ...marked: string[]) => {
      const { status, text } = await operator.post(`${path}/${form}`, { environment: 'production', ...fields });
      assert.equal(status, 400, JSON.stringify(fields));
      assertMarked(text, ...marked);
      for (const [name, typed] of Object.entries(fields)) {
        const [shown = 'none'] =
          new RegExp(`<(?:input|select) [^>]*name="${name}"[^>]* value="${typed}"`).exec(text) ?? [];
        const isKept = shown !== 'none' || text.includes(`<option value="${typed}" selected>`);
        assert.equal(isKept, name !== 'key', `${name} is kept, a key is not`);
      }
    };
    const fee = { method: 'simulated', rate: '29500', fixed: '50', currency: 'CLP' };
    assert.equal(await send('fee', fee), 303);
    for (const wrong of [{ rate: '1000001' }, { rate: '2.95' }, { fixed: '1.000' }, { currency: 'XXY' }])
      await refuse('fee', { ...fee, ...wrong }, ...Object.keys(wrong));
    const account = { method: 'webpay', account: '597012345678', key: 'k'.repeat(32) };
    assert.equal(await send('method', account), 303);
    await refuse('method', { ...account, account: '597055555532' }, 'account');
    await refuse('method', { ...account, key: 'short' }, 'key');
    const settings = (await operator.get(path)).text;
    for (const said of ['<option value="simulated">Simulador</option>', '>Simulador</td>', '>Webpay Plus</td>'])
      assert.ok(settings.includes(said), said);
    for (const [act, button] of [
      ['Deshabilitar', 'value="disabled"'],
      ['Dejar de ofrecer', 'name="remove"'],
    ])
      assert.match(
        settings,
        new RegExp(`<summary>${act}…</summary><p>[^<]+</p>[^]*?<button[^>]*${button}`),
        'it asks first',
      );
    assert.equal(await send('limit', { per_minute: '120' }), 303);
    await refuse('limit', { per_minute: '0' }, 'per_minute');
    await refuse('events-url', { url: 'http://127.0.0.1/x' }, 'url');
    assert.equal(await send('state', { state: 'disabled' }), 303);
    const { text } = await operator.get(path);
    assert.match(text, /2,95 % \+ \$50/);
    assert.match(text, /597012345678/);
    assert.doesNotMatch(text, /k{32}/);
    assert.match(text, /value="120"/);
    assert.match(text, /Deshabilitado/);
    const { acts } = await listAudit(app, { who: 'olga@example.cl' }, 20);
    assert.deepEqual(
      acts.map(({ action }) => action),
      [
        'payment_service.disabled',
        'payment_service.limit_set',
        'payment_method.set',
        'fee.set',
        'payment_service.created',
      ],
    );
  });

  test('ask for a fresh proof before an act on money or tokens, and change nothing without it', async () => {
    const { app, own, server } = await open();
    await using _server = server;
    const user = await createTestUser(app, { role: 'operator', may: [], email: 'olga@example.cl' });
    const person = new ConsolePerson(server);
    await person.signIn(user);
    const at = `/console/merchants/${own.id}`;
    const secret = /name="secret" value="([^"]+)"/.exec(
      (await person.get(`${at}/rotate?environment=production`)).text,
    )?.[1];
    const environment = 'production';
    const forms: Record<string, Record<string, string>> = {
      fee: { method: 'simulated', rate: '29500', fixed: '50', currency: 'CLP' },
      method: { method: 'webpay', account: '597012345678', key: 'k'.repeat(32) },
      'hand-over': { valid: '1d' },
      rotate: { overlap: '0', secret: secret ?? '' },
      state: { state: 'disabled' },
    };
    app.now.advance(HOUR_MS / 4);
    const before = await rowsOf(app.db);
    const backs: string[] = [];
    for (const [form, fields] of Object.entries(forms)) {
      const asked = await person.post(`${at}/${form}`, { environment, ...fields });
      const back = form === 'rotate' ? `${own.id}/rotate?environment=production` : `${own.id}?done=proved`;
      const location = `/console/prove?next=${encodeURIComponent(`/merchants/${back}`)}`;
      const [led = '', typed = ''] = (asked.headers.get('location') ?? '').split(encodeURIComponent('&typed='));
      assert.deepEqual([asked.status, led], [303, location], form);
      if (form === 'fee' || form === 'method') backs.push(`${at}?done=proved&typed=${typed}`);
    }
    assert.equal((await person.get(`${at}/rotate?environment=production`)).status, 303);
    assert.deepEqual(await rowsOf(app.db), before);
    assert.equal(
      (await person.post(`${at}/events-url`, { environment, url: '' })).status,
      303,
      'a form that moves no money and no secret needs no proof',
    );
    await person.post('/console/prove', { password: user.password, next: `/merchants/${own.id}?done=proved` });
    for (const [index, kept] of [
      /name="rate"[^>]* value="29500"/,
      /name="account"[^>]* value="597012345678"/,
    ].entries()) {
      const { text } = await person.get(backs[index] ?? '');
      assert.match(text, /Send the form once more/);
      assert.match(text, kept);
      assert.doesNotMatch(text, /k{32}/);
    }
    for (const [form, fields] of Object.entries(forms))
      assert.ok([200, 303].includes((await person.post(`${at}/${form}`, { environment, ...fields })).status), form);
    assert.notDeepEqual(await rowsOf(app.db), before);
  });
});

/** Returns the rows that a form of another merchant's user must not change. */
async function rowsOf(db: { query: (sql: string) => Promise<object[]> }): Promise<object[][]> {
  return Promise.all([
    db.query('select id, disabled_at, per_minute from payment_services order by id'),
    db.query('select id, closes_at from secret_tokens order by id'),
    db.query('select id from token_handovers order by id'),
    db.query('select environment_id from fees order by environment_id'),
    db.query('select id, events_url from environments order by id'),
    db.query('select id from refunds order by id'),
  ]);
}
