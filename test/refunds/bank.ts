import assert from 'node:assert/strict';
import fc from 'fast-check';
import { verifyBooks } from '../../src/books/verify-books.ts';
import type { Database } from '../../src/db/database.ts';
import type { RefundOutcome } from '../../src/payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, selectWrongBooks } from '../support/test-books.ts';
import { refund, refundingMethod } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** How the method answers when it is asked to give money back; what it really did is another matter. */
type Answer = 'approved' | 'declined' | 'pending' | 'lost before' | 'lost after' | 'lost and declined';

type Command =
  | { do: 'pay'; amount: number }
  | { do: 'pay late' }
  | { do: 'refund'; payment: number; share: number; answer: Answer }
  | { do: 'work' }
  | { do: 'wait'; milliseconds: number };

const ANSWERS: Answer[] = ['approved', 'declined', 'pending', 'lost before', 'lost after', 'lost and declined'];

const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pay' as const), amount: fc.integer({ min: 6000, max: 99_999 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'pay late' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      payment: fc.nat(1000),
      share: fc.integer({ min: 1, max: 120 }),
      answer: fc.constantFrom(...ANSWERS),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'work' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), milliseconds: fc.integer({ min: 1, max: 90_000 }) }),
  },
);

/**
 * Four clients do random things at once, over and over. After every commit a reader looks at the whole bank; in the end
 * every open question is answered, and the books are what the method really did.
 */
export async function checkBank(db: Database, size: { runs: number; commands: number }): Promise<void> {
  const clients = fc.tuple(...Array.from({ length: 4 }, () => fc.array(commands, { maxLength: size.commands })));
  await fc.assert(
    fc.asyncProperty(clients, (lists) => runBank(db, lists)),
    { numRuns: size.runs, endOnFailure: true },
  );
}

type Bank = {
  app: TestApp;
  environment: ServiceEnvironment;
  payments: Transaction[];
  /** What the method is told to answer, by amount and in this order, and what it really gave back. */
  plans: Answer[];
  given: Map<string, number>;
};

async function runBank(db: Database, lists: readonly (readonly Command[])[]): Promise<void> {
  const bank = await openBank(db);
  await Promise.all(lists.map((list) => runClient(bank, list)));
  await settleEverything(bank);
  await checkEnd(bank);
}

async function openBank(db: Database): Promise<Bank> {
  const plans: Answer[] = [];
  const given = new Map<string, number>();
  const decided = new Map<string, Answer>();
  const method = refundingMethod({
    request: async ({ refundId, amount }) => {
      assert.ok(!decided.has(refundId), 'a refund is asked for once only');
      const answer = plans.shift() ?? 'approved';
      if (answer === 'lost before') throw new Error('connection refused');
      decided.set(refundId, answer);
      if (answer !== 'declined' && answer !== 'lost and declined') given.set(refundId, amount);
      return answerNow(answer);
    },
    lookup: async ({ refundId }) => {
      if (!decided.has(refundId)) return { kind: 'absent' };
      return given.has(refundId) ? { kind: 'approved', detail: {} } : { kind: 'declined', detail: {} };
    },
  });
  const bank = { plans, given, payments: [] };
  const app = createTestApp(readAfterEveryCommit(db), { paymentMethods: [method] });
  return { ...bank, app, environment: await createTestEnvironment(app) };
}

function answerNow(answer: Answer): RefundOutcome {
  if (answer === 'approved' || answer === 'declined') return { kind: answer, detail: {} };
  return { kind: answer === 'pending' ? 'pending' : 'unknown' };
}

async function runClient(bank: Bank, list: readonly Command[]): Promise<void> {
  for (const command of list) {
    switch (command.do) {
      case 'pay':
        bank.payments.push(await createPaidTransaction(bank.app, bank.environment, { amount: command.amount }));
        break;
      case 'pay late':
        await createLatePayment(bank.app, bank.environment);
        break;
      case 'refund':
        await refundShare(bank, command);
        break;
      case 'work':
        await carryOutRefunds(bank.app, 3);
        break;
      case 'wait':
        bank.app.now.advance(command.milliseconds);
    }
  }
}

async function refundShare(bank: Bank, { payment, share, answer }: Extract<Command, { do: 'refund' }>): Promise<void> {
  const transaction = bank.payments[payment % Math.max(1, bank.payments.length)];
  if (transaction === undefined) return;
  const creation = await refund(bank.app, transaction, Math.ceil((transaction.amount * share) / 100));
  if (creation.kind === 'accepted') bank.plans.push(answer);
}

async function settleEverything({ app }: Bank): Promise<void> {
  for (let round = 0; round < 1000; round++) {
    const [open] = await app.db.query<{ n: number }>("select count(*) as n from refunds where state = 'processing'");
    if (open?.n === 0) return;
    await carryOutRefunds(app, 100);
    app.now.advance(60_000);
  }
  assert.fail('a refund has no end');
}

async function checkEnd({ app, environment, payments, given }: Bank): Promise<void> {
  const completed = await app.db.query<{ id: string; amount: number }>(
    `select r.id, r.amount from refunds r join transactions t on t.id = r.transaction_id
     where r.state = 'completed' and t.environment_id = $1`,
    [environment.id],
  );
  assert.deepEqual(new Map(completed.map(({ id, amount }) => [id, amount])), new Map(given));
  const [payable] = await app.db.query<{ owed: number }>(
    `select cast(coalesce(sum(case when credit_account = 'merchant:payable' then amount
       when debit_account = 'merchant:payable' then -amount else 0 end), 0) as bigint) as owed
     from journal_entries where environment_id = $1`,
    [environment.id],
  );
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0);
  const back = [...given.values()].reduce((sum, amount) => sum + amount, 0);
  assert.equal(payable?.owed, paid - back);
  assert.deepEqual((await verifyBooks(app)).problems, []);
}

/** The bank reader: one statement, so that it sees one moment, after every commit. */
function readAfterEveryCommit(db: Database): Database {
  return {
    ...db,
    transaction: async (work) => {
      const result = await db.transaction(work);
      assert.deepEqual(await selectWrongBooks(db), []);
      return result;
    },
  };
}
