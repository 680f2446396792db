import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpPaymentOf } from '../../src/checkout/look-up-payments.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { SqlRow, Tx } from '../../src/db/database.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import type { PaymentOutcome, RefundAnswer } from '../../src/payment-methods/payment-method.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { acceptedRefund, refundingMethod } from '../support/test-refunds.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

const APPROVED: PaymentOutcome = { kind: 'approved', detail: {} };

/** Opens another attempt of a transaction. */
const OPEN = [
  'begin',
  'update transactions', // the lock
  'select payment_attempts', // with late payments
  'select epochs',
  'select payment_method_accounts',
  'insert payment_attempts',
  'commit',
];

const POST = [
  'select environments', // with the records behind the entry
  'insert journal_heads',
  'insert journal_entries',
  'update journal_heads',
  'insert account_balances',
];

/** Ends an attempt and its transaction by the answer of the method. */
const END = [
  'begin',
  'update transactions', // the lock
  'select payment_attempts',
  'update payment_attempts',
  'select fees',
  'update transactions',
  'insert events',
  'select endpoints',
  'insert callbacks',
  ...POST,
  'commit',
];

const TELL_OF_REFUND = [
  'insert events',
  'select webhook_subscriptions',
  'insert book_fact_heads',
  'insert book_facts',
  'update book_fact_heads',
];

/** Claims a due refund, and records the request before the method is asked. */
const ASK_FOR_REFUND = [
  'select refunds',
  'begin',
  'update refunds', // the claim
  'commit',
  'select transactions', // with the approved attempt and the refunded sum
  'begin',
  'update transactions', // the lock
  'select refunds', // again, because a person may decide while the method is asked
  'select journal_entries', // the refunded sum again, because it can change while the method is asked
  'update refunds',
  'commit',
  'begin',
  'update transactions', // the lock
  'select refunds', // with the refunded sum
];

forEachEngine('the statements of a journey, in order:', (openTestDatabase) => {
  test('pay, approved', async () => {
    const { app, heard, pay, script } = await listen(openTestDatabase);
    script.start = APPROVED;
    await heard(() => startPayment(app, pay, 'simulated'), [...OPEN, ...END]);
  });

  test('pay, declined: the transaction stays payable', async () => {
    const { app, heard, pay, script } = await listen(openTestDatabase);
    script.start = { kind: 'declined', detail: {} };
    const decline = [
      'begin',
      'update transactions', // the lock
      'select payment_attempts',
      'update payment_attempts',
      'select payment_attempts', // the number of declined ones
      'commit',
    ];
    await heard(() => startPayment(app, pay, 'simulated'), [...OPEN, ...decline]);
  });

  test('pay at a method with a redirect, and come back', async () => {
    const { app, heard, pay, script } = await listen(openTestDatabase);
    script.start = { kind: 'redirect', externalId: 'token', url: 'https://pay.example', fields: {} };
    const wait = [
      'begin',
      'update transactions', // the lock
      'select payment_attempts',
      'update payment_attempts',
      'commit',
    ];
    await heard(() => startPayment(app, pay, 'simulated'), [...OPEN, ...wait]);
    const commit = [
      'select payment_attempts', // is any open?
      'begin',
      'update payment_attempts', // the claim
      'commit',
      'select transactions',
      'select epochs',
      'begin',
      'update payment_attempts', // records that the commit is sent
      'commit',
    ];
    await heard(() => lookUpPaymentOf(app, pay, {}), [...commit, ...END]);
  });

  test('request a refund', async () => {
    const { app, heard, paid } = await listen(openTestDatabase);
    await heard(
      () => acceptedRefund(app, paid, 1000),
      [
        'begin',
        'update transactions', // the lock
        'select refunds', // an earlier equal request
        'select refunds', // the reserved sum
        'update environments', // the lock of the merchant's money
        'select account_balances',
        'select funds_rules',
        'update transactions', // the sequence of the event
        'insert refunds',
        ...TELL_OF_REFUND,
        'update audit_head',
        'insert audit_log',
        'update audit_head',
        'commit',
      ],
    );
  });

  test('carry out a refund, approved', async () => {
    const { app, heard, paid } = await listen(openTestDatabase);
    await acceptedRefund(app, paid, 1000);
    const end = [
      'update refunds',
      'update transactions', // the sequence of the event
      ...TELL_OF_REFUND,
      ...POST,
      'commit',
    ];
    await heard(() => carryOutRefunds(app, 1), [...ASK_FOR_REFUND, ...end]);
  });

  test('carry out a refund that the method does not answer', async () => {
    const { app, heard, paid, script } = await listen(openTestDatabase);
    await acceptedRefund(app, paid, 1000);
    script.refund = { kind: 'unknown' };
    await heard(() => carryOutRefunds(app, 1), [...ASK_FOR_REFUND, 'update refunds', 'commit']);
  });

  test('deliver a callback', async () => {
    const { app, heard } = await listen(openTestDatabase);
    const deliver = async () => {
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
    };
    await heard(deliver, [
      'select callbacks',
      'begin',
      'select callback_listeners',
      'update callbacks', // the claim
      'commit',
      'begin',
      'insert delivery_attempts',
      'select endpoints', // do others wait for this one?
      'update callbacks',
      'commit',
    ]);
  });
});

type Script = { start: PaymentOutcome; refund: RefundAnswer };

/**
 * Opens an app with a record of its statements. Its shop has a payment, `paid`, with a due callback, and an unpaid
 * transaction, `pay`. The environment is in the cache, as for all but the first request of a second.
 */
async function listen(openTestDatabase: OpenTestDatabase) {
  const script: Script = { start: APPROVED, refund: { kind: 'approved', detail: {} } };
  const method = {
    ...refundingMethod({ request: async () => script.refund }),
    start: async () => script.start,
    commit: async () => APPROVED,
  };
  const silent = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
  const said: string[] = [];
  const app = heardApp(silent, said);
  const environment = await createTestEnvironment(app);
  const first = await createTestTransaction(app, environment, { reference: 'FIRST' });
  const pay = await createTestTransaction(app, environment, { reference: 'NEXT' });
  await startPayment(app, first, 'simulated');
  const heard = async (journey: () => Promise<unknown>, expected: readonly string[]) => {
    said.length = 0;
    await journey();
    assert.deepEqual(said, expected);
  };
  return { app, heard, pay, paid: (await selectTransaction(silent.db, first)) as Transaction, script };
}

function heardApp(app: TestApp, said: string[]): TestApp {
  const hear = (tx: Tx): Tx => ({
    query: <Row extends SqlRow>(...asked: Parameters<Tx['query']>) => {
      said.push(nameOf(asked[0]));
      return tx.query<Row>(...asked);
    },
    insertRows: <Row extends SqlRow>(...asked: Parameters<Tx['insertRows']>) => {
      said.push(`insert ${asked[0].name}`);
      return tx.insertRows<Row>(...asked);
    },
    insertNewRows: <Row extends SqlRow>(...asked: Parameters<Tx['insertNewRows']>) => {
      said.push(`insert ${asked[0].table.name}`);
      return tx.insertNewRows<Row>(...asked);
    },
  });
  const db: TestApp['db'] = {
    ...app.db,
    query: (...asked) => {
      said.push(nameOf(asked[0]));
      return app.db.query(...asked);
    },
    transaction: async (work, statements) => {
      said.push('begin');
      const result = await app.db.transaction((tx) => work(hear(tx)), statements);
      said.push('commit');
      return result;
    },
  };
  return { ...app, db };
}

/** Names a statement by its verb and its table: the first table outside all parentheses, else the first inside. */
function nameOf(sql: string): string {
  let outer = sql;
  for (let inner = ''; inner !== outer; ) [inner, outer] = [outer, outer.replace(/\([^()]*\)/g, '')];
  const [verb = ''] = sql.trim().split(/\s/);
  const before = { select: 'from', insert: 'into', update: 'update', delete: 'from' }[verb];
  const tableOf = (text: string) => new RegExp(`\\b${before} +(?!as )(\\w+)`).exec(text)?.[1];
  return `${verb} ${tableOf(outer) ?? tableOf(sql)}`;
}
