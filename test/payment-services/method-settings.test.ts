import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableMethods } from '../../src/checkout/available-methods.ts';
import { findEnvironmentById } from '../../src/payment-services/find-environment.ts';
import { findMethodKey, removeMethodSettings, setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { selectAccountInUse, selectListedSettings } from '../../src/payment-services/method-settings-queries.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const ACCOUNT = { account: '597012345678', key: 'the-api-key-of-the-merchant' };

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const environment = await createTestEnvironment(app, 'production');
  const target = {
    paymentServiceId: environment.paymentServiceId,
    environment: 'production',
    method: 'webpay',
  } as const;
  return { app, environment, target };
}

async function configured(app: TestApp, { id }: ServiceEnvironment): Promise<readonly string[] | undefined> {
  app.now.advance(1000);
  return (await findEnvironmentById(app, id))?.configuredMethods;
}

forEachEngine('the settings of a payment method', (openTestDatabase) => {
  test('are kept for each account, also when another account takes over or none is in use', async () => {
    const { app, environment, target } = await open(openTestDatabase);
    const keyOf = ({ account }: { account: string }) => findMethodKey(app, environment.id, 'webpay', account);
    const inUse = () => selectAccountInUse(app.db, environment.id, 'webpay');
    assert.deepEqual([await keyOf(ACCOUNT), await inUse()], [null, null]);
    assert.equal(await setMethodSettings(app, target, ACCOUNT, TESTER), true);
    assert.deepEqual([await keyOf(ACCOUNT), await inUse()], [ACCOUNT.key, ACCOUNT.account]);
    const other = { account: '597087654321', key: 'another-key' };
    await setMethodSettings(app, target, other, TESTER);
    assert.deepEqual([await keyOf(ACCOUNT), await keyOf(other)], [ACCOUNT.key, other.key]);
    assert.equal(await inUse(), other.account);
    assert.equal(await removeMethodSettings(app, target, TESTER), true);
    assert.equal(await removeMethodSettings(app, target, TESTER), false);
    app.now.advance(1000);
    assert.deepEqual([await keyOf(other), await inUse()], [other.key, null]);
  });

  test('are used again when an account is set again, with its new key', async () => {
    const { app, environment, target } = await open(openTestDatabase);
    await setMethodSettings(app, target, ACCOUNT, TESTER);
    await setMethodSettings(app, target, { account: '597087654321', key: 'another-key' }, TESTER);
    await setMethodSettings(app, target, { ...ACCOUNT, key: 'the-second-key' }, TESTER);
    app.now.advance(1000);
    assert.equal(await findMethodKey(app, environment.id, 'webpay', ACCOUNT.account), 'the-second-key');
    const listed = await selectListedSettings(app.db);
    assert.deepEqual(
      listed.map(({ account, retired_at }) => [account, retired_at === null]),
      [
        [ACCOUNT.account, true],
        ['597087654321', false],
      ],
    );
  });

  test('are all stored when several are set at once, with exactly one account in use', async () => {
    const { app, target } = await open(openTestDatabase);
    const accounts = Array.from({ length: 16 }, (_, index) => String(597_000_000_000 + index));
    const answers = await Promise.all(
      accounts.map((account) => setMethodSettings(app, target, { account, key: 'the-key' }, TESTER)),
    );
    assert.deepEqual(new Set(answers), new Set([true]));
    const listed = await selectListedSettings(app.db);
    assert.deepEqual(listed.map(({ account }) => account).toSorted(), accounts);
    assert.equal(listed.filter(({ retired_at }) => retired_at === null).length, 1);
  });

  test('belong to one environment of one payment service', async () => {
    const { app, environment, target } = await open(openTestDatabase);
    const other = await createTestEnvironment(app, 'production');
    await setMethodSettings(app, target, ACCOUNT, TESTER);
    assert.deepEqual(await configured(app, environment), ['webpay']);
    assert.deepEqual(await configured(app, other), []);
    assert.equal(await findMethodKey(app, other.id, 'webpay', ACCOUNT.account), null);
    assert.equal(await setMethodSettings(app, { ...target, paymentServiceId: 'ps_none' }, ACCOUNT, TESTER), false);
    assert.equal(await removeMethodSettings(app, { ...target, environment: 'development' }, TESTER), false);
  });

  test('make the method available within a second, without a query for each payment', async () => {
    const { app, environment, target } = await open(openTestDatabase);
    const simulated = app.paymentMethods[0];
    assert.ok(simulated !== undefined);
    const webpay = { ...simulated, code: 'webpay', accepts: ({ configured }: { configured: boolean }) => configured };
    const offered = async () => {
      app.now.advance(1000);
      const now = await findEnvironmentById(app, environment.id);
      assert.ok(now !== null);
      const methods = availableMethods({ ...app, paymentMethods: [simulated, webpay] }, now, {
        currency: 'CLP',
        amount: 1,
      });
      return methods.map(({ code }) => code);
    };
    assert.deepEqual(await offered(), []);
    await setMethodSettings(app, target, ACCOUNT, TESTER);
    assert.deepEqual(await offered(), ['webpay']);
    await removeMethodSettings(app, target, TESTER);
    assert.deepEqual(await offered(), []);
  });

  test('are listed without the key, which is stored only encrypted', async () => {
    const { app, target } = await open(openTestDatabase);
    await setMethodSettings(app, target, ACCOUNT, TESTER);
    const listed = await selectListedSettings(app.db);
    assert.deepEqual(
      listed.map(({ environment, payment_method, account }) => [environment, payment_method, account]),
      [['production', 'webpay', ACCOUNT.account]],
    );
    assert.ok(!Object.keys(listed[0] ?? {}).some((member) => member.includes('key')));
    const rows = await app.db.query('select * from payment_method_accounts');
    assert.doesNotMatch(JSON.stringify([listed, rows]), new RegExp(ACCOUNT.key));
  });

  test('are refused when their key was moved to another row or their account was changed', async () => {
    const changes = [
      `update payment_method_accounts set account = '597000000000'`,
      `update payment_method_accounts set environment_id = (select min(id) from environments)`,
    ];
    for (const change of changes) {
      const { app, target } = await open(openTestDatabase);
      await setMethodSettings(app, target, ACCOUNT, TESTER);
      await app.db.transaction((tx) => tx.query(change));
      const [row] = await app.db.query<{ environment_id: number; account: string }>(
        'select environment_id, account from payment_method_accounts',
      );
      assert.ok(row !== undefined);
      await assert.rejects(findMethodKey(app, row.environment_id, 'webpay', row.account));
    }
  });
});
