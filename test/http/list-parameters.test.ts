import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURSOR_PARAMETER } from '../../src/http/list-parameters.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { openPayoutDesk, propose } from '../support/test-payouts.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

/** Every list with pages. */
const PAGED = ROUTES.filter(({ describe }) => describe?.parameters?.some(({ name }) => name === CURSOR_PARAMETER.name));

forEachEngine('a cursor', (openTestDatabase) => {
  test('that is empty is treated as absent by every list', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const desk = await openPayoutDesk(app);
    const [payout] = await propose(app, desk);
    const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
    const evidence = { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };
    const lines = [{ line: 2, day: dayOf(app.now()), amount: -500, text: 'COMISION' }];
    const statement = await importStatement(app, { ...account, evidence, by: TESTER }, { lines, proof: 'balance' });
    await createTestTransaction(app, desk.environment);
    await untilVisible(app);
    const { headers } = await createTestUser(app, { role: 'owner', may: [] });
    assert.ok(PAGED.length >= 6, PAGED.map(({ paths }) => paths[0]).join(' '));
    for (const { paths } of PAGED) {
      const id = paths[0].startsWith('/bank-statements') ? statement.id : payout?.batch_id;
      const path = paths[0].replace(':id', id ?? '');
      const ask = async (query: string) => {
        const answer = await server.get(`${path}${query}`, headers);
        assert.equal(answer.status, 200, `${path}${query}: ${answer.text}`);
        return jsonOf(answer);
      };
      const first = await ask('');
      // The cursor of the feed has other bytes each time.
      const bare = ({ data, ...rest }: Record<string, unknown>) => ({
        ...rest,
        data: { ...(data as object), next: '' },
      });
      for (const query of ['?after=', '?after', '?after=&limit=1']) {
        const asked = await ask(query);
        if (!query.includes('limit')) assert.deepEqual(bare(asked), bare(first), path);
      }
      const refused = await server.get(`${path}?after=+`, headers);
      assert.notEqual(refused.status, 500, path);
    }
    const refused = await server.get('/events?after=x', headers);
    assert.deepEqual([refused.status, jsonOf(refused)['code']], [400, 'INVALID_PARAMETER']);
  });
});
