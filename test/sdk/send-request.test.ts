import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import openapi from '../../openapi.json' with { type: 'json' };
import { isReplyTo } from '../../sdk/src/reply-member.ts';
import { createRubricaClient } from '../../sdk/src/rubrica-client.ts';
import { RubricaError } from '../../sdk/src/rubrica-error.ts';
import { findFreePort } from '../support/free-port.ts';

const ACCOUNT = { rut: '12345678-5', bankData: { bankSBIFNumber: '012', bankAccount: '12345678' } };

const CLIENT = readFileSync(join(import.meta.dirname, '../../sdk/src/rubrica-client.ts'), 'utf8');

/** Opens a client of a server with this answer. */
async function clientOf(context: TestContext, answer: RequestListener, timeoutMs?: number) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  context.after(() => server.closeAllConnections());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createRubricaClient({ baseUrl, accessToken: 'jwt', ...(timeoutMs !== undefined && { timeoutMs }) });
}

// Uses the fetch of Node, which keeps the timers of its start. So no test in this file may replace the clock.
test('a request that times out ends in NO_ANSWER, which may be retried', async (context) => {
  const client = await clientOf(context, () => {}, 50);
  const error = await client.validateBankAccounts([ACCOUNT]).catch((error: unknown) => error);
  assert.ok(error instanceof RubricaError);
  assert.deepEqual([error.code, error.status, error.retryable], ['NO_ANSWER', null, true]);
  assert.equal((error.cause as Error).name, 'TimeoutError');
});

test('an unreachable service ends in NOT_SENT, and the message names address, cause and fix', async () => {
  const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
  const client = createRubricaClient({ baseUrl, accessToken: 'jwt' });
  const error = await client.validateBankAccounts([ACCOUNT]).catch((error: unknown) => error);
  assert.ok(error instanceof RubricaError);
  assert.equal(error.code, 'NOT_SENT');
  assert.equal(
    error.message,
    'NOT_SENT: There was no connection (ECONNREFUSED), so nothing was sent. Check that the service runs, and the host and ' +
      `port of baseUrl. (POST ${baseUrl}/validations/BankAccount/batch)`,
  );
});

test('https at a port that answers with plain HTTP ends in NOT_SENT, and the message says so', async (context) => {
  let asked = 0;
  const server = createServer(() => {
    asked += 1;
  }).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createRubricaClient({ baseUrl, accessToken: 'jwt' });
  await assert.rejects(client.validateBankAccounts([ACCOUNT]), {
    code: 'NOT_SENT',
    message:
      /\(ERR_SSL_\w+\), so nothing was sent\. The port does not answer with TLS: check the port of baseUrl, or write http:/,
  });
  assert.equal(asked, 0);
});

test('an answer that is cut off or has no body ends in NO_ANSWER, which may be retried', async (context) => {
  for (const text of ['{"message":"ok","errors":null,"da', '']) {
    let asked = 0;
    const client = await clientOf(context, (request, response) => {
      asked += 1;
      request.resume();
      // Without a length, as some proxies send it, so the end of the body is unknown.
      request.on('end', () => response.socket?.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${text}`));
    });
    await assert.rejects(client.validateBankAccounts([ACCOUNT]), { code: 'NO_ANSWER', retryable: true });
    assert.equal(asked, 1);
  }
});

test('JSON of another service with status 200 ends in UNREADABLE_ANSWER', async (context) => {
  const ofGateway = '{"code":"E1","message":"Down"}';
  const empty = ['{}', '[]', 'null', '{"data":null}', '{"data":{}}'];
  for (const text of [...empty, '5', '"ok"', '<html>', '{"ok":true}', ofGateway]) {
    const client = await clientOf(context, (_, response) => response.end(text));
    const refused = { name: 'RubricaError', code: 'UNREADABLE_ANSWER', status: 200 };
    await assert.rejects(client.getStatus(1), refused, text);
    await assert.rejects(client.getTransaction(1), refused, text);
    await assert.rejects(client.listRefunds(1), refused, text);
    await assert.rejects(client.login({ username: 'ana', password: 'b' }), refused, text);
    await assert.rejects(client.events().next(), refused, text);
    await assert.rejects(client.readBalance(), refused, text);
    await assert.rejects(client.listPayoutBatches(), refused, text);
    const refund = client.createRefund(1, { amount: 500, type: 'parcial' }, { idempotencyKey: 'key-1' });
    await assert.rejects(refund, { ...refused, idempotencyKey: 'key-1' }, text);
  }
});

test('every answer that the API describes is recognised by the client', () => {
  for (const [path, item] of Object.entries(openapi.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const name = `${method.toUpperCase()} ${path}`;
      if (!CLIENT.includes(`'${name}'`)) continue;
      for (const [status, { content }] of Object.entries((operation as Described).responses)) {
        const example = content?.['application/json']?.example;
        if (status.startsWith('2')) assert.ok(isReplyTo(name, example ?? {}), `${name} ${status}`);
      }
    }
  }
});

type Described = { responses: Record<string, { content?: { 'application/json'?: { example?: object } } }> };

test('a connection that breaks after the request ends in NO_ANSWER', async (context) => {
  const client = await clientOf(context, (request) => request.socket.destroy());
  await assert.rejects(client.validateBankAccounts([ACCOUNT]), { code: 'NO_ANSWER', status: null });
});
