import type { App } from '../../src/app.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { Environment, ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import type { Transaction, TransactionInput } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';

/** A new payment service, and one of its environments as the request path sees it. */
export async function createTestEnvironment(
  app: App,
  environment: Environment = 'development',
): Promise<ServiceEnvironment> {
  const service = await createPaymentService(app, 'Test shop');
  const found = await loadEnvironment(app, service[environment].service_token);
  if (found === null) throw new Error('A payment service that was just created is not found');
  return found;
}

/** What a shop asks for, with `changes`. */
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

/** Stores a transaction and answers its whole row. */
export async function createTestTransaction(
  app: App,
  environment: ServiceEnvironment,
  changes: Partial<TransactionInput> = {},
): Promise<Transaction> {
  const { transaction } = await createTransaction(app, environment, testInput(changes));
  return (await selectTransaction(app.db, transaction.id)) as Transaction;
}
