import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the page of a month', (openTestDatabase) => {
  test('counts the lines of bank statements that nobody explained, and still closes', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { paymentServiceId } = await createTestEnvironment(app);
    app.now.advance(40 * 86_400_000);
    const finance = (await createTestUser(app, { role: 'finance', may: [] })).console;
    const monthOf = async () =>
      (await server.get('/console/months?month=2026-01&environment=development', finance)).text;
    assert.doesNotMatch(await monthOf(), /Líneas de cartolas/);
    const of = { environment: 'development', paymentServiceId, account: '1234', by: TESTER } as const;
    const line = (at: number, day: string) => ({ line: at, day, amount: 5000, text: `ABONO ${at}` });
    const lines = [line(1, '2026-01-31'), line(2, '2026-02-01'), line(3, '2026-01-01')];
    const evidence = { name: 'c.csv', sha256: 'ab', bytes: 1, excerpt: '' };
    await importStatement(app, { ...of, evidence }, { lines, proof: 'balance' });
    const text = await monthOf();
    assert.match(text, /kind=statement">Líneas de cartolas del mes sin explicar: 2\.<\/a>/);
    assert.match(text, /Cerrar 2026-01/);
  });

  test('and the accounts offer one environment, never both together, and say which mistake a month has', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { paymentServiceId } = await createTestEnvironment(app);
    const finance = (await createTestUser(app, { role: 'finance', may: [] })).console;
    for (const path of ['/months', '/accounts', `/accounts/${paymentServiceId}`]) {
      const { text } = await server.get(`/console${path}?environment=`, finance);
      const choices = /<select name="environment">(.*?)<\/select>/s.exec(text)?.[1] ?? '';
      assert.deepEqual(choices.match(/value="\w*"(?: selected)?/g), [
        'value="development" selected',
        'value="production"',
      ]);
    }
    const wrong = await server.get('/console/months?month=&environment=', finance);
    assert.match(wrong.text, /Un mes se escribe como 2026-01\./);
  });

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
