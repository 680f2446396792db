import type { App } from '../../src/app.ts';
import type { AttemptState, PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import type { PaymentMethod, PaymentOutcome, PaymentRequest } from '../../src/payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import type { Transaction, TransactionInput } from '../../src/transactions/transaction.ts';
import type { TransactionState } from '../../src/transactions/transaction-state.ts';
import type { OpenTestDatabase, TestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp, type TestClock } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

/** One transaction that waits for a payment with `method`. */
export type CheckoutCase = {
  app: TestApp;
  method: ScriptedMethod;
  environment: ServiceEnvironment;
  transaction: Transaction;
  url: string;
};

export async function openCheckout(
  openTestDatabase: OpenTestDatabase,
  parts: { method?: ScriptedMethod; now?: TestClock; changes?: Partial<TransactionInput>; payerAttempts?: number } = {},
): Promise<CheckoutCase> {
  const db: TestDatabase = await openTestDatabase();
  const method = parts.method ?? scriptMethod();
  const app = createTestApp(db, { paymentMethods: [method], ...(parts.now && { now: parts.now }) });
  const environment = await createTestEnvironment(app, 'development', parts.payerAttempts);
  return {
    app,
    method,
    environment,
    transaction: await createTestTransaction(app, environment, parts.changes),
    url: db.url,
  };
}

/**
 * Opens the same store as another process of the service. On SQLite it is a second app on the same connection, because
 * a second connection would block the thread of the first.
 */
export async function openOtherProcess(
  openTestDatabase: OpenTestDatabase,
  { url, app, method }: CheckoutCase,
): Promise<TestApp> {
  const db = app.db.engine === 'postgres' ? await openTestDatabase({ url }) : app.db;
  return createTestApp(db, { paymentMethods: [method], now: app.now });
}

/** A payment method that gives the answers of the test and records its calls. */
export type ScriptedMethod = PaymentMethod & {
  readonly started: PaymentRequest[];
  readonly lookedUp: PaymentRequest[];
};

export function scriptMethod(
  answers: {
    start?: (payment: PaymentRequest) => Promise<PaymentOutcome>;
    lookup?: (payment: PaymentRequest) => Promise<PaymentOutcome>;
  } = {},
): ScriptedMethod {
  const started: PaymentRequest[] = [];
  const lookedUp: PaymentRequest[] = [];
  return {
    code: 'scripted',
    name: 'Scripted',
    description: 'Answers what a test says',
    imagePath: '/assets/simulated-method.svg',
    accepts: () => true,
    start: async (payment) => {
      started.push(payment);
      return answers.start ? answers.start(payment) : approved;
    },
    lookup: async (payment) => {
      lookedUp.push(payment);
      return answers.lookup ? answers.lookup(payment) : approved;
    },
    started,
    lookedUp,
  };
}

export const approved: PaymentOutcome = { kind: 'approved', detail: { authorization_code: '001234' } };
export const declined: PaymentOutcome = { kind: 'declined', detail: { reason: 'funds' } };

/** Returns the stored states, in the order of creation. */
export async function readStates(app: App): Promise<{
  transaction: TransactionState | undefined;
  attempts: AttemptState[];
  events: string[];
  callbacks: number;
}> {
  const [transaction] = await app.db.query<{ state: TransactionState }>('select state from transactions');
  const attempts = await readAttempts(app);
  const events = await app.db.query<{ type: string }>('select type from events order by sequence');
  const callbacks = await app.db.query('select id from callbacks');
  return {
    transaction: transaction?.state,
    attempts: attempts.map(({ state }) => state),
    events: events.map(({ type }) => type.replace('transaction.', '')),
    callbacks: callbacks.length,
  };
}

/** Returns the only attempt. Throws unless there is exactly one. */
export async function readAttempt(app: App): Promise<PaymentAttempt> {
  const [attempt, ...others] = await readAttempts(app);
  if (attempt === undefined || others.length > 0) throw new Error('There is not exactly one attempt');
  return attempt;
}

/** Returns the value of a counter, for one state if the metric has that label. */
export async function readCounter(
  metric: { get(): Promise<{ values: { value: number; labels: object }[] }> },
  state?: string,
): Promise<number> {
  const { values } = await metric.get();
  const found = values.find(({ labels }) => state === undefined || (labels as { state?: string }).state === state);
  return found?.value ?? 0;
}

function readAttempts(app: App): Promise<PaymentAttempt[]> {
  return app.db.query<PaymentAttempt>('select * from payment_attempts order by created_at, id');
}
