import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { FORM } from '../support/form-headers.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const PROOF_MS = 15 * 60_000;

forEachEngine('a form that asks for a fresh proof', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const server = await startTestServer(app);
    const shop = await createPaymentService(app, 'Norte', TESTER);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const headers = { ...FORM, 'accept-language': 'en', ...owner.console };
    /** Sends a form without a proof. Returns the page after the proof. */
    const late = async (path: string, body: string | FormData) => {
      app.now.advance(PROOF_MS);
      const { headers: type, content } = await encoded(body);
      const asked = await server.post(`/console${path}`, { headers: { ...headers, ...type }, body: content as never });
      const next = new URL(asked.headers.get('location') ?? '', 'http://host').searchParams.get('next') ?? '';
      app.now.advance(-PROOF_MS);
      const page = await server.get(`/console${next}`, { ...owner.console, 'accept-language': 'en' });
      assert.equal(page.status, 200, next);
      return { next, text: page.text };
    };
    return { app, server, shop, owner, late };
  };

  const encoded = async (body: string | FormData) => {
    if (typeof body === 'string') return { headers: {}, content: body };
    const request = new Request('http://host', { method: 'POST', body });
    const type = { 'content-type': request.headers.get('content-type') ?? '' };
    return { headers: type, content: Buffer.from(await request.arrayBuffer()) };
  };

  const assertHas = (text: string, said: readonly string[]) => {
    for (const one of said) assert.ok(text.includes(one), one);
  };

  test('keeps an invitation and its rights, encrypted', async () => {
    const { server, shop, late } = await open();
    await using _server = server;
    const form = new URLSearchParams({ email: 'ana@example.cl', role: 'finance', scope: 'some', limit: '5000' });
    for (const [name, text] of [
      ['services', shop.id],
      ['may', 'audit:read'],
      ['may', 'tokens:manage'],
      ['valid', '7d'],
    ] as const)
      form.append(name, text);
    const { next, text } = await late('/staff/invite', String(form));
    assert.match(next, /^\/staff\/invite\?typed=v1[\w.-]+$/);
    assertHas(text, [
      'name="email" value="ana@example.cl"',
      '<option value="finance" selected>',
      'value="some" checked',
      `name="services" value="${shop.id}" checked`,
      'name="may" value="audit:read" checked',
      'name="may" value="tokens:manage" checked',
      'name="limit" maxlength="200" value="5000"',
      '<option value="7d" selected>',
    ]);
    assert.doesNotMatch(text, /role="alert"/);
  });

  test('keeps the rights and the name of a token that were typed for a person', async () => {
    const { app, server, late } = await open();
    await using _server = server;
    const ana = await createTestUser(app, { role: 'support', may: [] });
    const path = `/staff/${ana.id}/rights`;
    const shown = JSON.stringify({ role: 'support', granted: [], services: 'all', limits: {} });
    const { text } = await late(path, String(new URLSearchParams({ role: 'auditor', scope: 'all', limit: '', shown })));
    assertHas(text, ['<option value="auditor" selected>', `name="shown" value="${shown.replaceAll('"', '&quot;')}"`]);
    const token = await late(`/staff/${ana.id}/token`, 'name=till+4&valid=30d');
    assertHas(token.text, ['name="name" value="till 4"', '<option value="30d" selected>']);
  });

  test('takes no status from an address, and no text that the person has not typed', async () => {
    const { app, server, owner } = await open();
    await using _server = server;
    const ana = await createTestUser(app, { role: 'support', may: [] });
    const query = String(new URLSearchParams({ name: 'till 4', status: '418', said: 'Call 600 123', field: 'name' }));
    const { status, text } = await server.get(`/console/staff/${ana.id}/token?${query}`, owner.console);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /till 4|Call 600|role="alert"/);
    const filled = { form: 'email=eve%40example.cl&role=owner&scope=all', reason: 'as agreed' };
    for (const path of ['/staff/invite', `/staff/${ana.id}/rights`]) {
      const shown = await server.get(`/console${path}?${String(new URLSearchParams(filled))}`, owner.console);
      assert.equal(shown.status, 200, path);
      assert.doesNotMatch(shown.text, /eve@example|<option value="owner" selected>/, path);
    }
  });

  test('leads back to itself without what was typed if that is too long for an address', async () => {
    const { server, late } = await open();
    await using _server = server;
    const { next } = await late('/staff/invite', `email=ana%40example.cl&role=support&limit=${'1'.repeat(3_000)}`);
    assert.equal(next, '/staff/invite');
  });

  test('keeps whom personal data is about, and the reason until the data is shown', async () => {
    const { server, owner, late } = await open();
    await using _server = server;
    const wish = { who: 'ana@example.cl', confirm: 'ana@example.cl', reason: 'letter 12', do: 'erase' };
    const { next, text } = await late('/personal-data', String(new URLSearchParams(wish)));
    assert.match(next, /^\/personal-data\?typed=v1[\w.-]+$/);
    assertHas(text, ['value="ana@example.cl"', 'name="reason" value="letter 12"']);
    const body = String(new URLSearchParams({ who: wish.who, reason: wish.reason }));
    const found = await server.post('/console/personal-data', { headers: { ...FORM, ...owner.console }, body });
    assert.match(found.text, /name="reason"[^>]* value="letter 12"/);
  });

  test('keeps the account of a statement, and says that the file must be chosen again', async () => {
    const { server, late } = await open();
    await using _server = server;
    const form = new FormData();
    form.set('file', new Blob(['x']), 'cartola.csv');
    form.set('account', '1234-56789');
    form.set('of', 'all production');
    const { next, text } = await late('/statements', form);
    assert.match(next, /^\/statements\/new\?typed=v1[\w.-]+$/);
    assertHas(text, ['value="1234-56789"', '<option value="all production" selected>', 'choose it again']);
  });
});
