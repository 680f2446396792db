import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listUsers } from '../../src/auth/list-users.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { FORM } from '../support/form-headers.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the merchants of a person or a program', (openTestDatabase) => {
  test('are ticked by name up to a hundred, and typed as ids above that', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const make = async (name: string) => (await createPaymentService(app, name, TESTER)).id;
    const [sur, norte, este] = [await make('Sur'), await make('Norte'), await make('Este')];
    const boxes = (page: string) =>
      [...page.matchAll(/name="services" value="(\w+)"( checked)?> (\w+) /g)].map(([, id, on, name]) => [
        id,
        name,
        !!on,
      ]);
    const send = (path: string, services: readonly string[], more: Record<string, string>) => {
      const form = new URLSearchParams({ scope: 'some', limit: '', ...more });
      for (const id of services) form.append('services', id);
      return server.post(`/console/staff/${path}`, { headers: { ...owner.console, ...FORM }, body: String(form) });
    };
    const empty = await server.get('/console/staff/invite', owner.console);
    assert.deepEqual(boxes(empty.text), [
      [este, 'Este', false],
      [norte, 'Norte', false],
      [sur, 'Sur', false],
    ]);
    const refused = await send('invite', [sur, 'ps_gone'], { email: 'ana@example.cl', role: 'support' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, new RegExp(`value="${sur}" checked`), 'ticked merchants stay ticked');
    assert.match(
      refused.text,
      /value="ps_gone" checked/,
      'an unknown merchant stays ticked, so that the person can remove it',
    );
    const scopeOf = async (email: string) =>
      (await listUsers(app)).find((user) => user.email === email)?.payment_services?.toSorted();
    for (const [email, role] of [
      ['ana@example.cl', 'support'],
      ['caja@example.cl', 'integration'],
    ] as const) {
      assert.equal((await send('invite', [sur, este], { email, role })).status, 200);
      assert.deepEqual(await scopeOf(email), [sur, este].sort());
    }
    const ana = (await listUsers(app)).find(({ email }) => email === 'ana@example.cl')?.id ?? '';
    const rights = await server.get(`/console/staff/${ana}/rights`, owner.console);
    assert.deepEqual(
      boxes(rights.text).map(([, name, on]) => [name, on]),
      [
        ['Este', true],
        ['Norte', false],
        ['Sur', true],
      ],
    );
    assert.equal((await send(`${ana}/rights`, [norte, sur], { role: 'support', confirmed: 'yes' })).status, 303);
    assert.deepEqual(await scopeOf('ana@example.cl'), [norte, sur].sort());
    for (let n = 3; n <= 100; n++) await make(`Tienda ${n}`);
    const many = await server.get(`/console/staff/${ana}/rights`, owner.console);
    assert.deepEqual(boxes(many.text), []);
    assert.match(many.text, /<textarea name="services"[^>]*>ps_\w+\nps_\w+<\/textarea>/);
  });

  test('several ticked permissions are all granted', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const body = 'email=ana%40example.cl&role=support&scope=all&limit=&may=events%3Aread&may=books%3Aread&may=nothing';
    const headers = { ...owner.console, ...FORM };
    const made = await server.post('/console/staff/invite', { headers, body });
    assert.equal(made.status, 200);
    const ana = (await listUsers(app)).find(({ email }) => email === 'ana@example.cl');
    assert.ok(ana !== undefined);
    assert.ok(ana.permissions.includes('events:read') && ana.permissions.includes('books:read'));
    const rights = `${body}&may=recipients%3Aread`;
    const question = await server.post(`/console/staff/${ana.id}/rights`, { headers, body: rights });
    assert.equal(question.status, 200);
    assert.equal(question.text.match(/<input type="hidden" name="may"/g)?.length, 4);
    const done = await server.post(`/console/staff/${ana.id}/rights`, { headers, body: `${rights}&confirmed=yes` });
    assert.equal(done.status, 303);
    assert.ok((await listUsers(app)).find(({ id }) => id === ana.id)?.permissions.includes('recipients:read'));
    const odd = await server.post('/console/staff/invite', {
      headers,
      body: '%00=%ff&email=a%00%40example.cl&role=support&scope=all',
    });
    assert.equal(odd.status, 400);
  });
});
