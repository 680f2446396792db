import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PlantName } from './plants.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';

export type BigStart = { transactions: number; logMegabytes: number; readyMs: number };

/** About the size to which the service lets the log grow. */
const LEFT_IN_LOG = 60_000;

/** Starts a service on a store of that many transactions with a long write-ahead log, as after a kill. */
export async function startOnBigStore(transactions: number, plant?: PlantName): Promise<BigStart> {
  using store = await createScratchStore();
  const { file, folder } = store;
  const left = join(folder, 'left-behind.db');
  const writer = new DatabaseSync(file);
  fillStore(writer, 1, transactions - LEFT_IN_LOG);
  // The remaining rows stay in the log, and the files are copied in this state.
  writer.exec('pragma wal_checkpoint(truncate); pragma wal_autocheckpoint = 0');
  fillStore(writer, transactions - LEFT_IN_LOG + 1, transactions);
  copyFileSync(file, left);
  copyFileSync(`${file}-wal`, `${left}-wal`);
  writer.close();
  const logMegabytes = Math.round(statSync(`${left}-wal`).size / 1024 / 1024);
  await using service = await startServe({ databaseUrl: `sqlite:${left}`, plant });
  return { transactions, logMegabytes, readyMs: service.readyMs };
}

/** Inserts transactions that ended long ago. */
export function fillStore(db: DatabaseSync, from: number, to: number): void {
  const numbers = `with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${to})`;
  db.exec(`begin;
    ${numbers} insert into transactions (id, environment_id, amount, created_at, expires_at, settled_at, last_sequence, state,
        reference, currency, customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret)
      select 1000000 + n, 1, 5000, n, n, n, 1, 'completed', 'big-' || n, 'CLP', 'buyer@example.cl', 'session-1', 'CL',
        'https://shop.example/callback', 'https://shop.example/cancel', 'https://shop.example/complete',
        printf('%022d', n) from numbers;
    ${numbers} insert into events (environment_id, transaction_id, sequence, created_at, type)
      select 1, 1000000 + n, 1, n, 'transaction.created' from numbers;
    commit`);
}
