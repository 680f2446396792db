import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURSOR_PARAMETER } from '../../src/http/list-parameters.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { storeRefusedRequests } from '../../src/refused-requests/store-refused-requests.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { ANA, approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { jsonOf, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

/** Every list with pages. */
const PAGED = ROUTES.filter(({ describe }) => describe?.parameters?.some(({ name }) => name === CURSOR_PARAMETER.name));

forEachEngine('a cursor', (openTestDatabase) => {
  test('leads through every row of every list once, also where rows have the same time', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { headers, paths } = await fillLists(app, server);
    assert.equal(paths.length, 10, paths.join(' '));
    for (const path of paths) {
      const read = async (query: string) => {
        const answer = await server.get(`${path}${query}`, headers);
        assert.equal(answer.status, 200, `${path}${query}: ${answer.text}`);
        const { data } = jsonOf(answer) as { data: Record<string, unknown> };
        return {
          rows: Object.values(data).find(Array.isArray) as unknown[],
          next: data['next'],
          more: data['has_more'],
        };
      };
      const { rows, next, more = false } = await read('');
      assert.ok(rows.length > 1, `${path} has several rows`);
      if (path !== '/events') assert.equal(next, null, `${path} has one page`);
      assert.equal(more, false);
      const found: unknown[] = [];
      for (let after = ''; ; ) {
        const page = await read(`?limit=1&after=${after}`);
        found.push(...page.rows);
        if (page.next === null || page.more === false) break;
        assert.equal(page.rows.length, 1, path);
        after = page.next as string;
      }
      assert.deepEqual(found, rows, path);
    }
  });

  test('that is empty is treated as absent by every list, and one that no list returned is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { headers, paths } = await fillLists(app, server);
    for (const path of paths) {
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
      for (const after of ['+', 'x', Buffer.from('1').toString('base64url')]) {
        const refused = await server.get(`${path}?after=${after}`, headers);
        assert.deepEqual([refused.status, jsonOf(refused)['code']], [400, 'INVALID_PARAMETER'], path);
      }
    }
  });
});

/** Stores two rows of each list, all at the same time. Returns the lists, and the headers of a person who sees all. */
async function fillLists(app: TestApp, server: TestServer) {
  const desk = await openPayoutDesk(app);
  const { environment: owner, maker: by } = desk;
  const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
  const payer = { account: '123456789', rut: '', name: '', agreement: '' };
  const other = { ...ANA, rut: '11.111.111-1', account: '11111111', name: 'Bea Soto', email: 'bea@example.cl' };
  const statements: string[] = [];
  let batchId: string | null | undefined;
  for (const amount of [500, 700]) {
    const [payout] = await approved(app, desk, [wish({ amount }), wish({ amount: amount + 1, payee: other })]);
    batchId = payout?.batch_id;
    await makePayoutFiles(app, { owner, by, format: 'bice', payer, batchId: null });
    const evidence = { name: 'cartola.csv', sha256: `${amount}`.padEnd(64, '0'), bytes: 1, excerpt: '' };
    const lines = [2, 3].map((line) => ({ line, day: dayOf(app.now()), amount: -amount - line, text: 'COMISION' }));
    const { id } = await importStatement(app, { ...account, evidence, by: TESTER }, { lines, proof: 'balance' });
    statements.push(String(id));
    const link = { subject: 'Cuota', uses: 'one', expiresAt: null, urlCallback: null } as const;
    await createPaymentLink(app, owner.id, { ...link, amount, currency: 'CLP' }, TESTER);
    await createTestTransaction(app, owner);
    await server.get('/payments?x_currency=XXX', { authorization: owner.serviceToken });
  }
  await storeRefusedRequests(app);
  await untilVisible(app);
  const ids: Record<string, string | null | undefined> = {
    '/bank-statements/:id': statements[0],
    '/payout-batches/:id': batchId,
  };
  const paths = PAGED.map(({ paths: [path] }) => path.replace(':id', `${ids[path]}`));
  const { headers } = await createTestUser(app, { role: 'owner', may: [] });
  return { headers, paths };
}
