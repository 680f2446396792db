import * as sqlite from 'node:sqlite';
import { askOnce } from './databases.ts';

/** How many days the payments of a store span. The last day has just ended. */
export const STORED_DAYS = 400;

const DAY_MS = 86_400_000;
/** A constant, so that all of one run use the same days. */
const ENDED = Math.floor(Date.now() / DAY_MS) * DAY_MS;

/** The creation time of the first payment, in UTC milliseconds. */
export const STORED_SINCE = ENDED - STORED_DAYS * DAY_MS;

/** How many different amounts there are; payments take them in turn. */
export const STORED_AMOUNTS = 500;
export const storedAmount = (kind: number) => 1_000 + kind * 10;

/** The ids begin after this one. */
export const FIRST_ID = 1000;

/**
 * The share of rows that are inserted before the index of references is created; the rest go through it one by one. An
 * index that is created at once is packed: on SQLite nearly every new row would then split a page, which does not
 * happen in a store that has grown.
 */
const PACKED = 0.7;

/** Builds the rows for both engines from numbers in `numbers`: past transactions, each with its first event. */
function statementsOf(count: number, numbers: string, reference: string) {
  const at = `${STORED_SINCE} + cast(n * ${(STORED_DAYS * DAY_MS) / Math.max(1, count + 1)} as bigint)`;
  return `
  ${numbers} insert into transactions (id, environment_id, amount, created_at, expires_at, settled_at, last_sequence, state, reference,
    currency, customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret, payment_method)
  select ${FIRST_ID} + n, 1, ${storedAmount(0)} + (n % ${STORED_AMOUNTS}) * 10, ${at}, ${at} + 3600000, ${at} + 60000, 1, 'completed', ${reference},
    'CLP', 'compradora@example.cl', 'session-000001', 'CL', 'https://shop.example/callback', 'https://shop.example/cancel',
    'https://shop.example/complete', 'AAAAAAAAAAAAAAAAAAAAAA', 'simulated'
  from numbers;
  ${numbers} insert into events (environment_id, transaction_id, sequence, created_at, type)
  select 1, ${FIRST_ID} + n, 1, ${at}, 'transaction.created' from numbers;`;
}

const REFERENCE_INDEX = 'create unique index transactions_reference on transactions (environment_id, reference)';

/**
 * Fills a store. An index that is created afterwards is sorted once instead of touched everywhere. `more` runs at the
 * end.
 */
export async function storeInSqlite(
  file: string,
  count: number,
  more: (database: sqlite.DatabaseSync) => Promise<void> = async () => {},
): Promise<void> {
  const packed = Math.floor(count * PACKED);
  const database = new sqlite.DatabaseSync(file);
  const store = (first: number, last: number) => {
    const numbers = `with recursive numbers (n) as (select ${first} union all select n + 1 from numbers where n < ${last})`;
    database.exec(statementsOf(count, numbers, 'lower(hex(randomblob(10)))'));
  };
  database.exec(`
    pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -600000;
    drop index transactions_reference;`);
  store(1, packed);
  database.exec(REFERENCE_INDEX);
  store(packed + 1, count);
  await more(database);
  database.exec(`update id_blocks set next_id = ${count + FIRST_ID + 1};`);
  database.close();
}

/** Fills a store in PostgreSQL in the same way. */
export async function storeInPostgres(url: string, count: number): Promise<void> {
  const packed = Math.floor(count * PACKED);
  const rows = (first: number, last: number) => {
    const numbers = `with numbers (n) as (select generate_series(${first}, ${last}))`;
    return statementsOf(count, numbers, `left(md5(n::text || 'stored'), 20)`);
  };
  await askOnce(
    url,
    `drop index transactions_reference;
     ${rows(1, packed)}
     ${REFERENCE_INDEX};
     ${rows(packed + 1, count)}
     update id_blocks set next_id = ${count + FIRST_ID + 1};`,
  );
  await askOnce(url, 'vacuum analyze');
}
