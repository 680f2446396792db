import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { App } from '../../src/app.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { checkCharacter } from '../../src/lib/modulo-eleven.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { TESTER } from '../support/test-actor.ts';
import { startReceiver } from '../support/test-service.ts';
import { signedBody } from '../support/test-shop.ts';
import { READ_AND_REFUND } from '../support/test-user.ts';

const RUT_BODY = '17654321';

/** Values that are easy to find in any text. */
export const CANARY = {
  rut: `${RUT_BODY}-${checkCharacter(RUT_BODY)}`,
  dottedRut: `17.654.321-${checkCharacter(RUT_BODY)}`,
  account: '445566778890',
  buyer: 'canary.buyer@payers.example',
  user: 'canary.user@merchants.example',
  wrongPassword: 'canary-wrong-password',
  wrongToken: 'canary-wrong-token',
  cookie: 'canary-cookie',
  document: 'CANARY-DOCUMENT-17654321',
} as const;

/** The reference at which the store fails, as after a violated constraint. */
export const FAILING_REFERENCE = 'CANARY-FAILS';

export type Secrets = Record<string, string>;

export type Journey = {
  /** Values that must not be in any place. */
  secrets: Secrets;
  /** The secret of the pay link, which may be in the payer's pages and in the store. */
  paySecret: string;
  /** Status, headers and body of every refusal. */
  refusals: string[];
  metrics: string;
};

type Tokens = { service_token: string; secret_token: string };

/** Creates a payment service and a user in the store, before the service starts. */
export async function prepareJourney(app: App) {
  const service = await createPaymentService(app, 'Canary shop', TESTER);
  const outcome = await rotateSecretToken(app, service.id, 'development', 3_600_000, TESTER);
  if (outcome.kind !== 'rotated') throw new Error(`The rotation is ${outcome.kind}`);
  const user = await createUser(
    app,
    {
      email: CANARY.user,
      may: [...READ_AND_REFUND, 'accounts:validate'],
      paymentServices: [service.id],
    },
    TESTER,
  );
  const tokens: Tokens = { ...service.development, secret_token: outcome.rotation.secret_token };
  return {
    tokens,
    user,
    secrets: {
      'Secret Token': tokens.secret_token,
      'rotated Secret Token': service.development.secret_token,
      'Secret Token of production': service.production.secret_token,
      password: user.password,
      'API token': user.api_token,
    } as Secrets,
  };
}

/** Acts as shops, payers, users and strangers, with canaries in every field that accepts one. */
export async function walk(
  context: TestContext,
  url: string,
  { tokens, user, secrets }: Awaited<ReturnType<typeof prepareJourney>>,
): Promise<Journey> {
  const refusals: string[] = [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    const text = await response.text();
    if (response.status >= 400) {
      refusals.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
    }
    return { status: response.status, text };
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', cookie: `session=${CANARY.cookie}`, ...headers },
    });
  const shop = await startReceiver(context, ({ body }) => (body.includes('completed') ? 500 : 200));
  const payToken = await shopJourney(post, tokens, shop.url);
  await payerJourney(ask, payToken);
  await shop.next();
  const accessToken = await userJourney(ask, post, user);
  await strangerJourney(ask, post, tokens);
  const { text: metrics } = await ask('/metrics');
  const paySecret = payToken.slice(payToken.lastIndexOf('-', payToken.length - 22) + 1);
  return { secrets: { ...secrets, 'access token': accessToken }, paySecret, refusals, metrics };
}

type Ask = (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>;
type Post = (path: string, body: object, headers?: Record<string, string>) => ReturnType<Ask>;

async function shopJourney(post: Post, { service_token, secret_token }: Tokens, shopUrl: string): Promise<string> {
  const fields = {
    x_customer_email: CANARY.buyer,
    x_reference: 'CANARY-1',
    x_url_callback: `${shopUrl}/callback?token=CANARY-QUERY`,
  };
  const body = signedBody(service_token, secret_token, fields);
  const created = await post('/trxs', { ...body, x_document: { id: CANARY.document } });
  if (created.status !== 200) throw new Error(`The transaction was not created: ${created.text}`);
  await post('/trxs', signedBody(service_token, secret_token, { ...fields, x_amount: '555' }));
  await post('/trxs', signedBody(service_token, secret_token, { ...fields, x_reference: FAILING_REFERENCE }));
  for (const name of Object.keys(body)) {
    const { [name]: value, ...others } = body;
    await post('/trxs', others);
    await post('/trxs', { ...others, [name]: `${value}\n` });
    await post('/trxs', { ...others, [name]: [value, CANARY.rut] });
    await post('/trxs', { ...others, [name]: `${value}x_amount` });
    await post(
      '/trxs',
      signedBody(service_token, secret_token, { ...fields, [name]: `${CANARY.buyer} ${CANARY.rut} ` }),
    );
  }
  const { data } = JSON.parse(created.text) as { data: { payUrl: { url: string }[] } };
  return data.payUrl[0]?.url.split('/').at(-1) as string;
}

async function payerJourney(ask: Ask, payToken: string): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await ask(`/pay/${payToken}`);
  await ask(`/pay/${payToken}`, { method: 'POST', headers, body: `method=none&card=4111111111111111` });
  const paid = await ask(`/pay/${payToken}`, { method: 'POST', headers, body: 'method=simulated' });
  if (paid.status !== 303) throw new Error(`The transaction was not paid: ${paid.status}`);
  await ask(`/pay/${payToken}`, { method: 'POST', headers, body: 'method=simulated' });
  await ask(`/pay/${payToken}/cancel`, { method: 'POST' });
}

/** Acts as a user. Returns the user's access token. */
async function userJourney(ask: Ask, post: Post, user: { password: string; api_token: string }): Promise<string> {
  await post('/users/login', { username: CANARY.user, password: CANARY.wrongPassword });
  await post('/users/login', { username: CANARY.user, password: CANARY.wrongPassword, rut: CANARY.rut });
  await post('/loginToken', { email: CANARY.buyer, apiToken: user.api_token });
  const login = await post('/users/login', { username: CANARY.user, password: user.password });
  const { data } = JSON.parse(login.text) as { data: { access_token_jwt: string } };
  const headers = { authorization: `Bearer ${data.access_token_jwt}` };
  for (const path of ['/trxs/1001', '/trxs/999999', '/events', `/remittances/conciliation?email=${CANARY.buyer}`]) {
    await ask(path, { headers });
  }
  await post('/trxs/1001/nullification', { amount: 10, type: 'parcial' }, headers);
  const bankData = { bankSBIFNumber: '012', bankAccount: CANARY.account };
  for (const rut of [CANARY.rut, CANARY.dottedRut, `${RUT_BODY}-0`, { rut: CANARY.rut }]) {
    await post('/validations/BankAccount', { rut, bankData }, headers);
    await post('/validations/BankAccount', { rut, bankData: { ...bankData, email: CANARY.buyer } }, headers);
    await post('/validations/BankAccount/batch', { items: [{ reference: 'a', rut, bankData }] }, headers);
  }
  await ask(`/validations/BankAccount/${CANARY.rut}`, { headers });
  return data.access_token_jwt;
}

async function strangerJourney(ask: Ask, post: Post, { service_token }: Tokens): Promise<void> {
  const wrong = signedBody(service_token, randomBytes(32).toString('hex'), { x_customer_email: CANARY.buyer });
  await post('/trxs', wrong);
  await post('/initTransaction', wrong);
  for (const authorization of [`Bearer ${CANARY.wrongToken}`, CANARY.wrongToken, `Basic ${CANARY.wrongToken}`]) {
    await ask('/events', { headers: { authorization } });
    await ask('/payments', { headers: { authorization } });
  }
  await ask('/events', { headers: { 'x-api-key': CANARY.wrongToken } });
  await ask(`/nowhere/${CANARY.rut}?email=${CANARY.buyer}`);
  await ask(`/pay/${CANARY.wrongToken}`);
  await post('/csp-reports', {
    'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': `https://a.example/${CANARY.buyer}` },
  });
}
