import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { SIGNED_REQUEST_EXAMPLE } from '../../src/api/transactions/transaction-schemas.ts';
import { readConfig } from '../../src/config.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { SPANISH_MEMBERS } from '../../src/reference/spanish-members.ts';
import { SPANISH_OPERATIONS, SPANISH_TAGS } from '../../src/reference/spanish-operations.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { withBrowser } from '../support/test-browser.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { startTestService } from '../support/test-service.ts';

const folder = join(import.meta.dirname, '../../docs');

forEachEngine('the documentation', (openTestDatabase) => {
  test('has no broken link, also under a base path', async () => {
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
        '/docs/reference',
        '/docs/operation',
        '/docs/quickstart-create',
        '/docs/es/quickstart-callbacks',
        '/docs/going-live',
        '/openapi.json',
        '/errors/INVALID_JSON',
      ]) {
        assert.ok(pages.has(basePath + place), `a link leads to ${place}`);
      }
    }
  });

  test('shows every described endpoint with requests in four languages and every error', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const { text } = await server.get('/docs/reference');
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

  test('obeys the policy of the pages: the markup has no script, style or handler', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    for (const path of [
      '/docs',
      '/docs?q=x',
      '/docs/reference',
      '/docs/sign',
      '/errors',
      '/docs/es/quickstart-callbacks',
    ]) {
      const { text, headers } = await server.get(path);
      assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/);
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/);
    }
  });

  test('is in the language that a visitor asks for, and every page links to the other language', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const spanish = { 'accept-language': 'es-CL,es;q=0.9,en;q=0.8' };
    for (const path of ['/docs', '/docs/reference', '/docs/sign', '/errors']) {
      assert.equal((await server.get(path)).headers.get('content-language'), 'en', path);
      const { headers, text } = await server.get(path, spanish);
      assert.equal(headers.get('content-language'), 'es-CL', path);
      assert.ok(text.includes(`href="${path}?lang=en" lang="en"`), path);
      assert.equal((await server.get(`${path}?lang=en`, spanish)).headers.get('content-language'), 'en', path);
    }
    assert.match((await server.get('/docs/quickstart-create')).text, /href="\/docs\/es\/quickstart-create" lang="es"/);
    assert.match((await server.get('/docs/es/quickstart-create')).text, /href="\/docs\/quickstart-create" lang="en"/);
    assert.match((await server.get('/docs/scaling')).text, /href="\/docs\?lang=es" lang="es"/);
    assert.match((await server.get('/docs/reference', spanish)).text, /<h3>Crea una transacción<\/h3>/);
  });

  test('lists every guide and every endpoint on its first page, and searches without a script', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const { text } = await server.get('/docs');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.md')))
      assert.ok(text.includes(`href="/docs/${file.slice(0, -3)}"`), file);
    for (const { describe } of ROUTES)
      if (describe !== undefined)
        assert.ok(text.includes(`/docs/reference#${describe.operationId}"`), describe.operationId);
    assert.doesNotMatch(text, /```/, 'the summary of a guide has no code');
    const found = async (words: string, language = 'en') =>
      [
        ...(await server.get(`/docs?q=${encodeURIComponent(words)}&lang=${language}`)).text.matchAll(
          /<li><a href="([^"]+)">[^<]*<\/a><p>/g,
        ),
      ].map(([, href]) => href);
    assert.ok((await found('reference_conflict')).includes('/errors/REFERENCE_CONFLICT'));
    assert.ok((await found('validate 1,000 accounts')).includes('/docs/reference#validateBankAccounts'));
    assert.ok((await found('magic amounts')).some((href) => href?.startsWith('/docs/sandbox')));
    assert.ok((await found('orden campos', 'es')).some((href) => href?.startsWith('/docs/es/quickstart-create')));
    const spanish = await found('reference_conflict', 'es');
    assert.ok(spanish.includes('/errors/REFERENCE_CONFLICT?lang=es'), 'the links stay in the chosen language');
    assert.match((await server.get('/docs?lang=es')).text, /href="\/docs\/reference\?lang=es#\w+"/);
    assert.match((await server.get('/docs?q=%3Cscript%3E')).text, /“&lt;script&gt;”/);
    const { text: many } = await server.get('/docs?q=a&lang=en');
    const [, count = 0] = /<h2>(\d+) places for “a”<\/h2>/.exec(many) ?? [];
    assert.ok(Number(count) > 30, `${count} places, not only those of the list`);
    assert.match(many, /<p>These are the first 30\. More words find fewer places\.<\/p>/);
  });

  test('has a Spanish text for every described endpoint and every part of the reference', () => {
    const described = ROUTES.flatMap(({ describe }) => describe ?? []);
    const missing = described.filter(({ operationId }) => SPANISH_OPERATIONS[operationId] === undefined);
    assert.deepEqual(
      missing.map(({ operationId }) => operationId),
      [],
      'operations without Spanish in src/reference/spanish-operations.ts',
    );
    assert.deepEqual(
      described.filter(({ tag }) => SPANISH_TAGS[tag] === undefined).map(({ tag }) => tag),
      [],
    );
  });

  test('has a Spanish text for every member, parameter and answer, and no unused text', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const document = JSON.parse((await server.get('/openapi.json')).text) as {
      components: { schemas: object };
      paths: object;
    };
    const texts = new Set(describedTexts([document.components.schemas, document.paths]));
    assert.deepEqual(
      [...texts].filter((text) => SPANISH_MEMBERS[text] === undefined),
      [],
      'every text has its Spanish in src/reference/spanish-members.ts, spanish-payout-members.ts or spanish-replies.ts',
    );
    assert.deepEqual(
      Object.keys(SPANISH_MEMBERS).filter((text) => !texts.has(text)),
      [],
      'every text of src/reference/spanish-*.ts is in the API',
    );
    const page = (await server.get('/docs/reference', { 'accept-language': 'es' })).text;
    assert.match(page, /<span class="optional">opcional<\/span>/);
    assert.doesNotMatch(page, />optional<|>Members<|list of | characters[< ]|of the form/);
  });

  test('explains a refused body, form or JSON, without a secret and without creating anything', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    const explained = async (body: string, lang = 'en') => {
      const { status, text } = await server.post('/docs/sign', {
        body: String(new URLSearchParams({ body, lang })),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(status, 200, text);
      return /<div class="verdict[\s\S]*?<\/div>/.exec(text)?.[0] ?? '';
    };
    const fields = (token: string) => ({ ...SIGNED_REQUEST_EXAMPLE, x_account_id: token, x_signature: '' });
    const signed = (token: string, secret: string, sort = true) => {
      const { x_signature: _, ...own } = fields(token);
      const names = sort ? Object.keys(own).sort() : Object.keys(own).sort().toReversed();
      const message = names.map((name) => name + String(own[name as keyof typeof own])).join('');
      return { ...own, x_signature: computeSignature(message, signingKey(secret)) };
    };
    const right = signed(development.service_token, development.secret_token);
    assert.match(await explained(JSON.stringify(right)), /This body has no errors/);
    const form = String(new URLSearchParams(Object.entries(right).map(([name, value]) => [name, String(value)])));
    assert.match(await explained(`\n${form}\n`, 'es'), /no tiene nada malo/);
    const unsorted = JSON.stringify(signed(development.service_token, development.secret_token, false));
    assert.match(await explained(unsorted), /\/errors\/FIELDS_NOT_SORTED/);
    assert.match(await explained(unsorted, 'es'), /Ordena los campos por nombre/);
    const secretly = await explained(JSON.stringify(signed(production.service_token, production.secret_token, false)));
    assert.match(secretly, /No cause can be named/);
    assert.doesNotMatch(secretly, /FIELDS_NOT_SORTED/);
    assert.match(await explained('{"x_amount": 1'), /INVALID_JSON/);
    assert.match(await explained('x_amount=12.990&x_currency=CLP', 'es'), /x_account_id falta/);
    assert.match(await explained('<b>'), /INVALID_JSON/);
    assert.deepEqual(await app.db.query('select id from transactions'), []);
  });

  test('has no page for a name that is not a guide', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    for (const path of [
      '/docs/decisions',
      '/docs/..%2FREADME',
      '/docs/es/dependencies',
      '/docs/__proto__',
      '/docs/es/..%2Fdependencies',
    ]) {
      assert.equal((await server.get(path)).status, 404, path);
    }
  });
});

test('the quickstarts have the same code in both languages, and the comments of each are in its language', () => {
  const told: string[] = [];
  for (const guide of ['quickstart-create', 'quickstart-callbacks']) {
    const [english = '', spanish = ''] = [`${guide}.md`, `es/${guide}.md`].map((file) =>
      blocksOf(readFileSync(join(folder, file), 'utf8')),
    );
    assert.equal(spanish.replaceAll(COMMENT, 'COMMENT'), english.replaceAll(COMMENT, 'COMMENT'));
    const words = (code: string) => (code.match(COMMENT) ?? []).filter((comment) => !/^(?:#!|\/\/ {2})/.test(comment));
    const same = words(english).filter((comment) => words(spanish).includes(comment));
    assert.deepEqual(same, [], 'in Spanish too');
    told.push(...words(spanish));
  }
  assert.ok(told.length > 20);
});

withBrowser('the page that signs', (openVisitor) => {
  test('makes the same signature as the SDK, sends the request, and keeps the secret in the browser', async (context) => {
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

  test('fits a phone, and so do the other pages of the documentation', async (context) => {
    const service = await startTestService(context, 'sqlite::memory:');
    const { page, complaints } = await openVisitor({ viewport: { width: 360, height: 740 } });
    for (const path of [
      '/docs',
      '/docs?lang=es&q=firma',
      '/docs/reference',
      '/errors',
      '/errors?lang=es',
      '/errors/REFERENCE_CONFLICT',
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
      // Spanish names are longer: they must neither overlap at the top nor continue beyond the edge.
      const cut = await page.evaluate(
        "[...document.querySelectorAll('.places a')].filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth).length",
      );
      assert.equal(cut, 0, path);
      const hidden = await page.evaluate(
        "[...document.querySelectorAll('pre')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)",
      );
      assert.deepEqual(hidden, [], `${path}: every line of code is in sight without a pointer`);
    }
    await page.setViewportSize({ width: 1280, height: 740 });
    await page.goto(`${service.url}/docs/sign`);
    const narrow = await page.evaluate(
      "[...document.querySelectorAll('.code')].filter((one) => one.offsetWidth < one.parentElement.clientWidth).length",
    );
    assert.equal(narrow, 0, 'the code has the width of the page');
    assert.deepEqual(complaints, []);
  });

  test('shows requests in the language that the visitor chose, also on the next visit', async (context) => {
    const service = await startTestService(context, 'sqlite::memory:');
    const { page } = await openVisitor();
    await page.goto(`${service.url}/docs/reference`);
    assert.equal(await page.locator('.sample.curl').first().isVisible(), true);
    await page.getByText('PHP', { exact: true }).first().click();
    await page.reload();
    assert.equal(await page.locator('.sample.php').first().isVisible(), true);
    assert.equal(await page.locator('.sample.curl').first().isVisible(), false);
  });
});

type Crawled = { status: number; ids: Set<string> };

/** Returns every page that links lead to from `start`. Outside the documentation it follows no further links. */
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
      if (url.hash !== '') fragments.push(`${url.pathname}${decodeURIComponent(url.hash)}`);
    }
  }
  for (const fragment of fragments) {
    const [path = '', id = ''] = fragment.split('#');
    assert.ok(pages.get(path)?.ids.has(id), `the page has ${fragment}`);
  }
  return pages;
}

/** Returns the code of the page without comments, which are translated. */
function blocksOf(markdown: string): string {
  return [...markdown.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code]) => code).join('\n');
}

/** A comment of JavaScript, PHP, Python or a shell. */
const COMMENT = /\/\*\*[^]*?\*\/|"""[^]*?"""|(?<=^|[ ;])\/\/ .*$|^#.*$/gm;

/** Returns the descriptions of members, parameters and answers. Operations have other texts, and errors have pages. */
function describedTexts(value: unknown, key = ''): string[] {
  if (typeof value !== 'object' || value === null || ['example', 'examples'].includes(key)) return [];
  const { description, operationId } = value as { description?: unknown; operationId?: unknown };
  const own = typeof description === 'string' && operationId === undefined ? [description] : [];
  const inner = Object.entries(value).filter(([name]) => !/^[45]\d\d$/.test(name));
  return [...own, ...inner.flatMap(([name, one]) => describedTexts(one, name))];
}
