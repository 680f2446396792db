import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { methodName } from '../../src/checkout/texts.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('a Spanish page of the console', (openTestDatabase) => {
  test('names roles and the files of its lists in Spanish', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const at = (language: 'es' | 'en', path: string) =>
      server.get(`/console${path}`, { ...owner.console, 'accept-language': language });
    const fileOf = async (language: 'es' | 'en', path: string) =>
      /filename="([^"]+)"/.exec((await at(language, path)).headers.get('content-disposition') ?? '')?.[1];
    for (const [language, role, option] of [
      ['es', 'titular (owner)', '>soporte (support)</option>'],
      ['en', 'owner', '>support</option>'],
    ] as const) {
      const { text } = await at(language, '/staff');
      assert.ok(text.includes(`${owner.email} · ${role}</a>`), language);
      assert.ok(text.includes(option), language);
      assert.ok((await at(language, `/staff/${owner.id}`)).text.includes(`${role} <span`), language);
      assert.ok((await at(language, '/account')).text.includes(`: ${role}</p>`), language);
    }
    const period = `${environment.paymentServiceId}/statement.csv?environment=development&from=2026-01-01&to=2026-01-31&currency=CLP`;
    for (const [path, spanish, english] of [
      ['/staff?format=csv', 'personas.csv', 'staff.csv'],
      ['/staff/tokens?format=csv', 'personas-tokens.csv', 'staff-tokens.csv'],
      ['/audit?format=xlsx', 'auditoria.xlsx', 'audit.xlsx'],
      [`/accounts/${period}`, 'estado-de-cuenta-2026-01-01-2026-01-31.csv', 'statement-2026-01-01-2026-01-31.csv'],
    ] as const)
      assert.deepEqual([await fileOf('es', path), await fileOf('en', path)], [spanish, english]);
  });

  test('names the payment methods of settlements as payers read them; the filter finds name and code', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [] });
    const content = Buffer.from('fecha;orden de compra;monto\n2026-01-15;999999;7000\n');
    const settlement = await readSettlement(Readable.from([content]));
    const scope = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
    const evidence = { name: 'day.csv', sha256: '0'.repeat(64) };
    const kept = await keepSettlement(app, scope, settlement, { evidence, by: TESTER });
    assert.ok(kept.kind === 'kept');
    const get = async (path: string) => (await server.get(`/console/settlements${path}`, user.console)).text;
    const list = await get('');
    assert.match(list, /<span>Simulador /);
    assert.match(list, /<option value="simulated">Simulador<\/option>/);
    for (const [text, isFound] of [
      ['simulador', true],
      ['simulated', true],
      ['webpay', false],
    ] as const)
      assert.equal((await get(`?text=${text}`)).includes('day.csv'), isFound, text);
    assert.match(await get(`/${kept.id}`), /2026-01-15 · Simulador · /);
    for (const language of ['es', 'en'] as const)
      assert.equal(methodName(language, { code: 'webpay', name: 'webpay' }), 'Webpay Plus');
  });
});
