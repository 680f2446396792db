import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeSignature, signingKey } from '../../sdk/src/hmac.ts';
import { authenticateRequest } from '../../src/payment-services/authenticate-request.ts';
import { createPaymentService, importPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { disablePaymentService, listPaymentServices } from '../../src/payment-services/list-payment-services.ts';
import { storeSecretUse } from '../../src/payment-services/note-secret-use.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

const MESSAGE = 'x_amount1000';

forEachEngine('payment services', (openTestDatabase) => {
  test('each environment has a pair of its own, and one never signs for the other', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development, production } = await createPaymentService(app, 'Shop');
    assert.match(development.service_token, /^[0-9a-f]{64}$/);
    assert.equal(new Set([...Object.values(development), ...Object.values(production)]).size, 4);
    assert.equal((await signs(app, development.service_token, development.secret_token))?.environment, 'development');
    assert.equal((await signs(app, production.service_token, production.secret_token))?.environment, 'production');
    assert.equal(await signs(app, development.service_token, production.secret_token), null);
    assert.equal(await signs(app, production.service_token, development.secret_token), null);
  });

  test('no Secret Token is in the store in clear', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop');
    const rows = JSON.stringify(await app.db.query('select * from secret_tokens'));
    assert.ok(!rows.includes(development.secret_token));
  });

  test('tokens that clients already have can be brought over, once', async () => {
    const app = createTestApp(await openTestDatabase());
    const pair = { service_token: 'short-old-token', secret_token: 'ñandú secret' };
    await importPaymentService(app, 'Old shop', 'production', pair);
    assert.equal((await signs(app, pair.service_token, pair.secret_token))?.environment, 'production');
    await assert.rejects(importPaymentService(app, 'Again', 'production', pair));
    assert.equal((await listPaymentServices(app)).length, 1);
  });

  test('a rotated Secret Token works beside the new one until it closes', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop');
    const rotation = await rotateSecretToken(app, id, 'development', 60_000);
    assert.ok(rotation !== null);
    const { service_token: token, secret_token: fresh } = rotation;
    assert.ok(await signs(app, token, development.secret_token));
    assert.ok(await signs(app, token, fresh));
    app.now.advance(60_000);
    assert.equal(await signs(app, token, development.secret_token), null);
    assert.ok(await signs(app, token, fresh));
  });

  test('a rotation without overlap closes the old one at once; another keeps what closes sooner', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop');
    await signs(app, development.service_token, development.secret_token);
    await rotateSecretToken(app, id, 'development', 0);
    await rotateSecretToken(app, id, 'development', 3_600_000);
    app.now.advance(1000);
    assert.equal(await signs(app, development.service_token, development.secret_token), null);
    assert.equal(await rotateSecretToken(app, 'ps_unknown', 'development', 0), null);
  });

  test('a disabled payment service stops within a second, cached or not', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop');
    assert.ok(await signs(app, development.service_token, development.secret_token));
    assert.equal(await disablePaymentService(app, id), 'changed');
    assert.equal(await disablePaymentService(app, id), 'already');
    app.now.advance(1000);
    assert.equal(await signs(app, development.service_token, development.secret_token), null);
  });

  test('the last use of a Secret Token is shown', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop');
    await signs(app, development.service_token, development.secret_token);
    await storeSecretUse(app);
    const [listed] = await listPaymentServices(app);
    const uses = listed?.tokens.map(({ environment, last_used_at }) => [environment, last_used_at]);
    assert.deepEqual(uses, [
      ['development', app.now()],
      ['production', null],
    ]);
  });
});

function signs(app: TestApp, serviceToken: string, secret: string) {
  return authenticateRequest(app, serviceToken, MESSAGE, computeSignature(MESSAGE, signingKey(secret)));
}
