import type * as sqlite from 'node:sqlite';
import { type Terms, termsOf, utcDay } from '../../src/search/search-term.ts';
import { askOnce } from './databases.ts';
import { type Installation, withStore } from './service.ts';
import { FIRST_ID, STORED_AMOUNTS, STORED_DAYS, STORED_SINCE, storedAmount } from './stored-transactions.ts';

/** A payment to search for, with all facts that a person may know. Amounts are CLP. */
export type Target = {
  id: number;
  reference: string;
  email: string;
  /** An amount that no other payment has. */
  rare: number;
  code: string;
  attempt: string;
  refund: string;
  callback: number;
};

const MOST_TARGETS = 50;

/** Returns targets spread over all days of a store. */
export function targetsOf(count: number): Target[] {
  const length = Math.min(MOST_TARGETS, Math.ceil(count / 200));
  const step = Math.floor(count / (length + 1));
  return Array.from({ length }, (_, at) => {
    const id = FIRST_ID + (at + 1) * step;
    const number = String(id).padStart(20, '0');
    return {
      id,
      reference: `PEDIDO-${at}`,
      email: `pagadora-${at}@example.cl`,
      rare: 3_000_001 + at * 10,
      code: `C${String(at).padStart(5, '0')}`,
      attempt: `pa_${number}`,
      refund: `rf_${number}`,
      callback: at + 1,
    };
  });
}

/** Adds to every payment, besides itself and its event, the attempt that paid it. */
const attempts = (padded: string) => `
  insert into payment_attempts (id, environment_id, transaction_id, created_at, settled_at, lookups, state, payment_method, detail)
  select 'pa_' || ${padded}, environment_id, id, created_at, settled_at, 0, 'approved', 'simulated', '{"authorization_code":"123456"}'
  from transactions`;

const endpoint = `insert into endpoints (environment_id, address) values (1, 'https://shop.example/callback')`;

function targetStatements({ id, reference, email, rare, code, attempt, refund, callback }: Target): string {
  return `
  update transactions set reference = '${reference}', customer_email = '${email}', amount = ${rare} where id = ${id};
  update payment_attempts set detail = '{"authorization_code":"${code}"}' where id = '${attempt}' and environment_id = 1;
  insert into refunds (id, environment_id, transaction_id, sequence, amount, created_at, settled_at, lookups, state, type, requested_by)
  values ('${refund}', 1, ${id}, 2, 1, ${STORED_SINCE}, ${STORED_SINCE}, 0, 'completed', 'parcial', 'bench');
  insert into callbacks (id, transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at, finished_at, attempts, state,
    webhook_id, url, body)
  values (${callback}, ${id}, 1, (select max(id) from endpoints), 1, ${STORED_SINCE}, ${STORED_SINCE}, ${STORED_SINCE}, 1, 'delivered', 'w${callback}',
    'https://shop.example/callback', '');`;
}

/** One term of every payment that nobody searches for; any number will do as a hash. */
const randomTerms = (random: string) => `select ${random} as term, id, environment_id from transactions`;

/** The index rows: three texts and the merchant's day, the amount on its day, and the day. */
const indexed = (random: string) => `
  insert into search_terms (term, transaction_id, environment_id)
  select term, id, environment_id from (
    ${`${randomTerms(random)} union all `.repeat(4)}
    select k.term, t.id, t.environment_id from transactions t join known k on k.day = t.created_at / 86400000 and k.amount in (0, t.amount)
  ) as terms order by term, id;
  insert into amount_days (amount, currency, day) select distinct amount, 'CLP', created_at / 86400000 from transactions;
  ${INDEX_IS_WHOLE};`;

const INDEX_IS_WHOLE = `update search_progress set (commit_id, position) =
  (select commit_id, position from events order by commit_id desc, position desc limit 1), amount_days_from = 0`;

/** Adds the data for searches to a SQLite store with transactions. */
export async function fillSqlite(database: sqlite.DatabaseSync, installation: Installation, count: number) {
  database.exec(`${attempts(`printf('%020d', id)`)}; ${endpoint};`);
  const targets = targetsOf(count);
  for (const target of targets) database.exec(targetStatements(target));
  const terms = await withStore(installation, termsOf);
  database.exec(
    'create temp table known (day integer, amount integer, term integer, primary key (day, amount)) without rowid',
  );
  const insert = database.prepare('insert into known (day, amount, term) values (?, ?, ?)');
  database.exec('begin');
  for (const row of knownTerms(terms, count)) insert.run(...row);
  database.exec(`commit; ${indexed('abs(random()) >> 11')}`);
  const add = database.prepare('insert into search_terms (term, transaction_id, environment_id) values (?, ?, 1)');
  for (const [term, id] of targets.flatMap((target) => termsOfTarget(terms, target, count))) add.run(term, id);
}

/** Adds the same data in PostgreSQL. */
export async function fillPostgres(url: string, installation: Installation, count: number): Promise<void> {
  const terms = await withStore(installation, termsOf);
  const targets = targetsOf(count);
  const known = knownTerms(terms, count).map((row) => `(${row.join()})`);
  const own = targets
    .flatMap((target) => termsOfTarget(terms, target, count))
    .map(([term, id]) => `(${term}, ${id}, 1)`);
  await askOnce(
    url,
    `${attempts(`lpad(id::text, 20, '0')`)}; ${endpoint};
     ${targets.map(targetStatements).join('')}
     create temp table known (day bigint, amount bigint, term bigint);
     insert into known values ${known.join()};
     create index on known (day, amount); analyze known;
     alter table search_terms drop constraint search_terms_pkey;
     ${indexed('(random() * 4503599627370495)::bigint')}
     insert into search_terms (term, transaction_id, environment_id) values ${own.join()};
     alter table search_terms add primary key (term, transaction_id, environment_id)`,
  );
  await askOnce(url, 'vacuum analyze');
}

type KnownTerm = [day: number, amount: number, term: number];

/** Returns the terms of every day, and of every usual amount that one of `count` payments has on it; 0: any amount. */
function knownTerms(terms: Terms, count: number): KnownTerm[] {
  const first = utcDay(STORED_SINCE);
  const ofOneDay = (count + 1) / STORED_DAYS;
  // One more at each end, for payments that may be on either day.
  const kinds = Math.min(STORED_AMOUNTS, Math.ceil(ofOneDay) + 2);
  return Array.from({ length: STORED_DAYS }, (_, at) => at).flatMap((at) => [
    [first + at, 0, terms.ofDay(first + at, null)] satisfies KnownTerm,
    ...Array.from({ length: kinds }, (_, kind): KnownTerm => {
      const amount = storedAmount((Math.floor(at * ofOneDay) + kind) % STORED_AMOUNTS);
      return [first + at, amount, terms.ofAmount(amount, 'CLP', first + at)];
    }),
  ]);
}

function termsOfTarget(terms: Terms, target: Target, count: number): [term: number, id: number][] {
  const { id, reference, email, code, rare } = target;
  const day = utcDay(STORED_SINCE + ((id - FIRST_ID) * STORED_DAYS * 86_400_000) / (count + 1));
  return [
    terms.of('reference', reference),
    terms.of('email', email),
    terms.of('authorization_code', code),
    terms.ofAmount(rare, 'CLP', day),
  ].map((term) => [term, id]);
}
