import { createUser } from '../../auth/create-user.ts';
import { prefixedId } from '../../lib/ids.ts';
import { commandLineActor } from '../find-actor.ts';
import { ask, type Demo } from './demo-stage.ts';

type Check = { id: string; result: string; message: string };
type Validation = { verdict: string; assurance: string; checks: Check[]; suggestions: unknown[] };

/** Validates a correct account, a mistyped one, and one of another person. */
export async function validateAccounts(demo: Demo, accessToken: string): Promise<void> {
  demo.step('Validate an account that fits its owner');
  const good = await validate(demo, accessToken, { rut: '12.531.909-2', bank: '012', account: '12531909' });
  demo.check(
    good.verdict === 'plausible',
    'plausible: the number is the CuentaRUT of this RUT; no provider was asked whether it exists',
  );

  demo.step('Validate a mistyped RUT');
  const mistyped = await validate(demo, accessToken, { rut: '12.531.909-3', bank: '012', account: '12531909' });
  demo.check(mistyped.verdict === 'invalid', 'invalid: the check character does not match');

  demo.step('Validate an account of another person (simulated online provider)');
  const other = await validate(demo, accessToken, { rut: '11.111.111-1', bank: '001', account: '900000000002' });
  demo.check(other.verdict === 'mismatch', 'mismatch: the provider says that this is not the holder');
}

/** Creates a user who may read, refund and validate, logs in, and returns the access token. */
export async function logIn(demo: Demo): Promise<string> {
  demo.step('Log in as a user with refunds and validation');
  const user = await createUser(
    demo.app,
    {
      email: `${prefixedId('demo')}@example.cl`,
      may: ['payments:read', 'refunds:create', 'accounts:validate'],
      paymentServices: 'all',
    },
    commandLineActor(),
  );
  demo.show(
    'command',
    'bin/rubrica user create --email … --payouts --may payments:read --may refunds:create --all-payment-services',
  );
  const response = await ask(`${demo.url}/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: user.email, password: user.password }),
  });
  const reply = (await response.json()) as { data?: { access_token_jwt?: string } };
  const token = reply.data?.access_token_jwt;
  demo.check(response.status === 200 && token !== undefined, 'POST /users/login gave an access token');
  return token as string;
}

async function validate(
  demo: Demo,
  accessToken: string,
  account: { rut: string; bank: string; account: string },
): Promise<Validation> {
  demo.show('rut', account.rut);
  demo.show('bank, account', `${account.bank}, ${account.account}`);
  const response = await ask(`${demo.url}/validations/BankAccount`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({
      rut: account.rut,
      bankData: { bankSBIFNumber: account.bank, bankAccount: account.account },
    }),
  });
  const reply = (await response.json()) as { data: Validation };
  demo.check(response.status === 200, `POST /validations/BankAccount answered with a verdict: ${reply.data?.verdict}`);
  showChecks(demo, reply.data.checks);
  return reply.data;
}

/** Shows the checks that need a decision, and the two strongest passed checks. All others are only counted. */
function showChecks(demo: Demo, checks: readonly Check[]): void {
  const strongest = ['account.cuentarut_consistency', 'holder.match'];
  for (const { id, result, message } of checks) {
    if (result === 'not_performed' || (result === 'pass' && !strongest.includes(id))) continue;
    demo.show(result, `${id}: ${message}`);
  }
  const passed = checks.filter(({ result }) => result === 'pass').length;
  const open = checks.filter(({ result }) => result === 'not_performed').map(({ id }) => id);
  demo.show('pass', `${passed} of ${checks.length} checks`);
  if (open.length > 0) demo.show('not performed', open.join(', '));
}
