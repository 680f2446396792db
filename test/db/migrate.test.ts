import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Database, SchemaError } from '../../src/db/database.ts';
import { inspectSchema, migrate, refuseNewerSchema, requireSchema, splitStatements } from '../../src/db/migrate.ts';
import { describeMigration, type Migration, readMigrations } from '../../src/db/schema.ts';
import { outputOf } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';

forEachEngine('migrations', (openTestDatabase) => {
  test('run once, and the call returns the names of those that ran', async () => {
    const db = await openTestDatabase({ migrated: false });
    const { pending } = await inspectSchema(db);
    assert.ok(pending.length > 0);
    assert.deepEqual(await migrate(db), pending);
    assert.deepEqual(await migrate(db), []);
    assert.deepEqual(await inspectSchema(db), { pending: [], newer: [], strange: [], changed: [] });
  });

  test('keep the sums of a store of the first release, and the accounts of its payments', async () => {
    const db = await openTestDatabase({ migrated: false });
    await migrateAsFirstRelease(db);
    await db.transaction(async (tx) => {
      for (const statement of FIRST_RELEASE_ROWS) await tx.query(statement);
    });
    assert.deepEqual((await migrate(db))[0], '0006-fees-and-movements.sql');
    const sums = await db.query('select account, currency, debits, credits from account_balances order by 1, 2');
    assert.deepEqual(sums.map(Object.values), [
      ['merchant:payable', 'CLP', 400, 1000],
      ['merchant:payable', 'USD', 0, 7],
      ['method:webpay:receivable', 'CLP', 1000, 400],
      ['method:webpay:receivable', 'USD', 7, 0],
    ]);
    const attempts = await db.query('select id, account from payment_attempts order by id');
    assert.deepEqual(attempts.map(Object.values), [
      ['pa_1', '597055555532'],
      ['pa_2', null],
    ]);
    const accounts = await db.query('select account, sealed_key, retired_at from payment_method_accounts');
    assert.deepEqual(accounts.map(Object.values), [['597055555532', 'sealed', null]]);
  });

  test('of an existing store are named when they begin, because one can take hours', async () => {
    const db = await openTestDatabase({ migrated: false });
    await migrateAsFirstRelease(db);
    const begun: string[] = [];
    const begins = (name: string) => void begun.push(name);
    const ran = await migrate(db, undefined, begins);
    assert.ok(ran.length > 0);
    assert.deepEqual(begun, ran);
    await migrate(db, undefined, begins);
    assert.deepEqual(begun, ran, 'none begins twice');
  });

  test('run once when two processes start together', async () => {
    const db = await openTestDatabase({ migrated: false });
    const { pending } = await inspectSchema(db);
    const applied = await Promise.all([migrateInAnotherProcess(db.url), migrateInAnotherProcess(db.url)]);
    assert.deepEqual(applied.flat().sort(), pending);
  });

  test('of a new store are one commit, so that no command meets a store with a part of them', async () => {
    const db = await openTestDatabase({ migrated: false });
    const seen: number[] = [];
    const watched: Database = {
      ...db,
      transaction: async (work, kind) => {
        const result = await db.transaction(work, kind);
        seen.push((await inspectSchema(db)).pending.length);
        return result;
      },
    };
    await migrate(watched);
    assert.deepEqual(seen, [OWN.length, 0]);
  });

  test('are recorded with the checksum of their text, also those that ran before checksums existed', async () => {
    const db = await openTestDatabase({ migrated: false });
    await migrateAsFirstRelease(db);
    await migrate(db);
    const rows = await db.query('select name, checksum, rolling from schema_migrations order by name');
    const expected = OWN.map(({ name, checksum, rolling }) => [name, checksum, Number(rolling)]);
    assert.deepEqual(rows.map(Object.values), expected);
  });

  test('whose text changed after they ran are refused by every entry to the store', async () => {
    const db = await openTestDatabase();
    await migrate(db);
    const [first, ...others] = OWN as [Migration, ...Migration[]];
    const changed = [describeMigration(first.name, `${first.text}\n-- another thought`), ...others];
    await refusedAs('SCHEMA_CHANGED', /0001-initial\.sql/, db, changed);
    const windows = OWN.map(({ name, text }) => describeMigration(name, text.replaceAll('\n', '\r\n')));
    assert.deepEqual(await migrate(db, windows), []);
  });

  test('of a newer version make an older version refuse the store', async () => {
    const db = await openTestDatabase();
    const newer = [...OWN, describeMigration('9999-other-refunds.sql', 'create table other_refunds (id bigint);')];
    assert.deepEqual(await migrate(db, newer), ['9999-other-refunds.sql']);
    await refusedAs('SCHEMA_NEWER', /9999-other-refunds\.sql.*Run that version/, db, OWN);
    await requireSchema(db, true, newer);
  });

  test('of a newer version that only add do not make an older version stop', async () => {
    const db = await openTestDatabase();
    await migrate(db, [
      ...OWN,
      describeMigration('9998-notes.sql', '-- rolling: yes\ncreate table notes (id bigint);'),
    ]);
    assert.deepEqual((await inspectSchema(db)).newer, ['9998-notes.sql']);
    assert.deepEqual(await migrate(db), []);
    await requireSchema(db, true);
    await refuseNewerSchema(db);
  });

  test('that are missing make a command fail, and are not run by it', async () => {
    const db = await openTestDatabase();
    const newer = [...OWN, describeMigration('9999-notes.sql', 'create table notes (id bigint);')];
    await migrate(db);
    const before = await inspectSchema(db, newer);
    await assert.rejects(requireSchema(db, true, newer), {
      code: 'SCHEMA_BEHIND',
      message: 'The store was made by an earlier version and lacks 9999-notes.sql: run bin/rubrica migrate.',
    });
    assert.deepEqual(await inspectSchema(db, newer), before);
    assert.deepEqual(before.pending, ['9999-notes.sql']);
  });

  test('that are many are counted in the refusal, with the first and the last', async () => {
    const db = await openTestDatabase();
    const many = [7, 8, 9, 10].map((n) =>
      describeMigration(`99${n + 10}-more.sql`, `create table more_${n} (id bigint);`),
    );
    await assert.rejects(requireSchema(db, true, [...OWN, ...many]), {
      message:
        'The store was made by an earlier version and lacks 4 migrations, 9917-more.sql to 9920-more.sql: run bin/rubrica migrate.',
    });
    await migrate(db, [...OWN, ...many]);
    await assert.rejects(migrate(db), { message: /4 migrations, 9917-more\.sql to 9920-more\.sql/ });
  });

  test('all run when a command opens a new store', async () => {
    const db = await openTestDatabase({ migrated: false });
    await requireSchema(db, true);
    assert.deepEqual((await inspectSchema(db)).pending, []);
  });

  test('in progress do not block a running service that checks which ones ran', async () => {
    const db = await openTestDatabase();
    await migrate(db);
    const { promise: asked, resolve: askedIt } = Promise.withResolvers<void>();
    const slow = describeMigration('9999-slow.sql', 'create table slow (id bigint);');
    const held: Database = {
      ...db,
      transaction: (work, kind) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          if (kind === 'slow') await asked;
          return result;
        }, kind),
    };
    const migrating = migrate(held, [...OWN, slow]);
    await refuseNewerSchema(db);
    askedIt();
    assert.deepEqual(await migrating, ['9999-slow.sql']);
    await assert.rejects(refuseNewerSchema(db), { code: 'SCHEMA_NEWER' });
  });
});

const OWN = readMigrations(join(import.meta.dirname, '../../migrations'));

async function refusedAs(code: string, message: RegExp, db: Database, own: readonly Migration[]): Promise<void> {
  const requireIt = (store: Database, all: readonly Migration[]) => requireSchema(store, false, all);
  for (const way of [migrate, requireIt, refuseNewerSchema]) {
    await assert.rejects(way(db, own), (error) => {
      assert.ok(error instanceof SchemaError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  }
}

test('only the first line of a migration marks it as rolling', () => {
  const says = (text: string) => describeMigration('a.sql', text).rolling;
  assert.equal(says('-- rolling: yes\ncreate table a (b bigint);'), true);
  assert.equal(says('-- rolling: yes\r\ncreate table a (b bigint);'), true);
  assert.equal(says('-- rolling: no\ncreate table a (b bigint);'), false);
  assert.equal(says('create table a (b bigint);\n-- rolling: yes\n'), false);
});

test('a migration is split at semicolons that end a line', () => {
  const text = `-- first;\ncreate table a (\n  x text default ';' -- kept\n);\n\n  -- second\ninsert into a values (';x');\nselect 1`;
  assert.deepEqual(splitStatements(text), [
    "create table a (\n  x text default ';' -- kept\n)",
    "insert into a values (';x')",
    'select 1',
  ]);
});

const ORDER = "1, 1000, 1, 2, 1, 'completed'";
const SHOP = "'CLP', 'a@b.cl', 's', 'CL', 'u', 'u', 'u', 'p'";

/** A Webpay payment with a refund, a payment by another method, and one in another currency without a transaction. */
const FIRST_RELEASE_ROWS = [
  "insert into payment_services (id, name, created_at) values ('ps_1', 'Shop', 1)",
  `insert into environments (payment_service_id, environment, service_token) values ('ps_1', 'development', 'st')`,
  `insert into payment_method_settings values (1, 'webpay', '597055555532', 'sealed', 1)`,
  `insert into transactions (id, environment_id, amount, created_at, expires_at, last_sequence, state, reference, currency,
     customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret)
   values (1001, ${ORDER}, 'a', ${SHOP}), (1002, ${ORDER}, 'b', ${SHOP})`,
  `insert into payment_attempts (id, transaction_id, created_at, lookups, state, payment_method)
   values ('pa_1', 1001, 1, 0, 'approved', 'webpay'), ('pa_2', 1002, 1, 0, 'approved', 'simulated')`,
  `insert into journal_entries (environment_id, link, line, created_at, kind, debit_account, credit_account, amount,
     currency, hash)
   values (1, 1, 0, 1, 'payment', 'method:webpay:receivable', 'merchant:payable', 1000, 'CLP', 'x'),
     (1, 2, 0, 1, 'refund', 'merchant:payable', 'method:webpay:receivable', 400, 'CLP', 'y'),
     (1, 3, 0, 1, 'payment', 'method:webpay:receivable', 'merchant:payable', 7, 'USD', 'z')`,
];

async function migrateAsFirstRelease(db: Database): Promise<void> {
  const folder = join(import.meta.dirname, '../../migrations');
  await db.transaction(async (tx) => {
    await tx.query('create table schema_migrations (name text primary key, applied_at text not null)');
    for (const name of readdirSync(folder).sort()) {
      if (name >= '0006') continue;
      for (const sql of splitStatements(readFileSync(join(folder, name), 'utf8'))) await tx.query(sql);
      await tx.query('insert into schema_migrations (name, applied_at) values ($1, current_timestamp)', [name]);
    }
  });
}

async function migrateInAnotherProcess(url: string): Promise<string[]> {
  const program = `
    import { migrate } from './migrate.ts';
    import { openDatabase } from './open-database.ts';
    const db = openDatabase(${JSON.stringify(url)}, { connections: 1, pooler: false, onFatal: () => {} });
    console.log(JSON.stringify(await migrate(db)));
    await db.close();
  `;
  const cwd = join(import.meta.dirname, '../../src/db');
  return JSON.parse(await outputOf('node', ['--input-type=module', '--eval', program], { cwd })) as string[];
}
