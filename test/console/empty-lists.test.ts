import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '../../src/auth/permission.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('an empty list of the console', (openTestDatabase) => {
  test('shows its command and who types it, a form only to who has it, and denies no row that a filter hides', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const emptyIn = async (role: Role, path: string, language: string) => {
      const user = await createTestUser(app, { role, may: [] });
      const { text } = await server.get(`/console${path}`, { ...user.console, 'accept-language': language });
      return /<div class="card empty">.*?<\/div>/s.exec(text)?.[0] ?? text;
    };
    for (const [role, path, isTold] of [
      ['support', '/payments', true],
      ['finance', '/settlements', true],
      ['auditor', '/accounts', true],
      ['owner', '/settlements', false],
      ['operator', '/merchants', false],
    ] as const) {
      const [spanish, english] = [await emptyIn(role, path, 'es'), await emptyIn(role, path, 'en')];
      for (const text of [spanish, english]) assert.match(text, /<pre>bin\/rubrica /, role);
      assert.equal(spanish.includes('El comando lo escribe quien opera el servicio.'), isTold, role);
      assert.equal(english.includes('This command is for the person who runs the service.'), isTold, role);
    }
    for (const path of ['settlements', 'payouts', 'batches', 'recipients', 'payout-files', 'statements']) {
      assert.match(await emptyIn('finance', `/${path}`, 'es'), /primer[oa] .*aquí (abajo|arriba), o así:/, path);
      for (const role of ['auditor', 'approver'] as const)
        assert.doesNotMatch(
          await emptyIn(role, `/${path}`, 'es'),
          /aquí (abajo|arriba)/,
          `${role} has no form on ${path}`,
        );
    }
    const filtered = ['attention?kind=mail', 'statements?state=open', 'accounts?environment=production'];
    for (const path of [...filtered, 'refund-requests?text=x', 'requests?code=X', 'settlements?open=yes'])
      assert.match(
        await emptyIn('owner', `/${path}`, 'en'),
        /^<div [^>]*><p>Nothing passes the filter\.<\/p><\/div>$/,
        path,
      );
    const { console: finance } = await createTestUser(app, { role: 'finance', may: [] });
    for (const [query, leads] of [
      ['', false],
      ['?open=yes', true],
      ['?open=', false],
    ] as const) {
      const { text } = await server.get(`/console/settlements${query}`, finance);
      assert.equal(text.includes('<a class="button" href="/console/settlements">Sin filtros</a>'), leads, query);
    }
  });
});
