import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlParameter } from '../../src/db/database.ts';
import { ROWS_OF_A_PART, selectLike, type TableWalk } from '../../src/db/walk-queries.ts';
import { insertRefused } from '../../src/refused-requests/refused-request-queries.ts';
import { forEachEngine } from '../support/engines.ts';

const WALK: TableWalk = {
  table: 'refused_requests',
  key: ['request_id', 'environment_id'],
  columns: 'request_id, environment_id',
  text: 'detail',
};

forEachEngine('searching a table for a text', (openTestDatabase, engine) => {
  const open = async (rows: number) => {
    const db = await openTestDatabase();
    const row = { at: 1, method: 'GET', route: '/', status: 400, code: 'X', errors: '[]', fields: '{}', repeated: 0 };
    const all = Array.from({ length: rows }, (_, at) => ({
      ...row,
      // Two rows share the first column of the key, so a part of the walk can end between them.
      request_id: `r-${String(Math.floor((at + 1) / 2)).padStart(6, '0')}`,
      environment_id: (at + 1) % 2,
      detail: `Row ${at % 500}.`,
      detail_es: null,
    }));
    await db.transaction((tx) => insertRefused(tx, all));
    return db;
  };
  const find = async (db: Awaited<ReturnType<typeof open>>, like: string, limit?: number) =>
    (await selectLike(db, WALK, like, { limit })).map((row) => `${row['request_id']} ${row['environment_id']}`);

  test('finds each row once across all parts, in the order of the key', async () => {
    const db = await open(2 * ROWS_OF_A_PART);
    const found = await find(db, '%row%');
    assert.equal(new Set(found).size, 2 * ROWS_OF_A_PART);
    assert.deepEqual(found, found.toSorted());
    assert.equal((await find(db, '%row 7.%')).length, (2 * ROWS_OF_A_PART) / 500);
    assert.deepEqual(await find(db, '%row 7.%', 1), ['r-000004 0']);
    assert.deepEqual(await find(db, '%nothing%'), []);
    await db.transaction((tx) => tx.query('delete from refused_requests'));
    assert.deepEqual(await find(db, '%row%'), []);
  });

  test('lets PostgreSQL plan each part for its own rows, not for a quarter of the table', {
    skip: engine === 'sqlite' && 'SQLite makes its plans without knowing how much a range holds',
  }, async () => {
    const db = await open(10 * ROWS_OF_A_PART);
    await db.query('analyze refused_requests');
    const parts: [sql: string, parameters: readonly SqlParameter[]][] = [];
    const query: typeof db.query = (sql, parameters = []) => {
      if (sql.includes('like $1')) parts.push([sql, parameters]);
      return db.query(sql, parameters);
    };
    await selectLike({ ...db, query }, WALK, '%');
    const [sql, parameters] = parts[5] ?? assert.fail();
    const plan = await db.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, parameters);
    const expected = Number(/rows=(\d+)/.exec(plan[0]?.['QUERY PLAN'] ?? '')?.[1]);
    assert.ok(expected <= 1.5 * ROWS_OF_A_PART, `${expected} rows are expected of a part`);
  });

  // Otherwise payments on SQLite wait for seconds during the search for a person in a large store.
  test('yields to other work after each part', async () => {
    const db = await open(2 * ROWS_OF_A_PART + 1);
    let turns = 0;
    let ended = false;
    const others = () => {
      turns++;
      if (!ended) setImmediate(others);
    };
    setImmediate(others);
    await find(db, '%nothing%');
    ended = true;
    assert.ok(turns >= 3, `${turns} turns`);
  });
});
