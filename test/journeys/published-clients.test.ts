import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createUser, type NewUser, type UserWish } from '../../src/auth/create-user.ts';
import type { RunningService } from '../../src/cli/run/serve-command.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { runChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { pastMidnight } from '../support/past-midnight.ts';
import { whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startReceiver, startTestService } from '../support/test-service.ts';
import { payOnPage } from '../support/test-shop.ts';
import { READ_AND_REFUND } from '../support/test-user.ts';

const require = createRequire(import.meta.url);

/** The parts of the published packages that are used; they have no types. */
type PublishedApi = {
  ApiClient: {
    instance: {
      basePath: string;
      defaultHeaders: Record<string, string>;
      authentications: Record<string, { accessToken?: string; apiKey?: string }>;
    };
  };
  TrxsApi: new () => {
    trxsPost(options: object, done: Done): void;
    trxsIdGet(id: number, done: Done): void;
    trxsIdTrxNullificationPost(id: number, options: object, done: Done): void;
    trxsIdTrxNullificationGet(id: number, done: Done): void;
    trxsIdTrxNullificationStatusGet(id: number, verificationToken: string, done: Done): void;
  };
  RemittancesApi: new () => { remittancesConciliationGet(email: string, date: Date, done: Done): void };
  IndicatorsApi: new () => { indicatorsRemittancesGet(options: object, done: Done): void };
  PaymentsApi: new () => { paymentsGet(serviceToken: string, done: Done): void };
  UsersApi: new () => { usersGet(done: Done): void };
  WebhooksApi: new () => {
    webhooksPost(options: object, done: Done): void;
    webhooksIdUserGet(idUser: string, done: Done): void;
    webhooksIdUserWebhookPut(idUser: string, webhook: string, options: object, done: Done): void;
    webhooksIdUserWebhookDelete(idUser: string, webhook: string, done: Done): void;
  };
  AuthApi: new () => { usersLoginPost(options: object, done: Done): void };
  LoginBody: new (username: string, password: string) => object;
};
type Done = (error: Error | null, data: unknown, response: { status: number; body: unknown }) => void;

const api = require('@pagofacil/api_pago_facil') as PublishedApi;
const signer = require('@pagofacil/sdk-apis-javascript-signature') as {
  signPayload(payload: object, secret: string): string;
};

forEachEngine('published clients with only their base URL changed', (openTestDatabase) => {
  test('the JavaScript SDK and signer create a payment, verify its callback, log in and read it', async (context) => {
    const { service, tokens, receiver } = await open(context, (await openTestDatabase()).url);
    api.ApiClient.instance.basePath = service.url;
    const payload = orderOf(tokens, receiver.url);
    const body = { ...payload, x_signature: signer.signPayload(payload, tokens.secret_token) };
    const trxs = new api.TrxsApi();
    const created = await call((done) => trxs.trxsPost({ inlineObject: body }, done));
    assert.equal(created.status, 200);
    const { data } = created.body as { data: { idTrx: number; payUrl: { name: string; code: string; url: string }[] } };
    assert.ok(Number.isInteger(data.idTrx));
    assert.deepEqual(
      data.payUrl.map(({ code }) => code),
      ['gateway', 'simulated', 'simulated-transfer'],
    );

    await payOnPage(data.payUrl);
    const fields = Object.fromEntries(new URLSearchParams((await receiver.next()).body));
    assert.equal(fields.x_signature, signer.signPayload(fields, tokens.secret_token));
    assert.equal(fields.x_result, 'completed');

    await logIn(service);
    const read = await call((done) => trxs.trxsIdGet(data.idTrx, done));
    assert.equal((read.body as { data: { status: string } }).data.status, 'complete');
  });

  test('the JavaScript SDK refunds a payment, polls the refund, and reads the reconciliation and the balance', async (context) => {
    const { service, tokens } = await open(context, (await openTestDatabase()).url);
    api.ApiClient.instance.basePath = service.url;
    const environment = await loadEnvironment(service.app, tokens.service_token);
    await pastMidnight();
    const { id } = await createPaidTransaction(service.app, environment as ServiceEnvironment, { amount: 12_990 });
    const { email } = await logIn(service);
    const trxs = new api.TrxsApi();

    const inlineObject1 = { amount: 2990, type: 'parcial', nullifyTbk: true };
    const refund = await call((done) => trxs.trxsIdTrxNullificationPost(id, { inlineObject1 }, done));
    const { message, data } = refund.data as { message: string; data: { verificationToken: string } };
    assert.equal(message, 'La anulación se encuentra en proceso');
    const status = () =>
      call((done) => trxs.trxsIdTrxNullificationStatusGet(id, data.verificationToken, done)).then(
        ({ body }) => (body as { data: { status: string } }).data.status,
      );
    while ((await status()) === 'processing') await setTimeout(50);
    assert.equal(await status(), 'completed');
    const again = await call((done) =>
      trxs.trxsIdTrxNullificationPost(id, { inlineObject1: { amount: 12_990, type: 'total' } }, done),
    );
    assert.equal(again.status, 200);
    const list = await call((done) => trxs.trxsIdTrxNullificationGet(id, done));
    assert.equal((list.data as { data: { nullifications: object[] } }).data.nullifications.length, 1);

    const today = new Date(`${dayOf(service.app.now())}T00:00:00.000Z`);
    const day = await call((done) => new api.RemittancesApi().remittancesConciliationGet(email, today, done));
    const { totalRemittances, items } = (day.data as { data: { totalRemittances: number; items: { idTrx: number }[] } })
      .data;
    assert.deepEqual([totalRemittances, items.map(({ idTrx }) => idTrx)], [10_000, [id]]);
    const asked = { availableBalance: true, futureRemittances: false };
    const balance = await call((done) => new api.IndicatorsApi().indicatorsRemittancesGet(asked, done));
    assert.equal((balance.data as { data: { availableBalance: number } }).data.availableBalance, 10_000);
  });

  test('the JavaScript SDK reads its user, and creates, lists, changes and deletes a webhook', async (context) => {
    const { service } = await open(context, (await openTestDatabase()).url);
    const { instance } = api.ApiClient;
    instance.basePath = service.url;
    const { email } = await logIn(service);
    // The client's calls on users and webhooks send no token by default.
    const token = Object.values(instance.authentications).find(({ accessToken }) => accessToken !== undefined);
    instance.defaultHeaders['Authorization'] = `Bearer ${token?.accessToken}`;
    context.after(() => delete instance.defaultHeaders['Authorization']);
    const user = (await call((done) => new api.UsersApi().usersGet(done))).body as { id: number; email: string };
    assert.equal(user.email, email);
    const webhooks = new api.WebhooksApi();
    const idUser = String(user.id);
    const wish = { url: 'https://shop.example.cl/hook', method: 'GET', webhook: 'remittances' };
    const made = await call((done) => webhooks.webhooksPost({ inlineObject2: wish }, done));
    assert.equal(made.status, 201);
    assert.equal((made.body as { data: { method: string } }).data.method, 'GET');
    const moved = { ...wish, url: 'https://shop.example.cl/moved', idUser };
    const changed = { inlineObject3: moved };
    const put = await call((done) => webhooks.webhooksIdUserWebhookPut(idUser, 'remittances', changed, done));
    assert.equal(put.status, 200);
    const listed = async () =>
      ((await call((done) => webhooks.webhooksIdUserGet(idUser, done))).body as { data: { url: string }[] }).data;
    assert.deepEqual(
      (await listed()).map(({ url }) => url),
      [moved.url],
    );
    await call((done) => webhooks.webhooksIdUserWebhookDelete(idUser, 'remittances', done));
    assert.deepEqual(await listed(), []);
  });

  test('the JavaScript SDK lists the payment methods', async (context) => {
    const { service, tokens } = await open(context, (await openTestDatabase()).url);
    api.ApiClient.instance.basePath = service.url;
    const methods = await call((done) => new api.PaymentsApi().paymentsGet(tokens.service_token, done));
    const { types } = methods.body as { types: { codigo: string }[] };
    assert.deepEqual(
      types.map(({ codigo }) => codigo),
      ['simulated', 'simulated-transfer'],
    );
  });

  test('the empty body of the JavaScript SDK’s README example is refused with a reason', async (context) => {
    const { service } = await open(context, (await openTestDatabase()).url);
    api.ApiClient.instance.basePath = service.url;
    const trxs = new api.TrxsApi();
    const refused = await new Promise<{ status: number; response: { body: { code: string } } }>((resolve) =>
      trxs.trxsPost({ postBody: {} }, (error) => resolve(error as never)),
    );
    assert.equal(Math.floor(refused.status / 100), 4);
    assert.ok(['INVALID_JSON', 'UNSUPPORTED_MEDIA_TYPE'].includes(refused.response.body.code));
  });

  for (const httpVersion of ['1.0', '1.1']) {
    const skip = whyMissing('php') ?? false;
    test(`a PHP client refunds a payment partially and then fully, with HTTP/${httpVersion}`, {
      skip,
    }, async (context) => {
      const { service, tokens } = await open(context, (await openTestDatabase()).url);
      const environment = await loadEnvironment(service.app, tokens.service_token);
      await pastMidnight();
      const { id } = await createPaidTransaction(service.app, environment as ServiceEnvironment, { amount: 12_990 });
      const user = await createUser(service.app, SHOP_USER, TESTER);
      const answers = await refundInPhp({ service, user, httpVersion, id });
      const accepted = 'La anulación se encuentra en proceso';
      assert.deepEqual(
        answers.map(({ step, status, body }) => [step, status, body.message]),
        [
          ['login', 200, 'Login exitoso'],
          ['parcial', 200, accepted],
          ['status', 200, 'OK'],
          ['nothing', 422, 'Invalid request body'],
          ['total', 200, accepted],
          ['status', 200, 'OK'],
          // An equal request within a minute is the same refund.
          ['again', 200, accepted],
          ['list', 200, 'OK'],
          ['foreign', 403, "User doesn't exist or doesn't have permissions"],
          ['conciliation', 200, 'OK'],
        ],
      );
      const dataOf = (name: string) => answers.findLast(({ step }) => step === name)?.body.data ?? {};
      assert.deepEqual(dataOf('status'), { status: 'completed' });
      const refunds = dataOf('list')['nullifications'] as { tipo: string; montoAnulado: number; status: string }[];
      assert.deepEqual(
        refunds.map(({ tipo, montoAnulado, status }) => [tipo, montoAnulado, status]),
        [
          ['parcial', 2990, 'completed'],
          ['total', 10_000, 'completed'],
        ],
      );
      const { totalTransactions, totalNullification, totalRemittances, items } = dataOf('conciliation');
      assert.deepEqual([totalTransactions, totalNullification, totalRemittances], [12_990, 12_990, 0]);
      assert.deepEqual(
        (items as { idTrx: number; isTotalNullified: boolean }[]).map((item) => [item.idTrx, item.isTotalNullified]),
        [[id, true]],
      );
    });
  }
});

type PhpAnswer = { step: string; status: number; body: { message: string; data: Record<string, unknown> } };

/** Returns the responses to a PHP client, in order; repeated requests of one status are listed once. */
async function refundInPhp({
  service,
  user,
  httpVersion,
  id,
}: {
  service: RunningService;
  user: NewUser;
  httpVersion: string;
  id: number;
}): Promise<PhpAnswer[]> {
  const file = join(import.meta.dirname, 'nullification-client.php');
  const env = {
    ...process.env,
    RUBRICA_URL: service.url,
    SHOP_USER: user.email,
    SHOP_PASSWORD: user.password,
    HTTP_VERSION: httpVersion,
  };
  const parameters = ['-d', 'display_errors=stderr', file, String(id), dayOf(service.app.now())];
  const { status, stdout, stderr } = await runChild('php', parameters, { env });
  assert.deepEqual([status, stderr], [0, '']);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PhpAnswer);
  return answers.filter(({ step, body }) => step !== 'status' || body.data['status'] !== 'processing');
}

async function open(context: TestContext, databaseUrl: string) {
  const service = await startTestService(context, databaseUrl);
  const receiver = await startReceiver(context);
  const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
  return { service, tokens, receiver };
}

function orderOf(tokens: TokenPair, shopUrl: string) {
  return {
    x_account_id: tokens.service_token,
    x_amount: 1000,
    x_currency: 'CLP',
    x_reference: 'a6f1e2d4-0d9f-4b57-8c1e-3d3a4c1f9e11',
    x_customer_email: 'emaildelcliente@pagofacil.cl',
    x_url_complete: `${shopUrl}/complete?id_cart=7`,
    x_url_cancel: `${shopUrl}/cancel?status=cancel`,
    x_url_callback: `${shopUrl}/callback?token=abc`,
    x_shop_country: 'CL',
    x_session_id: 'a6f1e2d4-0d9f-4b57-8c1e-3d3a4c1f9e12',
  };
}

/** The user of a shop's client, which reads, refunds and reconciles. */
const SHOP_USER: UserWish = { email: 'shop@example.cl', may: READ_AND_REFUND, paymentServices: 'all' };

/** Creates a user and logs in with the SDK, which then sends the token. */
async function logIn({ app }: RunningService): Promise<NewUser> {
  const user = await createUser(app, SHOP_USER, TESTER);
  const login = await call((done) =>
    new api.AuthApi().usersLoginPost({ loginBody: new api.LoginBody(user.email, user.password) }, done),
  );
  const token = (login.body as { data: { access_token_jwt: string } }).data.access_token_jwt;
  for (const scheme of Object.values(api.ApiClient.instance.authentications)) {
    scheme.accessToken = token;
    scheme.apiKey = `Bearer ${token}`;
  }
  return user;
}

/** `data` is the SDK's object for the body. */
function call(ask: (done: Done) => void): Promise<{ status: number; body: unknown; data: unknown }> {
  return new Promise((resolve, reject) =>
    ask((error, data, response) => (error ? reject(error) : resolve({ ...response, data }))),
  );
}
