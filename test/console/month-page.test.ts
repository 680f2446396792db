import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the page of a month', (openTestDatabase) => {
  test('names merchants of the same name with their ids', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const finance = (await createTestUser(app, { role: 'finance', may: [] })).console;
    const monthOf = async () =>
      (await server.get('/console/months?month=2026-01&environment=development', finance)).text;
    const pay = async () => {
      const environment = await createTestEnvironment(app);
      await startPayment(app, await createTestTransaction(app, environment), 'simulated');
      return environment.paymentServiceId;
    };
    const first = await pay();
    assert.match(await monthOf(), />Test shop<\/a>/);
    const second = await pay();
    const text = await monthOf();
    for (const id of [first, second]) assert.ok(text.includes(`>Test shop · ${id}</a>`), text);
  });
});
