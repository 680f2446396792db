import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { lockPersonLimit } from '../../src/payouts/approval/payout-limit-queries.ts';
import { setPayoutLimits, setPersonLimit } from '../../src/payouts/approval/set-payout-limits.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import type { Tampering } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { readingThrough, undone } from '../support/test-books.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { untilQueued } from '../support/until-queued.ts';

const TAMPERINGS: readonly Tampering<{ person: string; other: number }>[] = [
  {
    name: 'larger payouts need no person',
    statement: () => ['update payout_limits set automatic_per_payout = 9000000'],
    found: /^payout limits of environment \d+: automatic_per_payout was 5000, is 9000000$/,
  },
  {
    name: 'a limit is removed',
    statement: () => ['update payout_limits set per_day = null'],
    found: /^payout limits of environment \d+: per_day was 80000, is null$/,
  },
  {
    name: 'all limits are deleted',
    statement: () => ['delete from payout_limits'],
    found: /^payout limits of environment \d+: per_day was 80000, is null; automatic_per_payout was 5000, is null/,
  },
  {
    name: 'limits are invented',
    statement: ({ other }) => [
      `insert into payout_limits (environment_id, currency, automatic_per_payout) values ($1, 'CLP', 1)`,
      other,
    ],
    found: /^payout limits of environment \d+ was never made by this service$/,
  },
  {
    name: 'a person may approve more in a day',
    statement: ({ person }) => ['update user_payout_limits set per_day = 1000000 where user_id = $1', person],
    found: /^payout limit of user usr_\w+: per_day was 20000, is 1000000$/,
  },
  {
    name: 'the limit of a person is deleted',
    statement: ({ person }) => ['delete from user_payout_limits where user_id = $1', person],
    found: /^payout limit of user usr_\w+: per_day was 20000, is null$/,
  },
];

forEachEngine('a limit of payouts', (openTestDatabase) => {
  const open = async (app: TestApp) => {
    const { environment, users } = await openPayoutDesk(app);
    await setPayoutLimits(app, environment, { per_day: 90_000, automatic_per_payout: 5000 }, TESTER);
    await setPayoutLimits(app, environment, { per_day: 80_000, automatic_count_per_hour: 3 }, TESTER);
    await setPersonLimit(app, users.approver.id, 20_000, TESTER);
    await setPersonLimit(app, users.maker.id, 20_000, TESTER);
    await setPersonLimit(app, users.maker.id, null, TESTER);
    const [row] = await app.db.query<{ other: number }>('select max(id) as other from environments where id <> $1', [
      environment.id,
    ]);
    return { environment, person: users.approver.id, other: row?.other ?? 0 };
  };
  const found = async (app: Parameters<typeof verifyStore>[0]) => {
    const { findings } = await verifyStore(app);
    return findings.map(({ says }) => says).join('; ');
  };

  test('of a person that is set and removed at the same time is as the last act says', async () => {
    const app = createTestApp(await openTestDatabase());
    const { users } = await openPayoutDesk(app);
    let removing: Promise<void> | undefined;
    const setting = onQuery(app, async (sql) => {
      if (!sql.startsWith('update audit_head set hash')) return;
      removing = setPersonLimit(app, users.maker.id, null, TESTER);
      await untilQueued(app.db);
    });
    await setPersonLimit(setting, users.maker.id, 20_000, TESTER);
    await removing;
    assert.equal(await app.db.transaction((tx) => lockPersonLimit(tx, users.maker.id)), null);
    assert.equal(await found(app), '');
  });

  test('is compared with the act that set it', async () => {
    const app = createTestApp(await openTestDatabase());
    const world = await open(app);
    assert.equal(await found(app), '');
    for (const { name, statement, found: expected } of TAMPERINGS) {
      const says = await undone(app, async (tx) => {
        const [sql, ...values] = statement(world);
        await tx.query(sql, values);
        return found(readingThrough(app, tx));
      });
      assert.match(says, expected, name);
    }
  });

  test('is not missed where its payment service came from another database, nor in the one that it left', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    await identityHashes(to);
    const { environment } = await open(from);
    await movePaymentService(from, to, wishOf(environment));
    assert.deepEqual([await found(from), await found(to)], ['', '']);
    to.now.advance(1000);
    await setPayoutLimits(to, environment, { per_day: 70_000 }, TESTER);
    assert.equal(await found(to), '');
    await to.db.transaction((tx) => tx.query('update payout_limits set per_day = 5'));
    assert.match(await found(to), /per_day was 70000, is 5$/);
  });
});
