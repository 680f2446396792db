import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { SEALED_KINDS } from '../../src/health/sealed-kinds.ts';
import { MOVED_TABLES, movingTables } from '../../src/moves/moved-tables.ts';

const columns = await readColumns();

async function readColumns(): Promise<Map<string, string[]>> {
  const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(db);
  const rows = await db.query<{ table_name: string; column_name: string }>('select * from {columns} as columns');
  await db.close();
  const ours = rows.filter(({ table_name }) => !/^(?:sqlite_|schema_migrations$)/.test(table_name));
  return new Map(
    [...Map.groupBy(ours, ({ table_name }) => table_name)].map(([table, of]) => [
      table,
      of.map(({ column_name }) => column_name),
    ]),
  );
}

test('every table has a rule for how it moves', () => {
  assert.deepEqual(
    [...columns.keys()].filter((table) => !Object.hasOwn(MOVED_TABLES, table)),
    [],
    'tables without a rule in src/moves/moved-tables.ts',
  );
  assert.deepEqual(
    Object.keys(MOVED_TABLES).filter((table) => !columns.has(table)),
    [],
    'rules of src/moves/moved-tables.ts without a table',
  );
});

test('every table with an environment moves, or is in the list of those that stay', () => {
  const moving = new Set(movingTables().map(([table]) => table));
  const stays = [...columns].filter(([table, names]) => names.includes('environment_id') && !moving.has(table));
  assert.deepEqual(stays.map(([table]) => table).toSorted(), [
    'callback_listeners',
    'refused_keys',
    'refused_requests',
    'search_terms',
    'token_handovers',
  ]);
});

test('every column that the rules name exists', () => {
  for (const [table, rule] of movingTables()) {
    const due = 'due' in rule ? rule.due : undefined;
    const keyed = 'key' in rule ? rule : undefined;
    const named = [
      rule.owner.column,
      ...(rule.fence === 'any' ? [] : rule.fence),
      ...(keyed?.key ?? []),
      ...(keyed?.fixed === undefined || keyed.fixed === 'all' ? [] : keyed.fixed),
      ...('name' in rule ? [rule.name] : []),
      ...(due === undefined ? [] : [due.column, ...(due.lease === true ? ['lease'] : [])]),
    ];
    assert.deepEqual(
      named.filter((column) => columns.get(table)?.includes(column) !== true),
      [],
      table,
    );
  }
});

test('every table from which the worker takes due rows has a rule that pauses them', () => {
  const timed = /^(?:next_attempt_at|next_lookup_at|next_look_at|expires_at)$/;
  const due = movingTables().flatMap(([table, rule]) => ('due' in rule && rule.due !== undefined ? [table] : []));
  const looked = movingTables().flatMap(([table]) =>
    columns.get(table)?.some((name) => timed.test(name)) ? [table] : [],
  );
  // A payment link and a recipient end when somebody opens them, so no worker looks for them.
  assert.deepEqual(looked.filter((table) => !due.includes(table)).toSorted(), ['payment_links', 'recipients']);
});

test('every moving table with sealed columns is copied row by row', () => {
  const moving = new Map(movingTables());
  const sealed = SEALED_KINDS.filter(({ table }) => moving.has(table)).map(({ table }) => moving.get(table)?.how);
  assert.deepEqual([...new Set(sealed)].map(String).toSorted(), ['rows', 'whole']);
});
