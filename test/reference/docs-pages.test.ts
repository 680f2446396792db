import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { readConfig } from '../../src/config.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { withBrowser } from '../support/test-browser.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { startTestService } from '../support/test-service.ts';

const folder = join(import.meta.dirname, '../../docs');

forEachEngine('the documentation', (openTestDatabase) => {
  test('leads nowhere that is not there, under a base path too', async () => {
    for (const basePath of ['', '/pagos']) {
      const config = readConfig({ MASTER_KEY: '5a'.repeat(32), BASE_PATH: basePath });
      await using server = await startTestServer(createTestApp(await openTestDatabase(), { config }));
      const pages = await crawl(server, `${basePath}/docs`);
      const missing = [...pages]
        .filter(([, page]) => page.status !== 200)
        .map(([path, page]) => `${path}: ${page.status}`);
      assert.deepEqual(missing, []);
      for (const place of [
        '/docs/sign',
        '/docs/quickstart-create',
        '/docs/es/quickstart-callbacks',
        '/docs/going-live',
        '/openapi.json',
        '/errors/INVALID_JSON',
      ]) {
        assert.ok(pages.has(basePath + place), `${place} was not reached`);
      }
    }
  });

  test('shows every described endpoint with requests in four languages and every error', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const { text } = await server.get('/docs');
    for (const { describe } of ROUTES) {
      if (describe === undefined) continue;
      const [, article = ''] = text.split(`<article id="${describe.operationId}"`);
      assert.deepEqual(article.split('</article>')[0]?.match(/class="sample \w+"/g)?.length, 4, describe.operationId);
      for (const error of describe.errors) {
        const code = typeof error === 'string' ? error : error.code;
        assert.ok(article.includes(`/errors/${code}`), `${describe.operationId} ${code}`);
      }
    }
  });

  test('obeys the policy of the pages: no script, style or handler inside the markup', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    for (const path of ['/docs', '/docs/sign', '/docs/quickstart-create', '/docs/es/quickstart-callbacks']) {
      const { text, headers } = await server.get(path);
      assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/);
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/);
    }
  });

  test('leads who asks for Spanish to the Spanish guides, and back to English who does not', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const places = async (path: string, language: string) => {
      const { text } = await server.get(path, { 'accept-language': language });
      return /<nav class="places"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';
    };
    assert.match(await places('/docs', 'es-CL,es;q=0.9,en;q=0.8'), /href="\/docs\/es\/quickstart-callbacks"/);
    for (const place of ['webpay">Webpay', 'quickstart-create">In English'])
      assert.ok((await places('/docs/es/quickstart-create', 'en')).includes(`href="/docs/${place}`), place);
    assert.match(await places('/docs', 'en'), /href="\/docs\/es\/quickstart-create">En español</);
    assert.match(await places('/docs/es/quickstart-create', 'en'), /lang="es"/);
  });

  test('has no page for a name that is none of its guides', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    for (const path of [
      '/docs/dependencies',
      '/docs/..%2FREADME',
      '/docs/es/sandbox',
      '/docs/__proto__',
      '/docs/es/..%2Fdependencies',
    ]) {
      assert.equal((await server.get(path)).status, 404, path);
    }
  });
});

test('the quickstarts have the same code in both languages', () => {
  for (const guide of ['quickstart-create', 'quickstart-callbacks']) {
    const [english, spanish] = [`${guide}.md`, `es/${guide}.md`].map((file) =>
      codeOf(readFileSync(join(folder, file), 'utf8')),
    );
    assert.deepEqual(spanish, english);
  }
});

withBrowser('the page that signs', (openVisitor) => {
  test('makes the signature of the SDK, sends the request, and keeps the secret to itself', async (context) => {
    const service = await startTestService(context, 'sqlite::memory:');
    const { development } = await createPaymentService(service.app, 'Shop', TESTER);
    const { page, complaints } = await openVisitor();
    const requests: string[] = [];
    page.on('request', (request) =>
      requests.push(`${request.url()} ${request.postData() ?? ''} ${JSON.stringify(request.headers())}`),
    );
    await page.goto(`${service.url}/docs/sign`);
    await page.fill('[data-field=x_account_id]', development.service_token);
    await page.fill('[data-field=x_session_id]', `it's "ñ" $HOME \\ {{url}}`);
    await page.fill('#secret', development.secret_token);
    const message = await page.textContent('#message');
    const expected = computeSignature(message as string, signingKey(development.secret_token));
    await page.locator('#signature', { hasText: expected }).waitFor();
    await page.click('#send');
    await page.locator('#answer.good').waitFor();
    assert.match((await page.getAttribute('#answer a', 'href')) ?? '', /\/pay\//);

    assert.deepEqual(complaints, []);
    assert.deepEqual(
      requests.filter((request) => !request.startsWith(service.url)),
      [],
    );
    assert.deepEqual(
      requests.filter((request) => request.includes(development.secret_token)),
      [],
    );
    assert.ok(!(await page.content()).includes(development.secret_token));
    assert.equal(page.url(), `${service.url}/docs/sign`);
  });

  test('fits a phone, and its neighbours do', async (context) => {
    const service = await startTestService(context, 'sqlite::memory:');
    const { page, complaints } = await openVisitor({ viewport: { width: 360, height: 740 } });
    for (const path of [
      '/docs',
      '/docs/sign',
      '/docs/quickstart-create',
      '/docs/es/quickstart-callbacks',
      '/docs/bank-account-validation',
      '/docs/sandbox',
      '/docs/webpay',
      '/docs/going-live',
      '/docs/finance',
    ]) {
      await page.goto(service.url + path);
      const tooWide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(tooWide, 0, path);
    }
    assert.deepEqual(complaints, []);
  });

  test('shows requests in the language that was picked, on the next visit too', async (context) => {
    const service = await startTestService(context, 'sqlite::memory:');
    const { page } = await openVisitor();
    await page.goto(`${service.url}/docs`);
    assert.equal(await page.locator('.sample.curl').first().isVisible(), true);
    await page.getByText('PHP', { exact: true }).first().click();
    await page.reload();
    assert.equal(await page.locator('.sample.php').first().isVisible(), true);
    assert.equal(await page.locator('.sample.curl').first().isVisible(), false);
  });
});

type Crawled = { status: number; ids: Set<string> };

/** Every page that can be reached from the first one, without leaving the documentation by more than one step. */
async function crawl(server: TestServer, start: string): Promise<Map<string, Crawled>> {
  const pages = new Map<string, Crawled>();
  const waiting = [start];
  const fragments: string[] = [];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { status, text } = await server.get(path);
    pages.set(path, { status, ids: new Set(text.matchAll(/ id="([^"]+)"/g).map(([, id]) => id as string)) });
    if (!path.includes('/docs')) continue;
    for (const [, href = ''] of text.matchAll(/<a href="([^"]+)"/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), `http://here${path}`);
      if (url.host !== 'here') continue;
      waiting.push(url.pathname);
      if (url.hash !== '') fragments.push(`${url.pathname}${url.hash}`);
    }
  }
  for (const fragment of fragments) {
    const [path = '', id = ''] = fragment.split('#');
    assert.ok(pages.get(path)?.ids.has(id), `${fragment} is not there`);
  }
  return pages;
}

/** Comments are words. */
function codeOf(markdown: string): string[] {
  return [...markdown.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code = '']) => code.replaceAll(/^# .*$/gm, ''));
}
