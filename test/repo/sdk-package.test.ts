import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { outputOf } from '../support/child-process.ts';
import { expectedOfBrowser, serveBrowserSite } from '../support/sdk-in-browser.ts';
import { packSdk, run, type SdkPackage } from '../support/sdk-package.ts';
import type { Program } from '../support/system-programs.ts';
import { withBrowser } from '../support/test-browser.ts';

/** A merchant's program, compiled without the types of Node and of browsers. */
const TYPED_CONSUMER = `
import { type Api, createRubricaClient, explain, RubricaError, sign, verifyCallback, verifyCallbackAsync } from '@rubrica/sdk';

const client = createRubricaClient({ baseUrl: 'https://pay.example', serviceToken: 'a', secretToken: 'b' });
const created: Api.CreatedTransaction['data'] = await client.createTransaction({
  x_amount: 12990, x_currency: 'CLP', x_customer_email: 'ana@example.cl', x_reference: 'ORD-1', x_session_id: 'session-1',
  x_shop_country: 'CL', x_url_callback: 'https://shop.example/a', x_url_cancel: 'https://shop.example/b',
  x_url_complete: 'https://shop.example/c',
});
const url: string | undefined = created.payUrl[0]?.url;
for await (const page of client.events(url)) page.events satisfies Api.Event[];
const status: 'pending' | 'complete' | 'failed' = await client.getStatus(created.idTrx);
const callback = verifyCallback({ body: new Uint8Array(), secret: ['a', 'b'], expected: { amount: 12990 }, headers: {} });
if (callback.ok) callback.data.x_reference satisfies string;
else callback.fix satisfies string;
const later = await verifyCallbackAsync({ body: '', secret: 'a', expected: {} });
if (later.ok) later.data.x_result satisfies 'completed' | 'failed' | 'pending';
// @ts-expect-error: a result that there is not
if (later.ok && later.data.x_result === 'complete') later.data satisfies never;
explain({ body: status, secret: 'a' }).causes satisfies object[];
const failure: unknown = null;
if (failure instanceof RubricaError && failure.code === 'RATE_LIMITED') failure.retryAfterMs satisfies number | null;
// @ts-expect-error: an order without a currency
await client.createTransaction({ x_amount: 12990 });
// @ts-expect-error: the same for signing alone
sign({ x_amount: 12990 }, 'b');
`;

const BROWSER_CONSUMER = `
import { createRubricaClient } from '@rubrica/sdk';

createRubricaClient({ baseUrl: 'https://pay.example', fetch });
createRubricaClient({ baseUrl: 'https://pay.example', fetch: (url, init) => fetch(url, init) });
`;

const COMMONJS_CONSUMER = `
import sdk = require('@rubrica/sdk');

sdk.createRubricaClient({ baseUrl: 'https://pay.example' }).getStatus(1).then((status) => status satisfies string);
`;

/** Signs a text, and requests a status. */
const PROGRAM = `
console.log(sdk.computeSignature('x_account_idax_amount1000', sdk.signingKey('secret')));
const fetch = async (url) => new Response(JSON.stringify({ data: { status: url } }));
sdk.createRubricaClient({ baseUrl: 'https://pay.example', accessToken: 'a', fetch }).getStatus(7).then(console.log);
`;
const PRINTED = `9d66e03cb0a7f96001ab690fa0858270cf03f6883d6d4fa4f1b370b380540096
https://pay.example/v2/trxs/7/status
`;

const nodes = await findNodes();

describe('the package of the SDK', () => {
  let sdk: SdkPackage;
  let consumer: string;

  before(async () => {
    sdk = await packSdk();
    consumer = join(sdk.folder, 'consumer');
    const installed = join(consumer, 'node_modules/@rubrica/sdk');
    mkdirSync(installed, { recursive: true });
    await run(installed, 'tar', 'xzf', sdk.tarball, '--strip-components', '1');
  });
  after(() => sdk[Symbol.dispose]());

  test('contains the code, its sources, its licence and its documents, and has no dependency', async () => {
    const listed = await run(sdk.folder, 'tar', 'tzf', sdk.tarball);
    const files = listed.trim().split('\n');
    const outside = files.filter((file) => !/^package\/(?:dist|src)\/[\w./-]+\.(?:js|d\.ts|ts|json)$/.test(file));
    assert.deepEqual(outside.sort(), [
      'package/CHANGELOG.md',
      'package/LICENSE',
      'package/README.md',
      'package/package.json',
    ]);
    const manifest = JSON.parse(readFileSync(join(sdk.sdk, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      assert.equal(manifest[kind], undefined);
  });

  test('passes publint', async () => {
    assert.match(await run(sdk.folder, 'node_modules/.bin/publint', 'run', sdk.tarball, '--strict'), /All good/);
  });

  test('has types that are right for every kind of consumer, as attw finds', async () => {
    assert.match(await run(sdk.folder, 'node_modules/.bin/attw', sdk.tarball), /No problems found/);
  });

  test('has types that compile strictly without Node’s types, and with a browser’s types', async () => {
    await compile({ 'typed.mts': TYPED_CONSUMER, 'required.cts': COMMONJS_CONSUMER }, ['es2023']);
    await compile({ 'browser.mts': BROWSER_CONSUMER }, ['es2023', 'dom']);
  });

  test('imports only its own files, so that it loads without Node', () => {
    const texts = globSync('dist/**/*.js', { cwd: sdk.sdk }).map((file) => readFileSync(join(sdk.sdk, file), 'utf8'));
    const imported = texts.flatMap((text) => [
      ...text.matchAll(/(?:\bfrom |\bimport ?\(?|\brequire\()['"]([^'"]+)['"]/g),
    ]);
    const named = new Set(imported.map(([, name = '']) => name));
    assert.ok(named.size > 20, 'the expression finds the imports');
    assert.deepEqual(
      [...named].filter((name) => !name.startsWith('.')),
      [],
    );
  });

  withBrowser('in Chromium, which has no module of Node', (openVisitor) => {
    for (const place of ['page', 'worker'] as const) {
      test(`a ${place} signs, verifies and calls with Web Crypto`, async () => {
        await using site = await serveBrowserSite(join(sdk.sdk, 'dist'));
        const { page } = await openVisitor();
        await page.goto(`${site.url}/${place}.html`);
        await page.waitForFunction('document.title !== ""');
        assert.deepEqual(JSON.parse(await page.title()), expectedOfBrowser(site.url));
      });
    }
  });

  for (const node of nodes) {
    test(`runs on Node ${node.version}, imported and required`, async () => {
      writeFileSync(join(consumer, 'run.mjs'), `import * as sdk from '@rubrica/sdk';${PROGRAM}`);
      writeFileSync(join(consumer, 'run.cjs'), `const sdk = require('@rubrica/sdk');${PROGRAM}`);
      assert.equal(await run(consumer, node.path, 'run.mjs'), PRINTED);
      assert.equal(await run(consumer, node.path, 'run.cjs'), PRINTED);
    });
  }

  async function compile(files: Record<string, string>, lib: string[]): Promise<void> {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(consumer, name), text);
    const strictness = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
    const compilerOptions = { ...strictness, noEmit: true, target: 'es2023', module: 'nodenext', lib, types: [] };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    await run(consumer, 'node_modules/.bin/tsc', '-p', '.');
  }
});

/** Returns the Node that runs this, and every other supported Node on the path. */
async function findNodes(): Promise<{ path: Program; version: string }[]> {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => `${folder}/node` as const);
  const found = new Map<string, Program>([[process.versions.node, 'node']]);
  for (const path of paths.filter((path) => existsSync(path))) {
    const version = (await outputOf(path, ['-p', 'process.versions.node'])).trim();
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if ((major > 20 || (major === 20 && minor >= 16)) && !found.has(version)) found.set(version, path);
  }
  return [...found].map(([version, path]) => ({ version, path }));
}
