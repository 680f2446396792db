import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { sign } from '../../protocol/sign-fields.ts';
import { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';

const SECRET = 'ñandú, and a text longer than one block of SHA-256, so that it is hashed before it becomes a key';
const ORDER = {
  x_account_id: 'service-token',
  x_amount: 12990,
  x_currency: 'CLP',
  x_customer_email: 'ana@example.cl',
  x_reference: 'PEDIDO-Ñ1',
  x_session_id: 'session-1',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example/callback',
  x_url_cancel: 'https://shop.example/cancel',
  x_url_complete: 'https://shop.example/complete',
};
const CALLBACK = {
  x_account_id: 'service-token',
  x_amount: '12990.00',
  x_currency: 'CLP',
  x_gateway_reference: '1001',
  x_message: 'Aprobación',
  x_reference: 'PEDIDO-Ñ1',
  x_result: 'completed',
  x_test: 'false',
  x_timestamp: '2026-01-15T12:00:00.000Z',
};
const NOW = Date.parse(CALLBACK.x_timestamp);

/** Runs in the browser with `given` and `sdk`; writes its result into the title of the page. */
const PROGRAM = `
async function tryAll() {
  const { body, headers, now, order, secret } = given;
  const verify = (changes) => sdk.verifyCallbackAsync({ body, headers, now, secret: ['other', secret], expected: {}, ...changes });
  const codeOf = async (changes) => (await verify(changes)).code;
  const client = sdk.createRubricaClient({ baseUrl: location.origin, serviceToken: order.x_account_id, secretToken: secret });
  const { x_account_id, ...fields } = order;
  return {
    signature: (await sdk.signAsync(order, secret)).x_signature,
    result: (await verify({})).data?.x_result,
    refused: [
      await codeOf({ secret: 'other' }),
      await codeOf({ body: body.replace('12990', '1') }),
      await codeOf({ headers: { ...headers, 'webhook-id': 'evt_2' } }),
      await codeOf({ headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replace(/.=$/, 'B=') } }),
      await codeOf({ now: now + 301_000 }),
      await codeOf({ body: '{' }),
      await codeOf({ body: new Uint8Array([0x78, 0xff]) }),
    ],
    emptySecret: await codeOf({ secret: '' }).catch(({ name }) => name),
    synchronous: [() => sdk.sign(order, secret), () => sdk.explain({ body, secret })].map((call) => {
      try { return String(call()); } catch ({ message }) { return /signAsync or verifyCallbackAsync/.test(message); }
    }),
    created: await client.createTransaction(fields),
  };
}
`;

/** The program's result if everything works, computed with Node's own hashing. */
export function expectedOfBrowser(url: string): object {
  return {
    signature: sign(ORDER, SECRET).x_signature,
    result: 'completed',
    refused: [
      'SIGNATURE_INVALID',
      'SIGNATURE_INVALID',
      'WEBHOOK_SIGNATURE_INVALID',
      'WEBHOOK_SIGNATURE_INVALID',
      'WEBHOOK_TIME_REFUSED',
      'INVALID_JSON',
      'INVALID_ENCODING',
    ],
    emptySecret: 'TypeError',
    synchronous: [true, true],
    // The service's response has the signature, which proves that it read the signed order.
    created: { idTrx: 1, payUrl: [{ url: `${url}/pay/${sign(ORDER, SECRET, { allowHttp: true }).x_signature}` }] },
  };
}

/**
 * Serves a site on loopback with the files of the package, a page and a worker that run the program, and `POST /trxs`.
 */
export async function serveBrowserSite(dist: string): Promise<AsyncDisposable & { url: string }> {
  const run = `import * as sdk from '/sdk/src/rubrica-sdk.js';\nconst given = ${JSON.stringify(given())};\n${PROGRAM}`;
  const say =
    'const said = (value) => { document.title = JSON.stringify(value); };\nconst failed = (error) => said(error.stack);';
  const files: Record<string, [type: string, text: string]> = {
    '/page.html': ['text/html', `<script type="module">${run}${say}\ntryAll().then(said, failed);</script>`],
    '/worker.html': [
      'text/html',
      `<script>${say}\nconst worker = new Worker('/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => said(data); worker.onerror = ({ message }) => said(message);</script>`,
    ],
    '/worker.js': ['text/javascript', `${run}tryAll().then(postMessage, ({ stack }) => postMessage(stack));`],
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path === '/trxs') {
      void answerOrder(request, response);
      return;
    }
    const [type, text] = files[path] ?? [
      'text/javascript',
      path.endsWith('.js') ? readFileSync(join(dist, path), 'utf8') : '',
    ];
    response.setHeader('content-type', `${type}; charset=utf-8`).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answerOrder(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { x_signature: signature } = JSON.parse((await request.toArray()).join('')) as { x_signature: string };
  const url = `http://${request.headers.host}/pay/${signature}`;
  response.end(JSON.stringify({ data: { idTrx: 1, payUrl: [{ url }] } }));
}

function given() {
  const names = Object.keys(CALLBACK).sort() as (keyof typeof CALLBACK)[];
  const signature = computeSignature(names.map((name) => name + CALLBACK[name]).join(''), signingKey(SECRET));
  const body = new URLSearchParams({ ...CALLBACK, x_signature: signature }).toString();
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(NOW / 1000),
    'webhook-signature': `v1,${'A'.repeat(43)}= ${signWebhook('evt_1', NOW / 1000, body, webhookKey(SECRET))}`,
  };
  return { body, headers, now: NOW, order: ORDER, secret: SECRET };
}
