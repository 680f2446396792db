import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RubricaClientOptions } from '../../sdk/src/client-options.ts';
import { createRubricaClient } from '../../sdk/src/rubrica-client.ts';
import { RubricaError } from '../../sdk/src/rubrica-error.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { pastMidnight } from '../support/past-midnight.ts';
import { TESTER } from '../support/test-actor.ts';
import { startReceiver, startTestService } from '../support/test-service.ts';
import { payOnPage, testOrder } from '../support/test-shop.ts';
import { READ_AND_REFUND } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

const YEAR_SECONDS = 31_536_000;
const ACCOUNT = { rut: '12345678-5', bankData: { bankSBIFNumber: '012', bankAccount: '12345678' } };

forEachEngine('the SDK client', (openTestDatabase) => {
  test('creates a payment, refunds a part of it, and reads its events', async (context) => {
    const db = await openTestDatabase();
    const { client, order } = await open(context, db.url);
    assert.deepEqual(
      (await client.listPaymentMethods()).map(({ codigo }) => codigo),
      ['simulated', 'simulated-transfer'],
    );
    await pastMidnight();
    const { idTrx, payUrl } = await client.createTransaction(order);
    assert.equal((await client.createTransaction(order)).idTrx, idTrx);
    await assert.rejects(client.createTransaction({ ...order, x_amount: 6000 }), {
      code: 'REFERENCE_CONFLICT',
      status: 409,
    });
    assert.equal(await client.getStatus(idTrx), 'pending');
    await payOnPage(payUrl);
    assert.equal((await client.getTransaction(idTrx)).status, 'complete');

    const refund = { amount: 2000, type: 'parcial' } as const;
    const token = await client.createRefund(idTrx, refund, { idempotencyKey: 'refund-1' });
    assert.equal(await client.createRefund(idTrx, refund, { idempotencyKey: 'refund-1' }), token);
    await assert.rejects(client.createRefund(idTrx, { amount: 4000, type: 'parcial' }), {
      code: 'REFUND_AMOUNT_TOO_HIGH',
    });
    assert.deepEqual(
      (await client.listRefunds(idTrx)).map(({ montoAnulado }) => montoAnulado),
      [2000],
    );
    assert.notEqual(await client.getRefundStatus(idTrx, token), 'failed');

    const day = await client.getReconciliation({ date: dayOf(Date.now()), environment: 'development' });
    assert.equal(day.totalTransactions, 5000);
    const owed = await client.getIndicators({ availableBalance: 'true', environment: 'development' });
    assert.equal(typeof owed.availableBalance, 'number');
    await untilVisible({ db });
    const pages = await Array.fromAsync(client.events());
    const types = pages.flatMap(({ events }) => events.map(({ type }) => type));
    assert.deepEqual(types.slice(0, 2), ['transaction.created', 'transaction.completed']);
    const [later] = await Array.fromAsync(client.events(pages.at(-1)?.next));
    assert.equal(
      later?.events.some(({ type }) => type === 'transaction.created'),
      false,
    );
  });

  test('validates bank accounts', async (context) => {
    const { client } = await open(context, (await openTestDatabase()).url);
    const validation = await client.validateBankAccount(ACCOUNT, { language: 'es', idempotencyKey: 'account-1' });
    assert.equal(validation.verdict, 'plausible');
    assert.equal((await client.validateBankAccount(ACCOUNT, { idempotencyKey: 'account-1' })).id, validation.id);
    assert.equal((await client.getValidation(validation.id, { language: 'es' })).verdict, 'plausible');
    const wrong = { ...ACCOUNT, rut: '12345678-9', reference: 'second' };
    const { summary, results } = await client.validateBankAccounts([ACCOUNT, wrong]);
    assert.deepEqual([summary.plausible, summary.invalid], [1, 1]);
    assert.equal(results[1]?.reference, 'second');
    const member = { ...ACCOUNT, rut: '' };
    const error = await client.validateBankAccount(member).catch((error: unknown) => error);
    const { code, errors } = error as { code: string; errors: { pointer: string }[] };
    assert.deepEqual([code, errors.map(({ pointer }) => pointer)], ['INVALID_BODY', ['/rut']]);
  });

  test('creates and refunds once, even if every first answer is lost', async (context) => {
    const lost = new Set<string>();
    const forgetful = async (url: string, init: object) => {
      const reply = await fetch(url, init);
      if (lost.has(url)) return reply;
      lost.add(url);
      throw new TypeError('fetch failed');
    };
    const db = await openTestDatabase();
    const { client, order } = await open(context, db.url, { fetch: forgetful });
    const { idTrx, payUrl } = await client.createTransaction(order);
    await payOnPage(payUrl);
    const token = await client.createRefund(idTrx, { amount: 2000, type: 'parcial' });
    assert.deepEqual(
      (await client.listRefunds(idTrx)).map(({ verificationToken }) => verificationToken),
      [token],
    );
    await client.validateBankAccount(ACCOUNT);
    await untilVisible({ db });
    const pages = await Array.fromAsync(client.events());
    const types = pages.flatMap(({ events }) => events.map(({ type }) => type));
    const once = ['transaction.created', 'transaction.completed'];
    assert.deepEqual(
      types.filter((type) => once.includes(type)),
      once,
    );
  });

  test('refunds once if it repeats a refund with the idempotency key of the error', async (context) => {
    let isDown = false;
    const unlucky = async (url: string, init: object) => {
      const reply = await fetch(url, init);
      if (isDown) throw new TypeError('fetch failed');
      return reply;
    };
    const { client, order } = await open(context, (await openTestDatabase()).url, { fetch: unlucky });
    const { idTrx, payUrl } = await client.createTransaction(order);
    await payOnPage(payUrl);
    const refund = { amount: 2000, type: 'parcial' } as const;
    assert.equal(await client.getStatus(idTrx), 'complete');
    isDown = true;
    const error = await client.createRefund(idTrx, refund).catch((error: unknown) => error);
    isDown = false;
    assert.ok(error instanceof RubricaError && error.idempotencyKey !== null);
    assert.match(error.message, new RegExp(`Call again with the idempotency key ${error.idempotencyKey}\\.`));
    const token = await client.createRefund(idTrx, refund, { idempotencyKey: error.idempotencyKey });
    assert.deepEqual(
      (await client.listRefunds(idTrx)).map(({ verificationToken }) => verificationToken),
      [token],
    );
  });

  test('logs in with a password or an API token, and reports wrong ones', async (context) => {
    const { client, user } = await open(context, (await openTestDatabase()).url);
    assert.equal((await client.login({ username: user.email, password: user.password })).token_type, 'Bearer');
    const askedAt = Date.now();
    const { expires_in: seconds } = await client.loginToken(user.api_token);
    // The rest of a year by the clock of the machine: a second may begin between the log-in and its answer.
    const least = YEAR_SECONDS - Math.ceil((Date.now() - askedAt) / 1000);
    assert.ok(least <= seconds && seconds <= YEAR_SECONDS, `${seconds}`);
    await assert.rejects(client.login({ username: user.email, password: 'wrong' }), {
      code: 'LOGIN_FAILED',
      status: 401,
    });
    await assert.rejects(client.loginToken('api_wrong'), { code: 'API_TOKEN_INVALID' });
  });
});

/** Opens a service, a shop and a user with payouts, for whom the client logs in. */
async function open(context: TestContext, databaseUrl: string, options: Partial<RubricaClientOptions> = {}) {
  const service = await startTestService(context, databaseUrl);
  const shop = await startReceiver(context);
  const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
  const user = await createUser(
    service.app,
    {
      email: 'shop@example.cl',
      may: [...READ_AND_REFUND, 'accounts:validate'],
      paymentServices: 'all',
    },
    TESTER,
  );
  const client = createRubricaClient({
    baseUrl: service.url,
    serviceToken: tokens.service_token,
    secretToken: tokens.secret_token,
    login: { apiToken: user.api_token },
    ...options,
  });
  return { client, order: testOrder(shop.url), user };
}
