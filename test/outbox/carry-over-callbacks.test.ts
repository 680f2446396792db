import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { readMigrations } from '../../src/db/schema.ts';
import { forEachEngine } from '../support/engines.ts';

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../migrations'));

forEachEngine('callbacks of a store from before endpoint failures were tracked', (openTestDatabase) => {
  test('keep their states, and an endpoint with waiting retries counts as failing', async () => {
    const db = await openTestDatabase({ migrated: false });
    await migrate(
      db,
      MIGRATIONS.filter(({ name }) => name < '0013'),
    );
    await db.transaction(async (tx) => {
      await tx.query(`insert into payment_services (id, name, created_at) values ('ps_1', 'Shop', 1)`);
      await tx.query(
        `insert into environments (payment_service_id, environment, service_token) values ('ps_1', 'development', 't')`,
      );
      for (const path of ['fails', 'works'])
        await tx.query(`insert into endpoints (environment_id, address) select id, $1 from environments`, [path]);
      const rows: [endpoint: number, state: string, attempts: number][] = [
        [1, 'queued', 4],
        [1, 'dead', 3],
        [1, 'disabled', 1],
        [2, 'queued', 0],
        [2, 'delivered', 1],
      ];
      for (const [at, [endpoint, state, attempts]] of rows.entries())
        await tx.query(
          `insert into callbacks (transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at,
             attempts, state, webhook_id, url, body)
           select $1, id, $2, 2, $3, 99, $4, $5, $6, 'https://shop.example.cl/', 'x' from environments`,
          [at, endpoint, 10 + at, attempts, state, `evt_${at}_2`],
        );
    });
    await migrate(db, MIGRATIONS);
    const states = await db.query<{ state: string; attempts: number }>(
      'select state, attempts from callbacks order by id',
    );
    assert.deepEqual(
      states.map(({ state, attempts }) => [state, attempts]),
      [
        ['queued', 4],
        ['dead', 3],
        ['disabled', 1],
        ['queued', 0],
        ['delivered', 1],
      ],
    );
    const endpoints = await db.query('select address, failing_since, wakes from endpoints order by id');
    assert.deepEqual(
      endpoints.map((row) => Object.values(row)),
      [
        ['fails', 10, 1],
        ['works', null, 0],
      ],
    );
  });
});
