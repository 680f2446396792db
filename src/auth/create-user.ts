import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { prefixedId } from '../lib/ids.ts';
import { generateApiToken, hashApiToken } from './api-token.ts';
import { generatePassword, hashPassword } from './password.ts';
import { isEmail, normalizeEmail } from './user.ts';
import { insertUser, insertUserPaymentService } from './user-queries.ts';

export type NewUser = { id: string; email: string; password: string; api_token: string; payouts: boolean };

/**
 * Makes a user. The password and the API token are shown here and never again.
 *
 * With no payment service named the user is an operator, who sees all of the installation. Throws `Problem`
 * `INVALID_EMAIL` for an address that cannot be used, `USER_EXISTS` for one that is taken, `NOT_FOUND` for a payment service that does not exist.
 */
export async function createUser(
  app: App,
  input: { email: string; payouts: boolean; paymentServiceIds: readonly string[] },
): Promise<NewUser> {
  const email = normalizeEmail(input.email);
  if (!isEmail(email)) throw new Problem('INVALID_EMAIL');
  const id = prefixedId('usr');
  const password = generatePassword();
  const apiToken = generateApiToken();
  const row = {
    id,
    email,
    password_hash: await hashPassword(password),
    api_token_hash: hashApiToken(apiToken),
    operator: input.paymentServiceIds.length === 0 ? 1 : 0,
    payouts: input.payouts ? 1 : 0,
    token_version: 1,
    created_at: app.now(),
    disabled_at: null,
  };
  await app.db.transaction(async (tx) => {
    if (!(await insertUser(tx, row)))
      throw new Problem('USER_EXISTS', { detail: 'This address has a user already: bin/rubrica user list.' });
    for (const paymentServiceId of new Set(input.paymentServiceIds)) {
      if (await insertUserPaymentService(tx, id, paymentServiceId)) continue;
      throw new Problem('NOT_FOUND', { detail: `There is no payment service ${paymentServiceId}.` });
    }
  });
  return { id, email, password, api_token: apiToken, payouts: input.payouts };
}
