import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
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
});
