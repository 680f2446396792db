import type { App } from '../../src/app.ts';
import type { JournalEntry } from '../../src/books/journal-entry.ts';
import { selectBehind } from '../../src/books/journal-queries.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import { recordHash } from '../../src/books/record-hash.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { SqlRow } from '../../src/db/database.ts';
import { callbackBody, callbackFields } from '../../src/outbox/callback-payload.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';

/** Payments per commit. */
const AT_ONCE = 10_000;
const DAYS = 400;
const DAY_MS = 86_400_000;
/** The number of people. Payments of one person are spread at random. */
const PEOPLE = 1_000_003;

type Copied = readonly { table: string; where: string; own: Record<string, string> }[];

/**
 * The rows of the first payment that are copied, in the order of references between tables: the condition that finds
 * them, and the columns that each copy changes. `n.value` is the number of the copy, `first` the first payment.
 */
const COPIED: Copied = [
  {
    table: 'transactions',
    where: 'made.id = $2',
    own: {
      id: 'made.id + n.value',
      amount: '1000 + n.value % 500 * 10',
      reference: `'R' || (n.value * 48271 % 2147483647) || '-' || n.value`,
      customer_email: `'p' || (n.value * 48271 % ${PEOPLE}) || '@example.cl'`,
    },
  },
  {
    table: 'payment_attempts',
    where: 'made.transaction_id = $2',
    own: {
      id: `'pa_0' || (1000000000000000000 + made.transaction_id + n.value)`,
      transaction_id: 'made.transaction_id + n.value',
    },
  },
  {
    table: 'events',
    where: 'made.transaction_id = $2',
    own: { transaction_id: 'made.transaction_id + n.value' },
  },
  {
    table: 'callbacks',
    where: 'made.transaction_id = $2',
    own: {
      id: 'made.id + n.value',
      transaction_id: 'made.transaction_id + n.value',
      webhook_id: `'evt_' || (made.transaction_id + n.value) || '_' || made.sequence`,
      body: 'substr(n.made, 129)',
    },
  },
  {
    table: 'delivery_attempts',
    where: 'made.callback_id = (select id from callbacks where transaction_id = $2)',
    own: { callback_id: 'made.callback_id + n.value' },
  },
  {
    table: 'journal_entries',
    where: 'made.transaction_id = $2',
    own: {
      link: 'made.link + n.value',
      amount: '1000 + n.value % 500 * 10',
      transaction_id: 'made.transaction_id + n.value',
      payment_attempt_id: `'pa_0' || (1000000000000000000 + made.transaction_id + n.value)`,
      record_hash: 'substr(n.made, 65, 64)',
      hash: 'substr(n.made, 1, 64)',
    },
  },
];
/** Columns that the store numbers. */
const NUMBERED: Partial<Record<string, readonly string[]>> = {
  events: ['position', 'commit_id'],
  delivery_attempts: ['id'],
};

/** The first payment, the source of the rows with a signature or a hash. */
type Template = {
  id: number;
  created_at: number;
  callback: SqlRow & { id: number; created_at: number };
  entry: JournalEntry;
  behind: Awaited<ReturnType<typeof selectBehind>>;
};

/**
 * Stores `count` paid payments with everything that a real one leaves: its attempt, events, callback, and its link in
 * the books, so that every check of the store passes. The service makes one, and the others are copies with other
 * names, amounts and days.
 */
export async function storePaidPayments(app: App, environment: ServiceEnvironment, count: number): Promise<void> {
  const template = await makeTemplate(app, environment);
  const copies = await Promise.all(COPIED.map((copied) => copyStatement(app, copied)));
  const [head] = await app.db.query<{ link: number; hash: string }>(
    'select link, hash from journal_heads where environment_id = $1',
    [environment.id],
  );
  let { link, hash } = head as { link: number; hash: string };
  const makeIndex = await dropRandomIndex(app);
  const apart = Math.floor((DAYS * DAY_MS) / (count + 1));
  const begin = Date.now() - DAYS * DAY_MS - template.created_at;
  let sum = 0;
  for (let from = 1; from <= count; from += AT_ONCE) {
    const made: string[] = [];
    for (let n = from; n < from + AT_ONCE && n <= count; n++) {
      const later = begin + n * apart;
      const linked = linkOf(template, { n, later, link: ++link, previous: hash });
      hash = linked.hash;
      sum += amountOf(n);
      made.push(`${hash}${linked.record_hash}${bodyOf(template, environment, n, later)}`);
    }
    await app.db.transaction(async (tx) => {
      for (const sql of copies) await tx.query(sql, [made, template.id, begin, apart, from]);
    }, 'slow');
  }
  await makeIndex();
  await moveEnds(app, environment, { count, link, hash, sum, lastCallback: template.callback.id + count });
}

/** Copies rows of the first payment (transaction $2) for each text of $1. Every time is $3 later, plus $4 per copy. */
async function copyStatement(app: App, { table, where, own }: Copied[number]): Promise<string> {
  const rows = await app.db.query<{ column_name: string }>(
    'select column_name from {columns} columns where table_name = $1',
    [table],
  );
  const columns = rows.map((row) => row.column_name).filter((name) => NUMBERED[table]?.includes(name) !== true);
  const values = columns.map(
    (name) => own[name] ?? (name.endsWith('_at') ? `made.${name} + $3 + n.value * $4` : `made.${name}`),
  );
  return `insert into ${table} (${columns.join(', ')})
    select ${values.join(', ')} from ${MADE[app.db.engine]} n cross join ${table} made where ${where} ${IN_ORDER[app.db.engine]}`;
}

/**
 * The copies from $5 on, each with its text of $1: the hashes of its link and of its record, and the body of its
 * callback.
 */
const MADE = {
  sqlite: '(select key + cast($5 as integer) as value, value as made from json_each($1))',
  postgres: `(select place - 1 + $5::bigint as value, made from unnest($1::text[]) with ordinality as texts (made, place))`,
};

/** SQLite reads the first table of a `cross join` first, and sorting would copy every row. */
const IN_ORDER = { sqlite: '', postgres: 'order by n.value, made.ctid' };

/**
 * Drops the index on references, because each row would change another page of it. Returns a function that creates it
 * again.
 */
async function dropRandomIndex(app: App): Promise<() => Promise<unknown>> {
  const name = 'transactions_reference';
  const [index] = await app.db.query<{ sql: string }>(
    app.db.engine === 'sqlite'
      ? 'select sql from sqlite_master where name = $1'
      : 'select indexdef as sql from pg_indexes where indexname = $1 and schemaname = any (current_schemas(false))',
    [name],
  );
  if (index === undefined) throw new Error(`There is no index ${name}`);
  await app.db.transaction((tx) => tx.query(`drop index ${name}`), 'slow');
  return () => app.db.transaction((tx) => tx.query(index.sql), 'slow');
}

type Ends = { count: number; link: number; hash: string; sum: number; lastCallback: number };

/** Moves the chain ends and sums that the store has once for all payments. */
async function moveEnds(app: App, environment: ServiceEnvironment, ends: Ends): Promise<void> {
  await app.db.transaction(async (tx) => {
    await tx.query('update journal_heads set link = $2, hash = $3 where environment_id = $1', [
      environment.id,
      ends.link,
      ends.hash,
    ]);
    await tx.query(
      `update account_balances set debits = debits + case when debits > 0 then cast($2 as bigint) else 0 end,
         credits = credits + case when credits > 0 then cast($2 as bigint) else 0 end where environment_id = $1`,
      [environment.id, ends.sum],
    );
    await tx.query(`update id_blocks set next_id = next_id + $1 where name = 'transaction'`, [ends.count + 1]);
    if (app.db.engine === 'postgres')
      await tx.query(`select setval(pg_get_serial_sequence('callbacks', 'id'), $1)`, [ends.lastCallback]);
  }, 'slow');
}

// The same formula as in the statements above.
const amountOf = (n: number) => 1_000 + (n % 500) * 10;
const referenceOf = (n: number) => `R${(n * 48_271) % 2_147_483_647}-${n}`;
const attemptIdOf = (id: number) => `pa_01${String(id).padStart(18, '0')}`;

async function makeTemplate(app: App, environment: ServiceEnvironment): Promise<Template> {
  const created = await createTransaction(app, environment, {
    amount: 12_990,
    currency: 'CLP',
    reference: 'FIRST',
    customerEmail: 'compradora@example.cl',
    sessionId: 'session-000001',
    shopCountry: 'CL',
    urlCallback: 'https://shop.example/callback',
    urlCancel: 'https://shop.example/cancel',
    urlComplete: 'https://shop.example/complete',
    unsignedFields: null,
  });
  if (created.kind !== 'created') throw new Error('The first payment is there already');
  const transaction = (await selectTransaction(app.db, created.transaction)) as Transaction;
  await startPayment(app, transaction, 'simulated');
  await markDelivered(app, environment);
  const rowsOf = <Row extends SqlRow>(table: string) =>
    app.db.query<Row>(`select * from ${table} where transaction_id = $1 and environment_id = $2 order by 1`, [
      transaction.id,
      environment.id,
    ]);
  const [attempt] = await rowsOf<SqlRow & { id: string }>('payment_attempts');
  const [callback] = await rowsOf<Template['callback']>('callbacks');
  const [entry, ...others] = await rowsOf<JournalEntry>('journal_entries');
  if (attempt === undefined || callback === undefined || entry === undefined || others.length > 0)
    throw new Error('The first payment has not been paid');
  const of = { transactionId: transaction.id, paymentAttemptId: attempt.id, refundId: null };
  return {
    id: transaction.id,
    created_at: transaction.created_at,
    callback,
    entry,
    behind: await app.db.transaction((tx) => selectBehind(tx, environment.id, of)),
  };
}

/** Marks callbacks as delivered: the shop of this payment does not exist, so nothing must be posted. */
async function markDelivered(app: App, environment: ServiceEnvironment): Promise<void> {
  await app.db.transaction(async (tx) => {
    const done = await tx.query<{ id: number; created_at: number }>(
      `update callbacks set state = 'delivered', attempts = 1, finished_at = created_at where environment_id = $1 returning id, created_at`,
      [environment.id],
    );
    for (const { id, created_at } of done)
      await tx.insertRows(
        {
          name: 'delivery_attempts',
          columns: ['environment_id', 'callback_id', 'started_at', 'duration_ms', 'status'],
        },
        [{ environment_id: environment.id, callback_id: id, started_at: created_at, duration_ms: 40, status: 200 }],
      );
  });
}

type Place = { n: number; later: number; link: number; previous: string };

function linkOf(template: Template, { n, later, link, previous }: Place) {
  const transaction_id = template.id + n;
  const amount = amountOf(n);
  const behind = {
    ...template.behind,
    reference: referenceOf(n),
    transaction_amount: amount,
    transaction_created_at: template.created_at + later,
    attempt_transaction_id: transaction_id,
  };
  const created_at = template.entry.created_at + later;
  const payment_attempt_id = attemptIdOf(transaction_id);
  const entry = { ...template.entry, created_at, link, amount, transaction_id, payment_attempt_id };
  const record_hash = recordHash(entry, behind, true);
  return { record_hash, hash: linkHash(previous, [{ ...entry, record_hash }]) };
}

function bodyOf({ id, callback }: Template, environment: ServiceEnvironment, n: number, later: number): string {
  const fields = callbackFields(environment, {
    transactionId: id + n,
    reference: referenceOf(n),
    amount: amountOf(n),
    currency: 'CLP',
    result: 'completed',
    message: 'Approved',
    timestamp: callback.created_at + later,
  });
  return callbackBody(fields);
}
