import assert from 'node:assert/strict';
import fc from 'fast-check';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import type { Database } from '../../src/db/database.ts';
import type { Decision } from '../../src/movements/movement.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import type { RefundOutcome } from '../../src/payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction, selectOverdrawn, selectWrongBooks } from '../support/test-books.ts';
import { deposit, payOut, setTestFee } from '../support/test-movements.ts';
import { refund, refundingMethod } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** The answer of the method to a refund request. The real effect may differ. */
type Answer = 'approved' | 'declined' | 'pending' | 'lost before' | 'lost after' | 'lost and declined';

type Command =
  | { do: 'pay'; amount: number }
  | { do: 'pay late' }
  | { do: 'resolve'; payment: number; as: Decision }
  | { do: 'pay out'; share: number }
  | { do: 'deposit'; share: number; commission: number }
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
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      payment: fc.nat(1000),
      as: fc.constantFrom<Decision[]>('returned', 'kept'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pay out' as const), share: fc.integer({ min: 1, max: 110 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('deposit' as const),
      share: fc.integer({ min: 1, max: 110 }),
      commission: fc.nat(500),
    }),
  },
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
 * Lets four concurrent clients do random things repeatedly. A reader checks the whole bank after every commit, and the
 * chain after every command. At the end all open refunds are settled, and the books must equal the real refunds.
 */
export async function checkBank(db: Database, size: { runs: number; commands: number }): Promise<void> {
  const clients = fc.tuple(
    ...Array.from({ length: 4 }, () => fc.array(commands, { minLength: size.commands, maxLength: size.commands })),
  );
  await fc.assert(
    fc.asyncProperty(clients, (lists) => runBank(db, lists)),
    { numRuns: size.runs, endOnFailure: true },
  );
}

type Bank = {
  app: TestApp;
  environment: ServiceEnvironment;
  payments: Transaction[];
  late: Transaction[];
  /** The planned answers of the method in this order, and below it the real refunds. */
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
      assert.ok(!decided.has(refundId), 'a decided refund is not requested again');
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
  const bank = { plans, given, payments: [], late: [] };
  const app = createTestApp(readAfterEveryCommit(db), { paymentMethods: [method] });
  const environment = await createTestEnvironment(app);
  await setTestFee(app, environment);
  return { ...bank, app, environment };
}

function answerNow(answer: Answer): RefundOutcome {
  if (answer === 'approved' || answer === 'declined') return { kind: answer, detail: {} };
  return { kind: answer === 'pending' ? 'pending' : 'unknown' };
}

async function runClient(bank: Bank, list: readonly Command[]): Promise<void> {
  for (const command of list) {
    await runCommand(bank, command);
    const { problems, records, balances } = await verifyBooks(bank.app);
    assert.deepEqual([...problems, ...records, ...balances], []);
  }
}

async function runCommand(bank: Bank, command: Command): Promise<void> {
  const { app, environment } = bank;
  switch (command.do) {
    case 'pay':
      bank.payments.push(await createPaidTransaction(app, environment, { amount: command.amount }));
      break;
    case 'pay late':
      bank.late.push(await createLatePayment(app, environment));
      break;
    case 'resolve':
      await resolveLate(bank, command);
      break;
    case 'pay out':
      await payOut(app, environment, shareOf(await owed(bank, 'merchant:payable'), command.share));
      break;
    case 'deposit':
      await depositShare(bank, command);
      break;
    case 'refund':
      await refundShare(bank, command);
      break;
    case 'work':
      await carryOutRefunds(app, 3);
      break;
    case 'wait':
      app.now.advance(command.milliseconds);
  }
}

async function resolveLate({ app, late }: Bank, command: Extract<Command, { do: 'resolve' }>): Promise<void> {
  const transaction = late[command.payment % Math.max(1, late.length)];
  if (transaction === undefined) return;
  const decided = { decision: command.as, reason: 'random', by: TESTER };
  const { kind } = await resolveSuspense(app, transaction.id, decided);
  assert.notEqual(kind, 'nothing');
}

async function depositShare(bank: Bank, { share, commission }: Extract<Command, { do: 'deposit' }>): Promise<void> {
  const receivable = await owed(bank, 'method:simulated:receivable');
  await deposit(bank.app, bank.environment, shareOf(receivable, share), { commission });
}

/** Returns a share of the amount in percent, at least 1. A share above 100 is more than the amount. */
function shareOf(amount: number, share: number): number {
  return Math.max(1, Math.ceil((Math.abs(amount) * share) / 100));
}

/** Returns the balance of an account by its entries, without sign. */
async function owed({ app, environment }: Bank, account: string): Promise<number> {
  const [row] = await app.db.query<{ owed: number }>(
    `select cast(coalesce(sum(case when credit_account = $2 then amount
       when debit_account = $2 then -amount else 0 end), 0) as bigint) as owed
     from journal_entries where environment_id = $1`,
    [environment.id, account],
  );
  return row?.owed ?? 0;
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
  assert.fail('every refund must end');
}

async function checkEnd(bank: Bank): Promise<void> {
  const { app, environment, payments, given } = bank;
  const completed = await app.db.query<{ id: string; amount: number }>(
    `select r.id, r.amount from refunds r join transactions t on t.id = r.transaction_id
     where r.state = 'completed' and t.environment_id = $1`,
    [environment.id],
  );
  assert.deepEqual(new Map(completed.map(({ id, amount }) => [id, amount])), new Map(given));
  const movements = await app.db.query<{ kind: string; decision: string | null; amount: number; commission: number }>(
    'select kind, decision, amount, commission from movements where environment_id = $1',
    [environment.id],
  );
  const moved = (word: string) => sum(movements.filter(({ kind, decision }) => kind === word || decision === word));
  const back = sum([...given.values()].map((amount) => ({ amount })));
  const fees = payments.reduce((total, { fee }) => total + fee, 0);
  const expected = {
    'merchant:payable': sum(payments) - fees - back - moved('payout') + moved('kept'),
    'fees:income': fees,
    bank: moved('payout') - moved('deposit'),
    'fees:acquirer': 0 - movements.reduce((total, { commission }) => total + commission, 0),
    suspense: sum(bank.late) - moved('returned') - moved('kept'),
  };
  for (const [account, amount] of Object.entries(expected)) assert.equal(await owed(bank, account), amount, account);
  const scope = { environmentIds: [environment.id], from: 0, to: Number.MAX_SAFE_INTEGER, transactionId: 0 };
  assert.deepEqual((await reconcileEntries(app, scope)).problems, []);
}

function sum(rows: readonly { amount: number }[]): number {
  return rows.reduce((total, { amount }) => total + amount, 0);
}

/** Returns the database with a reader that checks the bank after every commit. Each statement sees one snapshot. */
function readAfterEveryCommit(db: Database): Database {
  return {
    ...db,
    transaction: async (work) => {
      const result = await db.transaction(work);
      assert.deepEqual(await selectWrongBooks(db), []);
      assert.deepEqual(await selectOverdrawn(db), []);
      return result;
    },
  };
}
