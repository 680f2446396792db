import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { TestApp } from '../support/test-app.ts';

/** More than two pages. */
const ORDERS = 2100;

forEachEngine('a shop whose callback URLs contain the order', (openTestDatabase) => {
  test('moves without reading all addresses for each page of orders', async () => {
    const [small, large] = [await twoWithShop(openTestDatabase), await twoWithShop(openTestDatabase)];
    await fill(large.from, large.merchant.id);
    const readsOf = async ({ from, to, merchant }: typeof small) => {
      const [here, there] = [listenToStatements(from), listenToStatements(to)];
      await movePaymentService(here.app, there.app, wishOf(merchant));
      const all = [...here.all, ...there.all];
      return all.filter(({ sql }) => /from endpoints where environment_id/.test(sql)).length;
    };
    assert.equal(await readsOf(large), await readsOf(small));
    const sql = `select count(*) as count from callbacks c join endpoints p on p.id = c.endpoint_id
      where c.environment_id = $1 and p.environment_id = $1 and p.address = c.url`;
    const [row] = await large.to.db.query<{ count: number }>(sql, [large.merchant.id]);
    assert.equal(row?.count, ORDERS, 'each order has the endpoint of its own address');
  });
});

async function fill({ db }: TestApp, environmentId: number): Promise<void> {
  const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ORDERS})`;
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into endpoints (environment_id, address)
       ${numbers} select ${environmentId}, 'https://shop.example.cl/order/' || i from n`,
    );
    await tx.query(
      `insert into callbacks (transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at, finished_at,
         attempts, state, webhook_id, url, content_type, body)
       ${numbers} select 1000000 + i, environment_id, id, 2, 1, 1, 1, 1, 'delivered', 'evt_' || i, address, 'application/json', '{}'
       from n join endpoints on address = 'https://shop.example.cl/order/' || i and environment_id = ${environmentId}`,
    );
  });
}
