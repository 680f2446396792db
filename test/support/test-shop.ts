import { createHmac } from 'node:crypto';
import type { Order } from '../../sdk/src/client-options.ts';
import type { App } from '../../src/app.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { Environment, ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { setPayerAttempts } from '../../src/payment-services/set-payer-attempts.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import type { Transaction, TransactionInput } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { TESTER } from './test-actor.ts';

/** Creates a payment service and returns one of its environments, as the request path loads it. */
export async function createTestEnvironment(
  app: App,
  environment: Environment = 'development',
  payerAttempts: number | null = null,
): Promise<ServiceEnvironment> {
  const service = await createPaymentService(app, 'Test shop', TESTER);
  if (payerAttempts !== null) await setPayerAttempts(app, service.id, payerAttempts, TESTER);
  const found = await loadEnvironment(app, service[environment].service_token);
  if (found === null) throw new Error('The new payment service is not found');
  return found;
}

/** Returns the input of a shop's order, with `changes`. */
export function testInput(changes: Partial<TransactionInput> = {}): TransactionInput {
  return {
    amount: 12_990,
    currency: 'CLP',
    reference: 'ORD-1',
    customerEmail: 'buyer@example.cl',
    sessionId: 'session-1',
    shopCountry: 'CL',
    urlCallback: 'https://shop.example.cl/callback?order=1',
    urlCancel: 'https://shop.example.cl/cancel?order=1',
    urlComplete: 'https://shop.example.cl/complete?order=1',
    unsignedFields: null,
    ...changes,
  };
}

/** Calls `createTransaction`, and retries while a slow machine reports overload. */
export async function createPatiently(
  ...order: Parameters<typeof createTransaction>
): ReturnType<typeof createTransaction> {
  for (;;) {
    try {
      return await createTransaction(...order);
    } catch (error) {
      if ((error as { code?: string }).code !== 'OVERLOADED') throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Stores a transaction and returns its whole row. */
export async function createTestTransaction(
  app: App,
  environment: ServiceEnvironment,
  changes: Partial<TransactionInput> = {},
): Promise<Transaction> {
  const { transaction } = await createPatiently(app, environment, testInput(changes));
  return (await selectTransaction(app.db, transaction)) as Transaction;
}

/** Returns the body of a signed request, written without an SDK; `changes` are signed too. */
export function signedBody(
  serviceToken: string,
  secretToken: string,
  changes: Record<string, string> = {},
): Record<string, string> {
  const fields = {
    x_account_id: serviceToken,
    x_amount: '12990',
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: 'ORD-1',
    x_session_id: 'session-1',
    x_shop_country: 'CL',
    x_url_callback: 'https://shop.example.cl/callback?order=1',
    x_url_cancel: 'https://shop.example.cl/cancel?order=1',
    x_url_complete: 'https://shop.example.cl/complete?order=1',
    ...changes,
  };
  return withSignature(fields, secretToken);
}

/** Returns an order for the SDK's client; the callback and the payer return to `shopUrl`. */
export function testOrder(shopUrl: string): Order {
  return {
    x_amount: 5000,
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: 'ORD-7',
    x_session_id: 'session-ORD-7',
    x_shop_country: 'CL',
    x_url_callback: `${shopUrl}/callback`,
    x_url_cancel: `${shopUrl}/cancel`,
    x_url_complete: `${shopUrl}/complete`,
  };
}

/** Pays on the pay page, the first URL in the response to a shop. */
export function payOnPage([page]: { url: string }[]): Promise<Response> {
  return fetch(page?.url ?? '', { method: 'POST', body: new URLSearchParams({ method: 'simulated' }) });
}

/** Returns the fields with a signature over all of them, even invalid ones. */
export function withSignature(fields: Record<string, string>, secretToken: string): Record<string, string> {
  const names = Object.keys(fields).sort();
  const message = names.map((name) => name + fields[name]).join('');
  return { ...fields, x_signature: createHmac('sha256', secretToken).update(message).digest('hex') };
}
