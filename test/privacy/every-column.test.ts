import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Database, SqlRow } from '../../src/db/database.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { erasePerson } from '../../src/privacy/erase-person.ts';
import { findPersonalData } from '../../src/privacy/find-personal-data.ts';
import { KEPT_PLACES } from '../../src/privacy/kept-queries.ts';
import { type Person, personOfEmail } from '../../src/privacy/person.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const ANA = personOfEmail('ana@example.cl') as Person;

/**
 * The columns without personal text, by the form of their values. The search for a person reads every other column, so
 * a new column is read or listed here.
 */
const NOBODY: Record<string, RegExp> = {
  'an id, a token, or what names a row':
    /\.(id|service_token|payment_service|owner|actor|\w+_id|\w+_ids|contradicted_by|line_key|table_name|row_key)$/,
  'a hash, a seal, a key or a proof':
    /hash|sha256|_proof$|\.(mac|proof|lookup|sealed\w*|credential|pay_secret|checksum|key|lease)$/,
  'a word of ours':
    /payout_files\.name$|\.(site|state|kind|type|cause|route|method|code|currency|environment|verdict|action|direction|language|duty|role|permission|asking|outcome|uses|used_as|format|receipts|decision|approval|bank_code|directory_version|provider|account_type|content_type|actor_kind|subject_kind|proposed_kind|requested_kind|shop_country|payment_method|webhook|cause|version|day|month|debit_account|credit_account|bucket)$/,
  'a number, a day or a time': /\.(settled_on|first_day|last_day|applied_at|seq|owed|totals|progress|environment_ids)$/,
  'digits of an account that are masked, or the account of a merchant': /\.account(_masked)?$/,
  'the name of a process': /^books_verification\.holder$/,
  'the network of a client': /\.(origin|opened_from|network)$/,
  'validations and recipients: erased by the hash of their holder':
    /^(bank_account_validations|recipients|provider_\w+)\./,
  'a table of banks, of processes or of the engine':
    /^(bank_directories|processes|sqlite_sequence|schema_migrations|id_blocks|kept_keys|store_marks|limit_counts)\./,
  'of a merchant: a picture and a colour': /^looks\.(logo\w*|colour)$/,
  'why a post or a mail failed: a code, and of a mail the address that its row has': /\.failure$/,
  'of a mover: where the other database is': /^moves\.address$/,
};

test('docs/privacy.md names every column that names a user', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/privacy.md'), 'utf8');
  const columns = KEPT_PLACES.flatMap(({ walk }) =>
    (walk.text.match(/\w+_by\b/g) ?? []).map((column) => `${walk.table}.${column}`),
  );
  assert.ok(columns.length > 30);
  // This one is the id of a user.
  const named = columns.filter((column) => column !== 'payouts.account_changed_by');
  assert.deepEqual(
    named.filter((column) => !page.includes(`\`${column}\``)),
    [],
  );
});

forEachEngine('personal data in the store', (openTestDatabase) => {
  test('is searched in every text column that can contain it', async () => {
    const { looked, left } = await searched(await openTestDatabase());
    assert.deepEqual(
      left,
      [],
      'the search for a person reads each of these (in the queries of its table, and in docs/privacy.md); one without personal text is in NOBODY of this test',
    );
    assert.ok(looked.length > 30);
  });

  test('of a payment, a callback, an answer or an endpoint is erased from every column in which it is found', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    await createPaidTransaction(app, await createTestEnvironment(app));
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    await db.transaction((tx) => tx.query("update callbacks set state = 'delivered'"));
    const { looked } = await searched(db);
    for (const table of ['transactions', 'callbacks', 'delivery_attempts', 'endpoints']) {
      const names = looked.filter((column) => column.startsWith(`${table}.`) && !NOT_CHANGED.includes(column));
      // The objects of a shop are JSON.
      const sets = names.map((column) => `${column.replace(`${table}.`, '')} = '"${ANA.name}"'`);
      assert.ok(sets.length > 0, table);
      await db.transaction((tx) => tx.query(`update ${table} set ${sets.join(', ')}`));
    }
    await erasePerson(app, ANA, TESTER);
    for (const table of ['transactions', 'callbacks', 'delivery_attempts', 'endpoints']) {
      const [row] = await db.query<SqlRow>(`select * from ${table}`);
      assert.ok(row !== undefined, table);
      const kept = Object.keys(row).filter((name) => ANA.holds(String(row[name])));
      assert.deepEqual(kept, [], `src/privacy/erase-person.ts, and the update of ${table}, erase each of these`);
    }
  });
});

/** The books prove a reference, and the event of a callback its body: a reference stays, and such a callback goes. */
const NOT_CHANGED = ['transactions.reference', 'callbacks.body'];

/** Returns the text columns that the search for a person reads, and those that it does not read and NOBODY lacks. */
async function searched(db: Database): Promise<{ looked: string[]; left: string[] }> {
  const read = new Map<string, string>();
  const query: typeof db.query = (sql, values) => {
    const [, table = '', text = ''] = /from (\w+)\s[^]*lower\(([^]*)\) like/.exec(sql) ?? [];
    read.set(table, `${read.get(table) ?? ''} ${text}`);
    return db.query(sql, values);
  };
  await findPersonalData(createTestApp({ ...db, query }), ANA);
  const [looked, others]: [string[], string[]] = [[], []];
  for (const column of await textColumns(db)) {
    const [table = '', name = ''] = column.split('.');
    (new RegExp(`\\b${name}\\b`).test(read.get(table) ?? '') ? looked : others).push(column);
  }
  return { looked, left: others.filter((column) => !Object.values(NOBODY).some((pattern) => pattern.test(column))) };
}

/** Returns the text columns as `table.column`. */
async function textColumns(db: Database): Promise<string[]> {
  const rows = await db.query<{ place: string }>(
    db.engine === 'postgres'
      ? `select table_name || '.' || column_name as place from information_schema.columns
         where table_schema = 'public' and data_type in ('text', 'character varying', 'jsonb', 'bytea')`
      : `select m.name || '.' || c.name as place from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and c.type not like '%int%'`,
  );
  return rows.map(({ place }) => place).sort();
}
