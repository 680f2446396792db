import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('filters of lists', (openTestDatabase) => {
  test('are refused when they are empty or blank, as when a variable was not set', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    const empty = {
      transactions: ['q', 'reference', 'email', 'authorization_code', 'payment_service', 'amount', 'state', 'since'],
      requests: ['request_id', 'code', 'payment_service', 'environment', 'since'],
    };
    const blank = await server.get('/transactions?reference_part=%20', user.headers);
    assert.deepEqual(
      [blank.status, jsonOf(blank)['code']],
      [400, 'INVALID_PARAMETER'],
      'it would match every reference',
    );
    for (const [list, names] of Object.entries(empty)) {
      for (const name of names) {
        const answer = await server.get(`/${list}?${name}=`, user.headers);
        assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_PARAMETER'], `${list} ${name}`);
      }
      assert.equal((await server.get(`/${list}?after=`, user.headers)).status, 200);
    }
  });
});
