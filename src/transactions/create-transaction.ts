import type { App } from '../app.ts';
import { type SqlRow, StorageError } from '../db/database.ts';
import { createBatcher } from '../lib/batcher.ts';
import { randomToken } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { differingFields, isPayable, type Transaction, type TransactionInput } from './transaction.ts';
import { insertTransactions, reserveTransactionIds, selectByReference } from './transaction-queries.ts';

export type CreateOutcome =
  | { kind: 'created'; transaction: Pick<Transaction, 'id' | 'environment_id' | 'pay_secret'> }
  | { kind: 'replayed'; transaction: Transaction }
  | { kind: 'conflict'; transaction: Transaction; fields: string[] };

/**
 * A process reserves few ids at first and more each time: a command makes one transaction, a busy service thousands.
 */
const LARGEST_ID_BLOCK = 1000;
const ID_BLOCK_GROWTH = 8;

/**
 * Stores a transaction and its first event in one commit, and resolves when that commit is durable.
 *
 * A reference belongs to its environment for ever. Repeating it with the same fields returns `replayed` and the first
 * transaction; with other fields it returns `conflict` and the names of the differing fields. A different session id
 * alone is accepted while the first transaction can be paid, because published shops send a new one at every view of an
 * order. Rejects with `StorageError` or `BatcherFullError`.
 */
export async function createTransaction(
  app: App,
  environment: ServiceEnvironment,
  input: TransactionInput,
): Promise<CreateOutcome> {
  const row = newRow(app, environment.id, input);
  const created = await batchers(app).submit(row);
  if (created) return { kind: 'created', transaction: row };

  const transaction = await selectByReference(app.db, environment.id, input.reference);
  if (transaction === null) throw new Error('A reference is taken by no transaction');
  const fields = differingFields(transaction, input);
  const same = fields.length === 0 || (fields.join() === 'x_session_id' && isPayable(transaction, app.now()));
  return same ? { kind: 'replayed', transaction } : { kind: 'conflict', transaction, fields };
}

type NewRow = SqlRow & { id: number; environment_id: number; reference: string; pay_secret: string };

function newRow(app: App, environmentId: number, input: TransactionInput): NewRow {
  const now = app.now();
  return {
    id: 0,
    environment_id: environmentId,
    amount: input.amount,
    created_at: now,
    expires_at: now + app.config.transactionMinutes * 60_000,
    last_sequence: 1,
    state: 'pending',
    reference: input.reference,
    currency: input.currency,
    customer_email: input.customerEmail,
    session_id: input.sessionId,
    shop_country: input.shopCountry,
    url_callback: input.urlCallback,
    url_cancel: input.urlCancel,
    url_complete: input.urlComplete,
    pay_secret: randomToken(16),
    unsigned_fields: input.unsignedFields,
  };
}

// Requests that arrive during a commit share the next one, so that they share the cost of the disk flush, the most
// expensive part of a create.
const batchers = perInstance((app: App) => {
  const takeIds = createIdSource(app);
  const batcher = createBatcher<NewRow, boolean>({
    maxBatch: 256,
    maxQueued: 4096,
    maxWaitMs: 2_000,
    // SQLite has one writer. On PostgreSQL the second batch is sent while the first is flushed.
    concurrency: app.db.engine === 'sqlite' ? 1 : 2,
    flush: async (batch) => {
      // The same order in every batch prevents a deadlock between two batches with the same references. SQLite has only
      // one writer, so it needs no order.
      const rows = app.db.engine === 'sqlite' ? batch : batch.toSorted(byReference);
      await takeIds(rows);
      const inserted = new Set(await app.db.transaction((tx) => insertTransactions(tx, rows)));
      app.metrics.transactions.inc({ state: 'pending' }, inserted.size);
      return batch.map((row) => inserted.has(row.id));
    },
  });
  return app.metrics.watchQueue('transactions', batcher);
});

function byReference(one: NewRow, other: NewRow): number {
  if (one.environment_id !== other.environment_id) return one.environment_id - other.environment_id;
  if (one.reference === other.reference) return 0;
  return one.reference < other.reference ? -1 : 1;
}

function createIdSource(app: App): (rows: readonly NewRow[]) => Promise<void> {
  let next = 0;
  let end = 0;
  let block = 1;
  let reserving: Promise<void> | undefined;

  async function reserve(least: number): Promise<void> {
    const count = Math.max(block, least);
    const first = await app.db.transaction((tx) => reserveTransactionIds(tx, count));
    if (first < end) throw new StorageError('STORAGE_UNAVAILABLE', new Error('The store has gone back'));
    next = first;
    end = first + count;
    block = Math.min(count * ID_BLOCK_GROWTH, LARGEST_ID_BLOCK);
  }

  return async (rows) => {
    for (const [at, row] of rows.entries()) {
      while (next === end) {
        // Concurrent batches share one reservation, because the responses of two could arrive in the wrong order.
        reserving ??= reserve(Math.min(rows.length - at, LARGEST_ID_BLOCK)).finally(() => {
          reserving = undefined;
        });
        await reserving;
      }
      row.id = next++;
    }
  };
}
