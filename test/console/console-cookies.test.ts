import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { publicPath } from '../../src/http/assets.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { FORM } from '../support/form-headers.ts';
import { createTestApp } from '../support/test-app.ts';
import { withBrowser } from '../support/test-browser.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const HTTPS = 'https://pagos.example.cl';

forEachEngine('the cookie of the console', (openTestDatabase) => {
  test('is __Host- and Secure over https and plain over http, and neither accepts the other name', async (context) => {
    for (const [publicUrl, name, scope] of [
      [HTTPS, '__Host-rubrica_console', 'Path=/; Secure'],
      [null, 'rubrica_console', 'Path=/console'],
    ] as const) {
      const { server, user } = await open(context, openTestDatabase, publicUrl);
      const body = String(new URLSearchParams({ email: user.email, password: user.password }));
      const { headers } = await server.post('/console/sign-in', { headers: FORM, body });
      const [cookie = '', ...rest] = (headers.get('set-cookie') ?? '').split('; ');
      const [, token = ''] = cookie.split('=');
      assert.equal(cookie, `${name}=${token}`);
      assert.equal(rest.join('; '), `${scope}; HttpOnly; SameSite=Lax`);
      for (const sent of ['rubrica_console', '__Host-rubrica_console']) {
        const status = (await server.get('/console/account', { cookie: `${sent}=${token}` })).status;
        assert.equal(status, sent === name ? 200 : 303, `${sent} where it is ${name}`);
      }
      const other = name === 'rubrica_console' ? '__Host-rubrica_console' : 'rubrica_console';
      const both = { cookie: `${other}=wrong; ${name}=${token}` };
      assert.equal(
        (await server.get('/console/account', both)).status,
        200,
        'a second cookie does not hide the right one',
      );
    }
  });

  test('has a separate name for each base path of a host over https', async (context) => {
    const { app, server, user } = await open(context, openTestDatabase, HTTPS, '/pagos');
    assert.equal(publicPath(app), '/pagos');
    assert.match(user.console.cookie, /^__Host-rubrica_console-pagos=/);
    assert.equal((await server.get('/console/account', user.console)).status, 200);
    const renamed = { cookie: user.console.cookie.replace('-pagos', '') };
    assert.equal((await server.get('/console/account', renamed)).status, 303);
  });

  test('is removed at the sign-out, over https with the cache and the storage of the site', async (context) => {
    for (const publicUrl of [HTTPS, null]) {
      const { server, user } = await open(context, openTestDatabase, publicUrl);
      const { headers } = await server.post('/console/sign-out', { headers: { ...FORM, ...user.console }, body: '' });
      assert.equal(headers.get('clear-site-data'), publicUrl === null ? null : '"cache", "storage"');
      assert.match(headers.get('set-cookie') ?? '', /_console=; Path=\/.*Max-Age=0$/);
    }
  });

  test('is not removed by a form of another site, nor are cache and storage', async (context) => {
    const { server, user } = await open(context, openTestDatabase, HTTPS);
    for (const site of ['cross-site', 'same-site']) {
      const sent = { headers: { ...FORM, ...user.console, 'sec-fetch-site': site }, body: '' };
      const { status, headers } = await server.post('/console/sign-out', sent);
      assert.deepEqual([status, headers.get('clear-site-data'), headers.get('set-cookie')], [303, null, null], site);
    }
    assert.equal((await server.get('/console/account', user.console)).status, 200);
  });
});

withBrowser('a browser at the console over https', (openVisitor) => {
  forEachEngine('signing in and out', (openTestDatabase, engine) => {
    // Chromium treats a loopback address like https. The browser's part does not depend on the engine.
    const once = { skip: engine === 'postgres' };

    test('uses the cookie, and leaves only the language and the cookies of other programs', once, async (context) => {
      const { server, user } = await open(context, openTestDatabase, HTTPS);
      const origin = server.origin.replace('127.0.0.1', 'localhost');
      const { context: browser, page, complaints } = await openVisitor();
      await page.goto(`${origin}/console/sign-in`);
      await page.getByLabel('E-mail').fill(user.email);
      await page.getByLabel('Password').fill(user.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation').waitFor();
      const [kept] = await browser.cookies();
      assert.deepEqual(
        [kept?.name, kept?.secure, kept?.httpOnly, kept?.path],
        ['__Host-rubrica_console', true, true, '/'],
      );
      await page.evaluate("localStorage.setItem('seen', 'a payment')");
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(/sign-in$/);
      assert.deepEqual(await browser.cookies(), []);
      assert.equal(await page.evaluate("localStorage.getItem('seen')"), null);
      // A cookie of another Rúbrica on the same host, or of the shop's pages.
      const cookie = { name: 'cart', value: 'of another program', domain: 'localhost', path: '/' };
      await browser.addCookies([cookie]);
      await page.getByRole('button', { name: 'Español' }).click();
      await page.getByLabel('Correo').fill(user.email);
      await page.getByLabel('Contraseña').fill(user.password);
      await page.getByRole('button', { name: 'Entrar' }).click();
      await page.getByRole('button', { name: 'Salir' }).click();
      await page.getByLabel('Contraseña').waitFor();
      assert.deepEqual(
        (await browser.cookies()).map(({ name }) => name).toSorted(),
        ['cart', 'rubrica_language'],
        'cookies of others and the chosen language stay',
      );
      assert.deepEqual(complaints, []);
    });
  });
});

async function open(context: TestContext, openTestDatabase: OpenTestDatabase, publicUrl: string | null, basePath = '') {
  const made = createTestApp(await openTestDatabase());
  const app = {
    ...made,
    config: { ...made.config, publicUrl, basePath, basePaths: basePath === '' ? [] : [basePath] },
  };
  const server = await startTestServer(app);
  context.after(() => server[Symbol.asyncDispose]());
  return { app, server, user: await createTestUser(app, { role: 'support', may: [] }) };
}
