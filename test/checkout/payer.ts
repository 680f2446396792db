import assert from 'node:assert/strict';
import fc from 'fast-check';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { Database } from '../../src/db/database.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { approved, declined, scriptMethod } from './checkout-case.ts';

/** The first answer of the method, and the real end of the attempt. */
type Plan = { first: 'end' | 'pending' | 'lost'; end: 'approved' | 'declined' | 'aborted' };

type Command =
  | { do: 'pay'; plan: Plan }
  | { do: 'work' }
  | { do: 'take late'; attempt: number }
  | { do: 'say again'; attempt: number }
  | { do: 'give up' }
  | { do: 'wait'; minutes: number };

const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      plan: fc.record({
        first: fc.constantFrom<Plan['first'][]>('end', 'end', 'pending', 'lost'),
        end: fc.constantFrom<Plan['end'][]>('declined', 'declined', 'declined', 'aborted', 'approved'),
      }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'work' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take late' as const), attempt: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('say again' as const), attempt: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'give up' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 25 }) }) },
);

type Payer = {
  app: TestApp;
  transaction: Transaction;
  payerAttempts: number;
  plans: Plan[];
  /** The attempts that the method knows. `taken`: those whose money it has. */
  known: Map<string, Plan>;
  taken: Set<string>;
};

/** Lets three concurrent clients do random things with one order, repeatedly, and checks the order after each run. */
export async function checkPayer(db: Database, size: { runs: number; commands: number }): Promise<void> {
  const clients = fc.tuple(
    ...Array.from({ length: 3 }, () => fc.array(commands, { minLength: 2, maxLength: size.commands })),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), clients, async (payerAttempts, lists) => {
      const payer = await openPayer(db, payerAttempts);
      await Promise.all(lists.map((list) => runClient(payer, list)));
      await settleEverything(payer);
      await checkEnd(payer);
    }),
    { numRuns: size.runs, endOnFailure: true },
  );
}

async function openPayer(db: Database, payerAttempts: number): Promise<Payer> {
  const plans: Plan[] = [];
  const known = new Map<string, Plan>();
  const taken = new Set<string>();
  const end = (id: string, plan: Plan): PaymentOutcome => {
    if (plan.end === 'approved') taken.add(id);
    return outcomeOf(plan.end);
  };
  const method = scriptMethod({
    start: async ({ attemptId }) => {
      const plan = plans.shift() ?? { first: 'end', end: 'declined' };
      known.set(attemptId, plan);
      if (plan.first === 'lost') throw new Error('connection reset');
      return plan.first === 'pending' ? { kind: 'pending' } : end(attemptId, plan);
    },
    lookup: async ({ attemptId }) => {
      const plan = known.get(attemptId);
      return plan === undefined ? { kind: 'aborted', detail: {} } : end(attemptId, plan);
    },
  });
  const app = createTestApp(db, { paymentMethods: [method] });
  const environment = await createTestEnvironment(app, 'development', payerAttempts);
  return { app, transaction: await createTestTransaction(app, environment), payerAttempts, plans, known, taken };
}

function outcomeOf(end: Plan['end']): PaymentOutcome {
  if (end === 'approved') return approved;
  return end === 'declined' ? declined : { kind: 'aborted', detail: {} };
}

async function runClient(payer: Payer, list: readonly Command[]): Promise<void> {
  for (const command of list) {
    await runCommand(payer, command);
    const open = (await attemptsOf(payer)).filter(({ state }) => !['declined', 'aborted'].includes(state));
    assert.ok(open.length <= 1, 'at most one attempt is open');
    assert.ok((await callbacksOf(payer)).length <= 1);
  }
}

async function runCommand(payer: Payer, command: Command): Promise<void> {
  const { app, transaction } = payer;
  switch (command.do) {
    case 'pay':
      payer.plans.push(command.plan);
      await startPayment(app, transaction, 'scripted');
      break;
    case 'work':
      app.now.advance(5000);
      await lookUpPayments(app, 10);
      await expireTransactions(app, 10);
      break;
    case 'take late':
      await sayOf(payer, command.attempt, () => 'approved');
      break;
    case 'say again':
      await sayOf(payer, command.attempt, (end) => end);
      break;
    case 'give up':
      await cancelTransaction(app, transaction);
      break;
    case 'wait':
      app.now.advance(command.minutes * 60_000);
  }
}

/** Lets the method report on an attempt that has ended. It never takes back an approval. */
async function sayOf(payer: Payer, at: number, saying: (end: Plan['end']) => Plan['end']): Promise<void> {
  const ended = (await attemptsOf(payer)).filter(({ state }) => state === 'declined' || state === 'aborted');
  const attempt = ended[at % Math.max(1, ended.length)];
  const plan = attempt && payer.known.get(attempt.id);
  if (attempt === undefined || plan === undefined) return;
  const end = payer.taken.has(attempt.id) ? 'approved' : saying(plan.end);
  if (end === 'approved') payer.taken.add(attempt.id);
  await settlePayment(payer.app, attempt, outcomeOf(end));
}

async function settleEverything({ app, transaction }: Payer): Promise<void> {
  for (let round = 0; round < 20; round++) {
    app.now.advance(transaction.expires_at > app.now() ? transaction.expires_at - app.now() : 3_600_000);
    await lookUpPayments(app, 100);
    await expireTransactions(app, 100);
  }
}

async function checkEnd(payer: Payer): Promise<void> {
  const { app, transaction, payerAttempts, taken } = payer;
  const ended = (await selectTransaction(app.db, transaction)) as Transaction;
  const attempts = await attemptsOf(payer);
  const of = (state: string) => attempts.filter((attempt) => attempt.state === state);
  const [callback, ...others] = await callbacksOf(payer);
  assert.deepEqual(others, []);
  assert.match(callback?.body ?? '', new RegExp(`x_result=${ended.state === 'completed' ? 'completed' : 'failed'}&`));
  assert.notEqual(ended.state, 'pending');
  if (of('declined').length > 0) assert.match(ended.state, /^(completed|failed)$/);
  assert.ok(of('declined').length <= payerAttempts, 'the payer tries no more often than allowed');

  const entries = await app.db.query<{ kind: string; payment_attempt_id: string; amount: number }>(
    `select kind, payment_attempt_id, amount from journal_entries where transaction_id = $1 and kind in ('payment', 'late_payment')`,
    [transaction.id],
  );
  assert.deepEqual(new Set(entries.map((entry) => entry.payment_attempt_id)), taken);
  const paid = entries.filter(({ kind }) => kind === 'payment');
  assert.equal(new Set(paid.map((entry) => entry.payment_attempt_id)).size, ended.state === 'completed' ? 1 : 0);
  const events = await app.db.query<{ type: string; sequence: number }>(
    'select type, sequence from events where transaction_id = $1 order by sequence',
    [transaction.id],
  );
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, at) => at + 1),
  );
  const final = events.filter(({ type }) => /\.(completed|failed|cancelled|expired)$/.test(type));
  assert.deepEqual(
    final.map(({ type }) => type),
    [`transaction.${ended.state}`],
  );
  const { problems, records, balances } = await verifyBooks(app);
  assert.deepEqual([...problems, ...records, ...balances], []);
}

function attemptsOf({ app, transaction }: Payer): Promise<PaymentAttempt[]> {
  return app.db.query<PaymentAttempt>(
    'select * from payment_attempts where transaction_id = $1 order by created_at, id',
    [transaction.id],
  );
}

function callbacksOf({ app, transaction }: Payer): Promise<{ body: string }[]> {
  return app.db.query<{ body: string }>('select body from callbacks where transaction_id = $1', [transaction.id]);
}
