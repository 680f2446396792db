import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRights } from '../../src/auth/describe-rights.ts';
import type { Database } from '../../src/db/database.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the rights of many users', (openTestDatabase) => {
  test('are described with one read of each row, not with a search of all rows for each user', async () => {
    const app = createTestApp(await openTestDatabase());
    const { paymentServiceId } = await createTestEnvironment(app);
    for (let user = 0; user < 20; user++)
      await createTestUser(app, { paymentServices: [paymentServiceId], refundLimits: { CLP: user } });
    let [rows, reads] = [0, 0];
    const query: Database['query'] = async (sql, parameters) => {
      const found = await app.db.query(sql, parameters);
      rows += found.length;
      return found.map((row) => ({
        ...row,
        get user_id() {
          reads++;
          return row['user_id'];
        },
      })) as never;
    };
    const users = await app.db.query<never>('select * from users order by created_at, id');
    const described = await describeRights({ query }, users);
    assert.equal(reads, rows);
    assert.deepEqual(
      described.map(({ refund_limits }) => refund_limits?.['CLP']).sort((one = 0, other = 0) => one - other),
      Array.from({ length: 20 }, (_, user) => user),
    );
    assert.ok(described.every((each) => each.payment_services?.join() === paymentServiceId));
    assert.ok(described.every(({ permissions }) => permissions.length === 4));
  });
});
