import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { acceptDifferences } from '../../src/movements/accept-difference.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import type { Acceptance } from '../../src/movements/settlement.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertFound, foundIn, leaveOut } from '../support/found-by-hand.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tamperings } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

type World = Awaited<ReturnType<typeof fill>>;

const DECIDED = 'accepted_at, accepted_by, reason';

const TAMPERINGS: readonly Tamperings<World>[] = [
  {
    name: 'a difference is accepted by hand',
    statements: ({ id }) => [
      [
        `update settlement_differences set accepted_at = 5, accepted_by = 'nobody', reason = 'x'
         where settlement_id = $1 and accepted_at is null`,
        id,
      ],
    ],
    found:
      /^settlement sf_\w+: differences to accept was 2, is 1; 1 difference accepted by nobody: the audit log has no such decision$/,
  },
  {
    name: 'an accepted difference is open again',
    statements: ({ id }) => [
      [
        `update settlement_differences set accepted_at = null, accepted_by = null, reason = null
         where settlement_id = $1 and cause = 'other_amount'`,
        id,
      ],
    ],
    found:
      /^settlement sf_\w+: the audit log has 1 difference accepted by command line: tester@test, and other ones are$/,
  },
  {
    name: 'the acceptance of a difference is moved to another one',
    statements: ({ id }) => [
      [
        `update settlement_differences set (${DECIDED}) = (select x.accepted_at, x.accepted_by, x.reason
           from settlement_differences x where x.settlement_id = $1 and x.cause = 'other_amount')
         where settlement_id = $1 and accepted_at is null`,
        id,
      ],
      [
        `update settlement_differences set accepted_at = null, accepted_by = null, reason = null
         where settlement_id = $1 and cause = 'other_amount'`,
        id,
      ],
    ],
    found: /^settlement sf_\w+: the audit log has 1 difference accepted by .*, and other ones are$/,
  },
  {
    name: 'the reason of an acceptance is changed',
    statements: ({ id }) => [
      [
        `update settlement_differences set reason = 'x' where settlement_id = $1 and cause = 'payment_missing_in_books'`,
        id,
      ],
    ],
    found: /1 difference accepted by command line: tester@test: the audit log has no such decision$/,
  },
  {
    name: 'an acceptance from an earlier comparison of the file is another person’s',
    statements: ({ id }) => [
      [`update settlement_differences set accepted_by = 'x' where settlement_id = $1 and number = $2`, id, 2],
    ],
    found: /1 difference accepted by x: the audit log has no such decision/,
  },
  {
    name: 'the amount of a difference is changed',
    statements: ({ id }) => [
      ['update settlement_differences set settled = booked where settlement_id = $1 and settled is not null', id],
    ],
    found: /^settlement sf_\w+: its books, its sums or its differences were changed/,
  },
  {
    name: 'an open difference is deleted',
    statements: ({ id }) => [
      ['delete from settlement_differences where settlement_id = $1 and accepted_at is null', id],
    ],
    found: /differences to accept was 2, is 1; its books, its sums or its differences were changed/,
  },
  {
    name: 'the sums of a file are changed',
    statements: ({ id }) => [[`update settlements set totals = '[]' where id = $1`, id]],
    found: /^settlement sf_\w+: its books, its sums or its differences were changed$/,
  },
  {
    name: 'the sums of a file are changed, and its time is before 1970',
    statements: ({ id }) => [[`update settlements set totals = '[]', kept_at = -1 where id = $1`, id]],
    found: /settlement sf_\w+: kept_at was \d+, is -1; its books, its sums or its differences were changed/,
  },
  {
    name: 'a file with open differences counts no more',
    statements: ({ id }) => [['update settlements set replaced_at = 5 where id = $1', id]],
    found: /^settlement sf_\w+: it is marked as compared again, and was not$/,
  },
  {
    name: 'a file is of another month',
    statements: ({ id }) => [[`update settlements set last_day = '2020-01-31', matched = 9 where id = $1`, id]],
    found: /^settlement sf_\w+: last_day was "2026-01-15", is "2020-01-31"; matched was 1, is 9$/,
  },
  {
    name: 'a file is deleted',
    statements: ({ id }) => [
      ['delete from settlement_differences where settlement_id = $1', id],
      ['delete from settlements where id = $1', id],
    ],
    found: /settlement sf_\w+ was deleted$/,
  },
  {
    name: 'a file is invented',
    statements: () => [
      [
        `insert into settlements (id, environment, payment_method, file_name, file_sha256, first_day, last_day, kept_at, kept_by,
           matched, totals) values ('sf_x', 'development', 'simulated', 'x', 'x', '2026-01-01', '2026-01-31', 5, 'x', 3, '[]')`,
      ],
    ],
    found: /^settlement sf_x: it was never kept by this service$/,
  },
];

forEachEngine('settlement files and accepted differences', (openTestDatabase) => {
  test('are compared with the audit log: every change by hand is found, and nothing in a store that was left alone', async () => {
    const app = createTestApp(await openTestDatabase());
    await assertFound(app, await fill(app), TAMPERINGS);
  });

  test('are not missed in a database to which their payment service moved, nor in the one that it left', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const paid = await createPaidTransaction(from, merchant, { amount: 5000 });
    const id = await keep(from, `2026-01-15;${paid.id};4000\n`, merchant.paymentServiceId);
    await accept(from, id, { cause: 'other_amount' });
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual([await foundIn(from), await foundIn(to)], ['', '']);
  });

  test('are compared with acts of earlier versions, which have no hash of the differences', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await fill(app);
    await removeTriggers(app.db);
    assert.equal(await leaveOut(app, ['differences_sha256']), 3);
    await leaveOut(app, ['number', 'line', 'amount', 'currency']);
    await app.db.transaction((tx) => tx.query(`update settlements set totals = '[]' where id = $1`, [id]));
    assert.equal(await foundIn(app), '');
  });
});

async function keep(app: TestApp, text: string, paymentServiceId: string | null = null): Promise<string> {
  const settlement = await readSettlement(Readable.from([Buffer.from(`fecha;orden de compra;monto\n${text}`)]));
  const evidence = { name: 'abono.csv', sha256: String(text.length).padStart(64, '0') };
  const scope = { environment: 'development', paymentServiceId, method: 'simulated' } as const;
  const kept = await keepSettlement(app, scope, settlement, { evidence, by: TESTER });
  assert.ok(kept.kind === 'kept');
  return kept.id;
}

async function accept(app: TestApp, settlementId: string, which: Partial<Acceptance>): Promise<void> {
  const acceptance = { settlementId, cause: null, number: null, line: null, reason: 'seen in the portal', by: TESTER };
  assert.ok((await acceptDifferences(app, { ...acceptance, ...which })) > 0);
}

/** Keeps a file twice, with a difference that was accepted before the second time, one after it, and an open one. */
async function fill(app: TestApp) {
  const shop = await createTestEnvironment(app);
  const ids: number[] = [];
  for (const amount of [10_000, 20_000, 30_000]) ids.push((await createPaidTransaction(app, shop, { amount })).id);
  const [one, two] = ids;
  const text = `2026-01-15;${one};10000\n2026-01-15;${two};19000\n2026-01-15;999999;7000\n`;
  const first = await keep(app, text);
  await accept(app, first, { cause: 'payment_missing_in_books' });
  app.now.advance(1000);
  const id = await keep(app, text);
  app.now.advance(1000);
  await accept(app, id, { cause: 'other_amount' });
  const both = await keep(app, `${text}2026-01-15;888888;10\n`);
  await accept(app, both, { cause: 'payment_missing_in_books' });
  await accept(app, both, { number: 1 });
  return { id };
}
