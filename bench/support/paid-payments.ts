import type { App } from '../../src/app.ts';
import type { JournalEntry } from '../../src/books/journal-entry.ts';
import { selectBehind } from '../../src/books/journal-queries.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import { recordHash } from '../../src/books/record-hash.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { SqlRow, Tx } from '../../src/db/database.ts';
import { callbackBody, callbackFields } from '../../src/outbox/callback-payload.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';

/** In one commit. */
const AT_ONCE = 1000;
const DAYS = 400;
const DAY_MS = 86_400_000;
/** The tables that have a row of every payment, in the order in which they refer to each other. */
const TABLES = [
  'transactions',
  'payment_attempts',
  'events',
  'callbacks',
  'delivery_attempts',
  'journal_entries',
] as const;
/** Numbered by the store. */
const NUMBERED: Partial<Record<string, readonly string[]>> = {
  events: ['position', 'commit_id'],
  delivery_attempts: ['id'],
};

type Template = Record<Exclude<(typeof TABLES)[number], 'journal_entries'>, SqlRow[]> & {
  journal_entries: JournalEntry[];
  behind: Awaited<ReturnType<typeof selectBehind>>;
};

/**
 * Stores `count` paid payments with all that a real one leaves: its attempt, events, callback, and its link in the books, so that
 * every check of the store holds. One is made by the service itself, and the others are that one with other names, amounts and days.
 */
export async function storePaidPayments(app: App, environment: ServiceEnvironment, count: number): Promise<void> {
  const template = await makeTemplate(app, environment);
  const first = { id: template.transactions[0]?.['id'] as number, callback: template.callbacks[0]?.['id'] as number };
  const [head] = await app.db.query<{ link: number; hash: string }>(
    'select link, hash from journal_heads where environment_id = $1',
    [environment.id],
  );
  let { link, hash } = head as { link: number; hash: string };
  const begin = Date.now() - DAYS * DAY_MS;
  let sum = 0;
  for (let from = 1; from <= count; from += AT_ONCE) {
    const rows: Record<string, SqlRow[]> = Object.fromEntries(TABLES.map((table) => [table, []]));
    for (let n = from; n < from + AT_ONCE && n <= count; n++) {
      const at = begin + Math.floor((n * DAYS * DAY_MS) / (count + 1));
      const made = copyOf(template, environment, { n, at, first, link: ++link, previous: hash });
      hash = made.journal_entries.at(-1)?.['hash'] as string;
      sum += amountOf(n);
      for (const table of TABLES) rows[table]?.push(...made[table]);
    }
    await app.db.transaction((tx) => insertAll(tx, rows), 'slow');
  }
  await app.db.transaction(async (tx) => {
    await tx.query('update journal_heads set link = $2, hash = $3 where environment_id = $1', [
      environment.id,
      link,
      hash,
    ]);
    await tx.query(
      `update account_balances set debits = debits + case when debits > 0 then $2 else 0 end,
         credits = credits + case when credits > 0 then $2 else 0 end where environment_id = $1`,
      [environment.id, sum],
    );
    await tx.query(`update id_blocks set next_id = next_id + $1 where name = 'transaction'`, [count + 1]);
    if (app.db.engine === 'postgres')
      await tx.query(`select setval(pg_get_serial_sequence('callbacks', 'id'), $1)`, [first.callback + count]);
  }, 'slow');
}

const amountOf = (n: number) => 1_000 + (n % 500) * 10;

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
  const rowsOf = <Row extends SqlRow>(table: string, where: string) =>
    app.db.query<Row>(`select * from ${table} where ${where} and environment_id = $2 order by 1`, [
      transaction.id,
      environment.id,
    ]);
  const byTransaction = 'transaction_id = $1';
  const [attempts, entries] = [
    await rowsOf('payment_attempts', byTransaction),
    await rowsOf<JournalEntry>('journal_entries', byTransaction),
  ];
  const of = {
    transactionId: transaction.id,
    paymentAttemptId: attempts[0]?.['id'] as string,
    refundId: null,
  };
  return {
    transactions: await rowsOf('transactions', 'id = $1'),
    payment_attempts: attempts,
    events: await rowsOf('events', byTransaction),
    callbacks: await rowsOf('callbacks', byTransaction),
    delivery_attempts: await rowsOf(
      'delivery_attempts',
      'callback_id in (select id from callbacks where transaction_id = $1)',
    ),
    journal_entries: entries,
    behind: await app.db.transaction((tx) => selectBehind(tx, environment.id, of)),
  };
}

/** Nothing is posted: the shop of this payment is nowhere. */
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

type Place = { n: number; at: number; first: { id: number; callback: number }; link: number; previous: string };

function copyOf(template: Template, environment: ServiceEnvironment, { n, at, first, link, previous }: Place) {
  const amount = amountOf(n);
  const [id, callbackId] = [first.id + n, first.callback + n];
  const attemptId = `pa_${String(id).padStart(20, '0')}`;
  const reference = `R${(n * 2_654_435_761) % 4_294_967_296}-${n}`;
  const shift = at - (template.transactions[0]?.['created_at'] as number);
  const changed = <Row extends SqlRow>(row: Row, changes: Partial<Row>): Row => {
    const copy: SqlRow = { ...row, ...(changes as SqlRow) };
    for (const [name, value] of Object.entries(row))
      if (name.endsWith('_at') && typeof value === 'number') copy[name] = value + shift;
    return copy as Row;
  };
  const entries = template.journal_entries.map((row) => {
    const entry = changed(row, { link, amount, transaction_id: id, payment_attempt_id: attemptId });
    const behind = {
      ...template.behind,
      reference,
      transaction_amount: amount,
      transaction_created_at: at,
      attempt_transaction_id: id,
    };
    return { ...entry, record_hash: recordHash(entry, behind, true) };
  });
  const hash = linkHash(previous, entries);
  return {
    transactions: template.transactions.map((row) => changed(row, { id, amount, reference })),
    payment_attempts: template.payment_attempts.map((row) => changed(row, { id: attemptId, transaction_id: id })),
    events: template.events.map((row) => changed(row, { transaction_id: id })),
    callbacks: template.callbacks.map((row) => {
      const content = {
        transactionId: id,
        reference,
        amount,
        currency: 'CLP',
        result: 'completed',
        message: 'Approved',
      } as const;
      const timestamp = (row['created_at'] as number) + shift;
      const body = callbackBody(callbackFields(environment, { ...content, timestamp }));
      return changed(row, { id: callbackId, transaction_id: id, webhook_id: `evt_${id}_${row['sequence']}`, body });
    }),
    delivery_attempts: template.delivery_attempts.map((row) => changed(row, { callback_id: callbackId })),
    journal_entries: entries.map((entry): SqlRow => ({ ...entry, hash })),
  };
}

async function insertAll(tx: Tx, rows: Record<string, SqlRow[]>): Promise<void> {
  for (const table of TABLES) {
    const all = rows[table] ?? [];
    const columns = Object.keys(all[0] ?? {}).filter((name) => NUMBERED[table]?.includes(name) !== true);
    await tx.insertRows(
      { name: table, columns },
      all.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null]))),
    );
  }
}
