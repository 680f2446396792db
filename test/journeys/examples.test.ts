import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';
import { createRubricaClient } from '../../sdk/src/rubrica-client.ts';
import { CHAOS_CLASSES } from '../../src/chaos/chaos-class.ts';
import { ordersOf } from '../../src/chaos/chaos-order.ts';
import { runChaos } from '../../src/chaos/run-chaos.ts';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { runChild, startChild, type Written } from '../support/child-process.ts';
import { PATIENCE_MS } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { packSdk, type SdkPackage } from '../support/sdk-package.ts';
import { type Program, whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { type ReceivedRequest, startReceiver, startTestService } from '../support/test-service.ts';
import { payOnPage, testOrder } from '../support/test-shop.ts';

type Example = { name: string; program: Program; args: string[]; folder: 'sdk' | 'php' | 'python' };

const EXAMPLES: Example[] = [
  { name: 'Node alone', program: 'node', args: ['receiver.mjs'], folder: 'sdk' },
  { name: 'Node and the SDK', program: 'node', args: ['receiver-node.mjs'], folder: 'sdk' },
  { name: 'Express', program: 'node', args: ['receiver-express.mjs'], folder: 'sdk' },
  { name: 'Fastify', program: 'node', args: ['receiver-fastify.mjs'], folder: 'sdk' },
  { name: 'PHP', program: 'php', args: ['-S', '127.0.0.1:0', 'receiver.php'], folder: 'php' },
  { name: 'Python', program: 'python3', args: ['receiver.py'], folder: 'python' },
];
const SEED = 7;
const CHAOS_ORDERS = ordersOf(SEED, CHAOS_CLASSES.length + 1);
const OLD_SECRET_TOKEN = 'the-secret-before-the-rotation';

/**
 * Signed callbacks of the paid order with these changed fields, and the status of the response. None of them is a
 * payment.
 */
const NO_PAYMENT: [name: string, changes: Record<string, string>, status: number][] = [
  ['of another amount', { x_amount: '4999.00' }, 400],
  ['of another currency', { x_currency: 'USD' }, 400],
  ['of a production payment', { x_test: 'false' }, 400],
  ['of another account', { x_account_id: 'somebody-else' }, 400],
  ['with a value that holds the name of a field', { x_message: 'Approvedx_referenceORD-7' }, 400],
  ['with one more field', { x_products: 'none' }, 400],
  ['of an unknown order', { x_reference: 'ORD-8' }, 404],
  ['of a declined payment', { x_result: 'failed', x_message: 'Declined' }, 200],
];

let sdk: SdkPackage;
before(async () => {
  sdk = await packSdk();
});
after(() => sdk[Symbol.dispose]());

forEachEngine('the documented receivers', (openTestDatabase, engine) => {
  // A receiver does not depend on the engine: on PostgreSQL one example of each folder runs.
  const tried = EXAMPLES.filter(
    ({ folder }, at) => engine === 'sqlite' || EXAMPLES.findIndex((one) => one.folder === folder) === at,
  );
  for (const example of tried) {
    const { name, program } = example;
    const skip = whyMissing(program) ?? false;
    test(`with ${name}: only its own callback pays an order, once`, { skip }, async (context) => {
      const service = await startTestService(context, (await openTestDatabase()).url);
      const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
      const shop = await startExample(context, example, tokens);
      const delivered = Promise.withResolvers<{ request: ReceivedRequest; status: number }>();
      const proxy = await startReceiver(context, async (request) => {
        const status = await shop.receive(request);
        delivered.resolve({ request, status });
        return status;
      });

      for (const [what, changes, status] of NO_PAYMENT) {
        assert.equal(await shop.receive(signedCallback(tokens, changes)), status, `a callback ${what}`);
      }
      const genuine = signedCallback(tokens, {});
      for (const [what, body] of Object.entries(forgeriesOf(genuine.body)))
        assert.equal(await shop.receive(signedHeaders(tokens, body)), 400, what);
      const rotating = signedCallback({ ...tokens, secret_token: OLD_SECRET_TOKEN }, { x_result: 'failed' });
      assert.equal(await shop.receive(rotating), 200, 'a callback with the old secret is accepted during a rotation');
      const forged = genuine.body.replace('completed', 'pending').replace('ORD-7', 'ORD-7 ');
      assert.equal(await shop.receive({ ...genuine, body: forged }), 400, 'a forged callback is refused');
      assert.deepEqual(shop.paid(), []);

      const client = createRubricaClient({ baseUrl: service.url, ...clientTokens(tokens) });
      const { payUrl } = await client.createTransaction(testOrder(proxy.url));
      await payOnPage(payUrl);
      const { request, status } = await delivered.promise;
      assert.equal(status, 200);
      const again = await Promise.all(Array.from({ length: 5 }, () => shop.receive(request)));
      assert.deepEqual(again, Array(5).fill(200));
      await shop.stop();
      assert.deepEqual(shop.paid(), ['ORD-7']);
    });
  }
});

test('every documented receiver passes all twelve classes of chaos run, judged by its orders', async (context) => {
  const service = await startTestService(context, 'sqlite::memory:');
  const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
  const environment = (await loadEnvironment(service.app, tokens.service_token)) as ServiceEnvironment;
  const run = { environment, orders: CHAOS_ORDERS, classes: CHAOS_CLASSES, seed: SEED, live: false, patienceMs: 5000 };
  const tried = EXAMPLES.filter(({ program }) => whyMissing(program) === null).map(async (example) => {
    const { url } = await startExample(context, example, tokens);
    const plan = { ...run, receiver: `${url}/callback`, orderUrl: `${url}/orders/{reference}` };
    const ran = await runChaos(service.app, plan, TESTER);
    const verdicts = ran.kind === 'ran' ? ran.report.classes : [{ class: ran.why, verdict: ran.fix }];
    const expected = CHAOS_CLASSES.map((one) => `${one.name} passed`);
    assert.deepEqual(
      verdicts.map(({ class: name, verdict }) => `${name} ${verdict}`),
      expected,
      example.name,
    );
  });
  await Promise.all(tried);
});

test('the quickstart contains the tested receivers', () => {
  const read = (file: string) => readFileSync(join(repository, file), 'utf8');
  const shown = [...read('docs/quickstart-callbacks.md').matchAll(/```(?:js|php|python)\n([\s\S]*?)```/g)];
  assert.deepEqual(
    shown.map(([, code]) => code),
    ['sdk/examples/receiver.mjs', 'clients/php/examples/receiver.php', 'clients/python/examples/receiver.py'].map(read),
  );
});

test('the receiver in plain Node answers its own addresses only, and 404 to any other', async (context) => {
  const tokens = { service_token: 'a', secret_token: 'b' };
  const { url } = await startExample(context, EXAMPLES[0] as Example, tokens);
  const statusOf = async (method: string, path: string) =>
    (await fetch(`${url}${path}`, { method, body: method === 'POST' ? 'x=1' : null })).status;
  for (const [method, path, status] of [
    ['POST', '/callback', 400],
    ['POST', '/complete', 200],
    ['GET', '/complete?x_reference=ORD-7', 200],
    ['GET', '/cancel', 200],
    ['GET', '/', 200],
    ['GET', '/orders/ORD-7', 200],
    ['GET', '/orders/ORD-8', 404],
    ['POST', '/callbak', 404],
    ['POST', '/callback/', 404],
    ['GET', '/callback', 404],
  ] as const)
    assert.equal(await statusOf(method, path), status, `${method} ${path}`);
});

test('the receivers in PHP and Python show a page to the payer who comes back, by link or by form', async (context) => {
  for (const example of EXAMPLES.filter(({ folder, program }) => folder !== 'sdk' && whyMissing(program) === null)) {
    const { url } = await startExample(context, example, { service_token: 'a', secret_token: 'b' });
    for (const path of ['/complete', '/complete?x_reference=ORD-7', '/cancel'])
      for (const request of [{}, { method: 'POST', body: 'x=1' }]) {
        const answer = await fetch(`${url}${path}`, request);
        assert.deepEqual([answer.status, /callback says/.test(await answer.text())], [200, true], example.name + path);
      }
    assert.equal((await fetch(`${url}/callback`, { method: 'POST', body: 'x=1' })).status, 400);
  }
});

test('the Python receiver refuses a negative Content-Length', {
  skip: whyMissing('python3') ?? false,
}, async (context) => {
  const env = { ...process.env, PYTHONPATH, SERVICE_TOKEN: 'a', SECRET_TOKEN: 'b', PORT: '0' };
  const child = await startChild('python3', ['receiver.py'], { cwd: folderOf('python'), env });
  context.after(() => child.end());
  const { stdout } = await child.until((written) => written.stdout.includes('http://'));
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(stdout.trim()).port) });
  context.after(() => socket.destroy());
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n');
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('The receiver still reads')));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.0 413 /);
});

test('a receiver without tokens exits with an error at its start', async () => {
  for (const { name, program, args, folder } of EXAMPLES) {
    // PHP's server starts the program again for each request.
    if (whyMissing(program) !== null || args.includes('receiver.php')) continue;
    const env = { ...process.env, PYTHONPATH, SERVICE_TOKEN: 'a', SECRET_TOKEN: '' };
    const { status, stderr } = await runChild(program, args, { cwd: folderOf(folder), env });
    assert.equal(status, 1, name);
    assert.match(stderr, /^Set .*SECRET_TOKEN.* to what bin\/rubrica payment-service create printed\.\n$/, name);
  }
});

/** Starts a receiver and waits until it prints its address. `paid` returns the references that it printed as paid. */
async function startExample(context: TestContext, { program, args, folder }: Example, tokens: TokenPair) {
  const orders = mkdtempSync(join(tmpdir(), 'rubrica-orders-'));
  const ORDERS_FILE = join(orders, 'orders.json');
  writeFileSync(ORDERS_FILE, JSON.stringify([{ reference: 'ORD-7', amount: 5000, currency: 'CLP' }, ...CHAOS_ORDERS]));
  const { service_token: SERVICE_TOKEN, secret_token: SECRET_TOKEN } = tokens;
  const given = { PORT: '0', PYTHONPATH, ORDERS_FOLDER: orders, ORDERS_FILE, SERVICE_TOKEN, SECRET_TOKEN };
  const env = { ...process.env, ...given, OLD_SECRET_TOKEN };
  const child = await startChild(program, args, { cwd: folderOf(folder), env });
  context.after(async () => {
    await child.end();
    rmSync(orders, { recursive: true });
  });
  // PHP's server writes to stderr.
  const text = ({ stdout, stderr }: Written) => stdout + stderr;
  const addressIn = (written: Written) => /http:\/\/127\.0\.0\.1:[1-9]\d*(?=\D)/.exec(text(written))?.[0];
  const url = addressIn(await child.until((written) => addressIn(written) !== undefined));
  const paid = () => [...text(child.written()).matchAll(/\bpaid (\S+)$/gm)].map(([, reference]) => reference);
  const receive = async ({ headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>): Promise<number> => {
    const kept = Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('webhook-'));
    return (await fetch(`${url}/callback`, { method: 'POST', headers: kept, body })).status;
  };
  return { url, receive, paid, stop: () => child.end() };
}

const repository = join(import.meta.dirname, '../..');
const PYTHONPATH = join(repository, 'clients/python/src');

/** Returns the folder of an example; the SDK's receivers run next to its packed package, as in a shop. */
function folderOf(folder: Example['folder']): string {
  return folder === 'sdk' ? join(sdk.sdk, 'examples') : join(repository, 'clients', folder, 'examples');
}

/** Returns bodies that the service never sends. */
function forgeriesOf(genuine: string): Record<string, string> {
  const without = new URLSearchParams(genuine);
  without.delete('x_message');
  return {
    'another result': genuine.replace('completed', 'pending'),
    'no signature': genuine.replace(/&x_signature=\w+/, ''),
    'a signature in capitals': genuine.replace(/(?<=x_signature=)\w+/, (text) => text.toUpperCase()),
    'a short signature': genuine.slice(0, -1),
    'a field less': without.toString(),
    'a field twice': `${genuine}&x_amount=1`,
    nothing: '',
  };
}

/** Returns a callback as the service would send it, with `changes`. */
function signedCallback(tokens: TokenPair, changes: Record<string, string>) {
  const fields: Record<string, string> = {
    x_account_id: tokens.service_token,
    x_amount: '5000.00',
    x_currency: 'CLP',
    x_gateway_reference: '1001',
    x_message: 'Approved',
    x_reference: 'ORD-7',
    x_result: 'completed',
    x_test: 'true',
    x_timestamp: '2026-01-15T12:01:30.000Z',
    ...changes,
  };
  const message = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  const x_signature = computeSignature(message, signingKey(tokens.secret_token));
  return signedHeaders(tokens, new URLSearchParams({ ...fields, x_signature }).toString());
}

/** Returns the body with the headers that the service would send. */
function signedHeaders(tokens: TokenPair, body: string) {
  const seconds = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'webhook-id': 'evt_1001_2',
    'webhook-timestamp': String(seconds),
    'webhook-signature': signWebhook('evt_1001_2', seconds, body, webhookKey(tokens.secret_token)),
  };
  return { headers, body };
}

function clientTokens({ service_token: serviceToken, secret_token: secretToken }: TokenPair) {
  return { serviceToken, secretToken };
}
