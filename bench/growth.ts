import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { askOnce } from './support/databases.ts';
import { type Figure, FigureSkipped, type Line, ratioLine } from './support/figure.ts';
import type { CreateRequest } from './support/load-plan.ts';
import { createInstallation, createRequestOf, type Installation, startService } from './support/service.ts';

const BYTES_PER_TRANSACTION = 1_600;

/**
 * Creates a second beside many stored transactions, against the same beside none. References in order are what shops
 * send; random ones are the worst there is, because each touches another page of the index.
 */
export async function measureGrowth(bench: Bench): Promise<Figure> {
  await checkSpace(bench);
  const onSqlite: Stored[] = [];
  for (const count of bench.sizes.stored) onSqlite.push(await storeInSqlite(bench, count));
  const lines = await compare(bench, 'SQLite', onSqlite);
  const postgres = await bench.postgres();
  const onPostgres: Stored[] = [];
  for (const count of bench.sizes.stored) {
    const url = await postgres.createDatabase(`growth_${count}`);
    onPostgres.push(await storeInPostgres(bench, count, url));
  }
  return { lines: [...lines, ...(await compare(bench, 'PostgreSQL', onPostgres))], details: [] };
}

type Stored = { count: number; installation: Installation };

async function checkSpace({ folder, sizes }: Bench): Promise<void> {
  const most = Math.max(...sizes.stored);
  const needed = most * BYTES_PER_TRANSACTION;
  const { bavail, bsize } = await statfs(folder);
  const asGigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  if (bavail * bsize < needed) {
    throw new FigureSkipped(
      `${folder} has ${asGigabytes(bavail * bsize)} GB left; ${most} rows need ${asGigabytes(needed)} GB`,
    );
  }
}

async function compare(bench: Bench, engine: string, stored: readonly Stored[]): Promise<Line[]> {
  const services = await Promise.all(stored.map(({ installation }) => startService(installation)));
  const lines: Line[] = [];
  for (const references of ['sequential', 'random'] as const) {
    const contestants = stored.map(({ count, installation }, at) => {
      const request = createRequestOf(installation, references);
      const port = services[at]?.port as number;
      return [
        `${engine}, ${references}, ${count} stored`,
        async () => (await runLoad(bench, { port, request })).rate,
      ] as const;
    });
    const rows = await alternate(bench, Object.fromEntries(contestants));
    for (const [at, { count }] of stored.entries()) {
      if (at > 0) lines.push(growthLine(engine, references, count, roundsAgainst(rows, 0, at)));
    }
  }
  await Promise.all(services.map((service) => service.stop()));
  return lines;
}

function growthLine(
  engine: string,
  references: CreateRequest['references'],
  count: number,
  rounds: { ours: number; peer: number }[],
): Line {
  const measured = `creates/s at ${count.toLocaleString('en')} stored transactions, ${engine}, ${references} references`;
  return ratioLine(measured, 'at none', { atLeast: 0.9 }, rounds);
}

/** The rows that both engines insert, from numbers in `numbers`: transactions of the past, each with its first event. */
const storedTransactions = (reference: string) => `
  insert into transactions (id, environment_id, amount, created_at, expires_at, settled_at, last_sequence, state, reference,
    currency, customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret, payment_method)
  select 1000 + n, 1, 12990, 1735689600000 + n, 1735693200000 + n, 1735689700000 + n, 1, 'completed', ${reference},
    'CLP', 'compradora@example.cl', 'session-000001', 'CL', 'https://shop.example/callback', 'https://shop.example/cancel',
    'https://shop.example/complete', 'AAAAAAAAAAAAAAAAAAAAAA', 'simulated'
  from numbers`;
const STORED_EVENTS = `
  insert into events (environment_id, transaction_id, sequence, created_at, type)
  select 1, 1000 + n, 1, 1735689600000 + n, 'transaction.created' from numbers`;
const REFERENCE_INDEX = 'create unique index transactions_reference on transactions (environment_id, reference)';

async function storeInSqlite(bench: Bench, count: number): Promise<Stored> {
  const folder = join(bench.folder, `growth-${count}`);
  const installation = await createInstallation(folder);
  bench.say(`  storing ${count} transactions in SQLite`);
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const database = new sqlite.DatabaseSync(join(folder, 'rubrica.db'));
  // An index that is made at the end is sorted once instead of touched everywhere.
  if (count > 0) {
    database.exec(`
      pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -200000;
      drop index transactions_reference;
      ${numbers} ${storedTransactions('lower(hex(randomblob(10)))')};
      ${numbers} ${STORED_EVENTS};
      ${REFERENCE_INDEX};
      update id_blocks set next_id = ${count + 1001};`);
  }
  database.close();
  return { count, installation };
}

async function storeInPostgres(bench: Bench, count: number, url: string): Promise<Stored> {
  const installation = await createInstallation(join(bench.folder, `growth-postgres-${count}`), url);
  bench.say(`  storing ${count} transactions in PostgreSQL`);
  const numbers = `with numbers (n) as (select generate_series(1, ${count}))`;
  const reference = `left(md5(n::text || 'stored'), 20)`;
  await askOnce(
    url,
    `drop index transactions_reference;
     ${numbers} ${storedTransactions(reference)};
     ${numbers} ${STORED_EVENTS};
     ${REFERENCE_INDEX};
     update id_blocks set next_id = ${count + 1001};`,
  );
  await askOnce(url, 'vacuum analyze');
  return { count, installation };
}
