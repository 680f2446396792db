import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { PERMISSIONS, type Permission } from '../../src/auth/permission.ts';
import { readConfig } from '../../src/config.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { readOpenApi } from '../../src/reference/get-openapi.ts';
import { operationsOf } from '../../src/reference/openapi-operations.ts';
import type { OpenApiDocument } from '../../src/reference/openapi-shape.ts';
import { requestOf } from '../../src/reference/reference-page.ts';
import { requestSamples } from '../../src/reference/request-samples.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { runChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the API description over HTTP', (openTestDatabase) => {
  test('/openapi.json names every described endpoint with all its paths, and the address of the service', async () => {
    const config = readConfig({
      MASTER_KEY: '5a'.repeat(32),
      PUBLIC_URL: 'https://pay.example.cl',
      BASE_PATH: '/pagos',
    });
    await using server = await startTestServer(createTestApp(await openTestDatabase(), { config }));
    const answer = await server.get('/pagos/openapi.json');
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    const document = jsonOf(answer) as { paths: object; servers: object };
    const described = ROUTES.filter(({ describe }) => describe !== undefined);
    const paths = described.flatMap((endpoint) => endpoint.paths.map((path) => path.replace(/:(\w+)/g, '{$1}')));
    assert.deepEqual(Object.keys(document.paths).sort(), [...new Set(paths)].sort());
    assert.deepEqual(document.servers, [{ url: 'https://pay.example.cl/pagos' }]);
  });

  test('/openapi/transfers.json describes only the bank account validation and its logins, as version 1.1.0', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const answer = await server.get('/openapi/transfers.json');
    const document = jsonOf(answer) as {
      info: { version: string };
      paths: Record<string, unknown>;
      components: { schemas: object; securitySchemes: object };
    };
    assert.equal(document.info.version, '1.1.0');
    assert.ok('/validations/BankAccount' in document.paths && '/users/login' in document.paths);
    assert.ok('/api-tokens/{id}' in document.paths, 'a token that was made can be ended');
    assert.ok(!('/trxs' in document.paths) && !('SignedRequest' in document.components.schemas));
    assert.deepEqual(Object.keys(document.components.securitySchemes), ['accessToken', 'apiToken']);
    for (const [, name] of answer.text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      assert.ok((name as string) in document.components.schemas, `the description has ${name}`);
    }
  });

  test('no request that the reference shows has an invalid parameter or body, except one that needs a method', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    const { headers: user } = await createTestUser(app, { may: Object.keys(PERMISSIONS) as Permission[] });
    const document = jsonOf(await server.get('/openapi.json')) as OpenApiDocument;
    const refused: string[] = [];
    for (const described of operationsOf(document)) {
      const { method, url, headers, body } = requestOf(described, { ...document, servers: [{ url: '' }] });
      const sent = { ...headers, ...(headers['Authorization'] === 'Bearer ACCESS_TOKEN' && user) };
      const path = url.replace('SERVICE_TOKEN', development.service_token);
      const answer = await server.send(method, path, {
        headers: sent,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (/"code":"INVALID_(?:PARAMETER|BODY)"/.test(answer.text)) refused.push(`${method} ${path}: ${answer.text}`);
    }
    // The example names a payment method without settings here.
    assert.deepEqual(
      refused.map((one) => one.split(':')[0]),
      ['POST /bank-statements/1001/uses'],
    );
  });

  test('every request in curl that the reference shows is sent with the method of its endpoint', async (context) => {
    const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
    const methods: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      methods.push(request.method);
      response.end();
    }).listen(0, '127.0.0.1', hear);
    context.after(() => server.close());
    await heard;
    const { port } = server.address() as AddressInfo;
    const document = await readOpenApi(createTestApp(await openTestDatabase()));
    const operations = operationsOf(document).filter(({ method }) => method !== 'get');
    const here = { ...document, servers: [{ url: `http://127.0.0.1:${port}` }] };
    const samples = operations.map((described) => requestSamples(requestOf(described, here)).curl);
    await runChild('sh', ['-c', samples.join('\n')]);
    assert.deepEqual(
      methods,
      operations.map(({ method }) => method.toUpperCase()),
    );
  });

  test('a body that is too large for an endpoint without a body is refused as the description says', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { headers } = await createTestUser(app, { may: Object.keys(PERMISSIONS) as Permission[] });
    const bodiless = ROUTES.filter(({ method, consumes, describe }) => method !== 'GET' && !consumes && describe);
    assert.notEqual(bodiless.length, 0);
    for (const { method, paths } of bodiless) {
      // The test server checks every answer against the description.
      const answer = await server.send(method, paths[0].replace(/:\w+/g, 'x'), { headers, body: 'x'.repeat(20_000) });
      assert.equal(answer.status, 413, paths[0]);
    }
  });

  test('an error on the wire has exactly the members of its example', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    const { components } = jsonOf(await server.get('/openapi.json')) as {
      components: { examples: Record<string, { value: object }> };
    };
    const answer = await server.get('/trxs/1');
    assert.equal(answer.status, 401);
    assert.deepEqual(
      { ...jsonOf(answer), request_id: 'abbb19dcc55b4f49d6' },
      components.examples['TOKEN_MISSING']?.value,
    );
  });
});
