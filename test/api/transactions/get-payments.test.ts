import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { disablePaymentService } from '../../../src/payment-services/disable-payment-service.ts';
import { findEnvironmentById, loadEnvironment } from '../../../src/payment-services/find-environment.ts';
import { forEachEngine } from '../../support/engines.ts';
import { leaveFor } from '../../support/moving-shop.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestEnvironment } from '../../support/test-shop.ts';

const SIMULATED = {
  codigo: 'simulated',
  nombre: 'Simulated payment',
  descripcion: 'For development: collects nothing, and the amount decides how the payment ends',
  url_imagen: 'http://127.0.0.1:8080/assets/simulated-method.svg',
};

forEachEngine('GET /payments', (openTestDatabase) => {
  test('lists the methods of the environment whose Service Token is sent', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    for (const [token, types] of [
      [development.service_token, [SIMULATED]],
      [production.service_token, []],
    ] as const) {
      const first = await server.get('/payments', { authorization: token });
      const asParameter = await server.get(`/payments?Authorization=${token}`);
      const second = await server.get(`/v2/payments?x_account_id=${token}&x_currency=USD`);
      assert.deepEqual([first.status, jsonOf(first)], [200, { types }]);
      assert.deepEqual([asParameter.status, jsonOf(asParameter)], [200, { types }]);
      assert.deepEqual([second.status, jsonOf(second)], [200, { types }]);
    }
  });

  test('of a payment service that has moved is answered 421 with the new address', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await leaveFor(app, environment);
    app.now.advance(2000);
    await using server = await startTestServer(app);
    for (const answer of [
      await server.get('/payments', { authorization: environment.serviceToken }),
      await server.get(`/v2/payments?x_account_id=${environment.serviceToken}`),
    ]) {
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [421, 'PAYMENT_SERVICE_MOVED']);
      assert.equal(answer.headers.get('moved-to'), 'https://pay-2.example.cl');
    }
  });

  test('refuses a NUL in a query with 400', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    for (const path of [
      '/payments?Authorization=%00',
      '/v2/payments?x_account_id=a%00b',
      '/v2/payments?x_account_id=a&b=%00',
    ]) {
      const answer = await server.get(path);
      assert.deepEqual([path, answer.status, jsonOf(answer)['code']], [path, 400, 'HTTP_MALFORMED']);
    }
    assert.equal((await server.get('/v2/payments?x_account_id=%2500')).status, 401);
  });

  test('refuses a Service Token that is unknown, disabled, missing or sent twice', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop', TESTER);
    await disablePaymentService(app, id, TESTER);
    await using server = await startTestServer(app);
    const answers = [
      await server.get('/payments'),
      await server.get('/payments', { authorization: 'unknown' }),
      await server.get('/payments', { authorization: 'a'.repeat(2000) }),
      await server.get('/payments', { authorization: development.service_token }),
      await server.get('/payments?Authorization=unknown'),
      await server.get('/payments?Authorization=a&Authorization=b'),
      await server.get('/v2/payments'),
      await server.get('/v2/payments?x_account_id='),
      await server.get('/v2/payments?x_account_id=unknown&x_currency=CLP'),
      await server.get('/v2/payments?x_account_id=a&x_account_id=b'),
    ];
    for (const answer of answers) {
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [401, 'SERVICE_TOKEN_INVALID']);
      assert.match(String(jsonOf(answer)['detail']), /in the Authorization header .+ in x_account_id of the query/);
    }
  });

  test('refuses an invalid currency', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await using server = await startTestServer(app);
    for (const currency of ['clp', 'XXX', '']) {
      const answer = await server.get(`/v2/payments?x_account_id=${development.service_token}&x_currency=${currency}`);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_CURRENCY']);
    }
    const twice = await server.get(
      `/v2/payments?x_account_id=${development.service_token}&x_currency=CLP&x_currency=CLP`,
    );
    assert.deepEqual([twice.status, jsonOf(twice)['code']], [400, 'INVALID_PARAMETER']);
  });

  // A cache could keep environments by token and by `#id` in one map.
  test('does not accept the id of an environment as a Service Token', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    const environment = await loadEnvironment(app, development.service_token);
    await findEnvironmentById(app, environment?.id ?? 0);
    await using server = await startTestServer(app);
    for (const text of [`%23${environment?.id}`, `${environment?.id}`]) {
      assert.equal((await server.get(`/v2/payments?x_account_id=${text}`)).status, 401);
    }
  });
});
