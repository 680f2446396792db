import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';
import { createRubricaClient } from '../../sdk/src/rubrica-client.ts';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import { runChild, startChild, type Written } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { packSdk, type SdkPackage } from '../support/sdk-package.ts';
import { type Program, whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { type ReceivedRequest, startReceiver, startTestService } from '../support/test-service.ts';
import { payOnPage, testOrder } from '../support/test-shop.ts';

type Example = { name: string; program: Program; args: string[] };

const EXAMPLES: Example[] = [
  { name: 'Node alone', program: 'node', args: ['receiver.mjs'] },
  { name: 'Node and the SDK', program: 'node', args: ['receiver-node.mjs'] },
  { name: 'Express', program: 'node', args: ['receiver-express.mjs'] },
  { name: 'Fastify', program: 'node', args: ['receiver-fastify.mjs'] },
  { name: 'PHP', program: 'php', args: ['-S', '127.0.0.1:0', 'receiver.php'] },
  { name: 'Python', program: 'python3', args: ['receiver.py'] },
];

/** What is signed as a callback of the paid order is, but for these fields; and the answer. None of it is a payment. */
const NO_PAYMENT: [name: string, changes: Record<string, string>, status: number][] = [
  ['of another amount', { x_amount: '4999.00' }, 400],
  ['of another currency', { x_currency: 'USD' }, 400],
  ['of a payment that is no test', { x_test: 'false' }, 400],
  ['of another account', { x_account_id: 'somebody-else' }, 400],
  ['with a value that holds the name of a field', { x_message: 'Approvedx_referenceORD-7' }, 400],
  ['with one more field', { x_products: 'none' }, 400],
  ['of an order that there is not', { x_reference: 'ORD-8' }, 404],
  ['of a declined payment', { x_result: 'failed', x_message: 'Declined' }, 200],
];

let sdk: SdkPackage;
before(async () => {
  sdk = await packSdk();
});
after(() => sdk[Symbol.dispose]());

forEachEngine('the receivers of sdk/examples', (openTestDatabase) => {
  for (const { name, program, args } of EXAMPLES) {
    const skip = whyMissing(program) ?? false;
    test(`with ${name}: an order is paid by its own callback, once, and by nothing else`, { skip }, async (context) => {
      const service = await startTestService(context, (await openTestDatabase()).url);
      const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
      const shop = await startExample(context, program, args, tokens);
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
      const forged = genuine.body.replace('completed', 'pending').replace('ORD-7', 'ORD-7 ');
      assert.equal(await shop.receive({ ...genuine, body: forged }), 400, 'a forged callback');
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

test('a receiver that lacks its tokens says so when it starts', async () => {
  for (const { name, program, args } of EXAMPLES) {
    // The server of PHP starts a program with each request.
    if (whyMissing(program) !== null || args.includes('receiver.php')) continue;
    const env = { ...process.env, SERVICE_TOKEN: 'a', SECRET_TOKEN: '' };
    const { status, stderr } = await runChild(program, args, { cwd: join(sdk.sdk, 'examples'), env });
    assert.equal(status, 1, name);
    assert.match(stderr, /^Set .*SECRET_TOKEN.* to what bin\/rubrica payment-service create printed\.\n$/, name);
  }
});

/** Runs a receiver until it prints its address. `paid` answers the orders that it says were paid. */
async function startExample(context: TestContext, program: Program, args: string[], tokens: TokenPair) {
  const orders = mkdtempSync(join(tmpdir(), 'rubrica-orders-'));
  const { service_token: SERVICE_TOKEN, secret_token: SECRET_TOKEN } = tokens;
  const env = { ...process.env, PORT: '0', ORDERS_FOLDER: orders, SERVICE_TOKEN, SECRET_TOKEN };
  const child = await startChild(program, args, { cwd: join(sdk.sdk, 'examples'), env });
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
  return { receive, paid, stop: () => child.end() };
}

/** A callback as the service would send it, but for `changes`. */
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
  const body = new URLSearchParams({ ...fields, x_signature }).toString();
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
