import type { App } from '../../src/app.ts';
import type { Actor } from '../../src/audit/actor.ts';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { NO_LIMITS, upsertPayoutLimits } from '../../src/payouts/approval/payout-limit-queries.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import { TESTER } from '../support/test-actor.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { wish } from '../support/test-payouts.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { jsonOf, type TestServer } from '../support/test-server.ts';
import { createTestUser, READ_AND_REFUND } from '../support/test-user.ts';
import { account, type Merchant, type World, webhook } from './route-rows.ts';

const LINK: LinkWish = {
  amount: 12_990,
  currency: 'CLP',
  subject: 'Curso',
  uses: 'one',
  expiresAt: null,
  urlCallback: null,
};

/** Imports a statement of the merchant's account with one line in suspense. Returns its id. */
async function importRent(app: App, { environment, paymentServiceId }: ServiceEnvironment, by: Actor): Promise<string> {
  const account = `0${paymentServiceId.replace(/\D/g, '')}1`;
  const evidence = { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };
  const lines = [{ line: 2, day: '2026-01-15', amount: -250_000, text: 'ARRIENDO' }];
  const wish = { environment, paymentServiceId, account, evidence, by };
  return (await importStatement(app, wish, { lines, proof: 'nothing' })).id ?? '';
}

/** Creates two merchants, each with a user who sees only that one, and a program that sees all. */
export async function createWorld(app: App, server: TestServer): Promise<World> {
  const ana = await createMerchant(app, server, 'ANA-1');
  return {
    ana,
    ben: await createMerchant(app, server, 'BEN-1'),
    overseer: await createTestUser(app, { may: MERCHANTS_MAY }),
  };
}

const MERCHANTS_MAY = [
  ...READ_AND_REFUND,
  'payments:create',
  'callbacks:listen',
  'accounts:validate',
  'payouts:create',
  'payouts:approve',
  'movements:record',
  'users:manage',
] as const;

async function createMerchant(app: App, server: TestServer, reference: string): Promise<Merchant> {
  const service = await createPaymentService(app, reference, TESTER);
  const environment = (await loadEnvironment(app, service.development.service_token)) as ServiceEnvironment;
  const user = await createTestUser(app, { may: MERCHANTS_MAY, paymentServices: [service.id] });
  await setWebhook(app, { userId: user.id, webhook: 'remittances', url: webhook.url, method: 'POST' }, TESTER);
  const transaction = await createPaidTransaction(app, environment, { reference });
  const refund = await acceptedRefund(app, transaction, 10);
  const validation = await server.post('/validations/BankAccount', { json: account, headers: user.headers });
  const validationId = (jsonOf(validation)['data'] as { id: string }).id;
  const kept = { ...account, validationId, name: 'Titular' };
  const recipient = await server.post('/recipients', { json: kept, headers: user.headers });
  const { link } = await createPaymentLink(app, environment.id, LINK, TESTER);
  const payout = `payout-${reference}`;
  const by = userActor({ ...user, role: 'integration' }, '192.0.2.1');
  const wishes = [wish({ reference: payout, amount: 100 })];
  const limits = { ...NO_LIMITS, automatic_per_payout: 100 };
  await app.db.transaction((tx) => upsertPayoutLimits(tx, environment.id, limits));
  await proposePayouts(app, { owner: environment, by, wishes, batch: null });
  const inBatch = [wish({ reference: `batched-${reference}`, amount: 100 })];
  const named = { name: 'Lote', fileSha256: null };
  const { batch } = await proposePayouts(app, { owner: environment, by, wishes: inBatch, batch: named });
  const payer = { account: '123456789', rut: '', name: '', agreement: '' };
  const [made] = await makePayoutFiles(app, { owner: environment, by, format: 'bice', payer, batchId: null });
  return {
    service,
    environment,
    user,
    transaction,
    objects: {
      payout,
      payoutFile: made?.file.id ?? '',
      payoutBatch: batch?.id ?? '',
      statement: await importRent(app, environment, by),
      transaction: String(transaction.id),
      refund: refund.id,
      validation: validationId,
      recipient: (jsonOf(recipient)['data'] as { id: string }).id,
      email: user.email,
      user: user.id,
      apiToken: (await listApiTokens(app, user.id))?.[0]?.id ?? '',
      paymentLink: link.id,
      // Belongs to this environment, but is not its listener.
      listener: `${environment.id}-0000000000000000000000`,
      // The right transaction with a wrong secret.
      payLink: payToken({ ...transaction, pay_secret: '0'.repeat(transaction.pay_secret.length) }),
    },
  };
}
