import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { listUsers } from '../../src/auth/list-users.ts';
import { migrate } from '../../src/db/migrate.ts';
import { readMigrations } from '../../src/db/schema.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../migrations'));
const BEFORE = ['books:read', 'events:read', 'payments:read', 'refunds:create'];

forEachEngine('users of a store from before permissions existed', (openTestDatabase) => {
  test('keep their rights and their payment services after the migration', async () => {
    const db = await openTestDatabase({ migrated: false });
    await migrate(
      db,
      MIGRATIONS.filter(({ name }) => name < '0028'),
    );
    await db.transaction(async (tx) => {
      await tx.query(`insert into payment_services (id, name, created_at) values ('ps_1', 'Shop', 1)`);
      for (const [id, operator, payouts] of [
        ['usr_1', 1, 0],
        ['usr_2', 0, 1],
        ['usr_3', 0, 0],
      ] as const) {
        await tx.query(
          `insert into users (id, email, password_hash, api_token_hash, operator, payouts, token_version, created_at)
           values ($1, $2, 'x', $1, $3, $4, 1, 1)`,
          [id, `${id}@example.cl`, operator, payouts],
        );
      }
      await tx.query(`insert into user_payment_services (user_id, payment_service_id) values ('usr_2', 'ps_1')`);
    });
    await migrate(db, MIGRATIONS);
    const users = await listUsers(createTestApp(db));
    assert.deepEqual(
      users.map(({ role, permissions, payouts, payment_services }) => [role, permissions, payouts, payment_services]),
      [
        ['integration', BEFORE, false, null],
        ['integration', ['accounts:validate', ...BEFORE, 'recipients:read'].sort(), true, ['ps_1']],
        ['integration', BEFORE, false, []],
      ],
    );
  });
});
