import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { findHeld } from '../../src/epochs/hold.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('release', (openTestDatabase) => {
  test('asks with the count of all refunds and of the payouts that leave, and releases nothing when it cannot ask', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    // The commands use the clock of the machine.
    const now = createTestClock(Date.now() - 60_000);
    const config = readConfig({ MASTER_KEY: '5a'.repeat(32), DATA_DIR: folder, LOG_LEVEL: 'silent' });
    const app = createTestApp(db, { now, config });
    const environment = await createTestEnvironment(app);
    for (const amount of [1000, 2000]) await acceptedRefund(app, await createPaidTransaction(app, environment), amount);
    const [desk, other] = [await openPayoutDesk(app), await openPayoutDesk(app)];
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    await approved(app, desk, [wish({ amount: 10_000 })]);
    await approved(app, other, [wish({ amount: 15_000 })]);
    await propose(app, other);
    await beginEpoch(app, [], 0, TESTER);
    const run = (words: string, isTTY: boolean | 'stdin', input = '') =>
      runCommand(words.split(' '), { env, input, isTTY });

    const asked = await run('release --limit 1', true, 'n\n');
    assert.match(asked.stderr, /Let \d+ callbacks?, 2 refunds and 1 payout go\? \[y\/N\] /);
    assert.match(asked.stdout, /^2 unresolved refunds;/m);
    assert.match(
      asked.stdout,
      /^2 approved payouts, \$25\.000 CLP in all\. At the release a sender gets 1 of them\.$/m,
    );
    assert.match(asked.stdout, /bin\/rubrica payout list --state approved$/m);
    assert.match(
      asked.stdout,
      /The newest event in the store is of .+ earlier: it knows nothing of what happened since\./,
    );
    assert.match(
      asked.stdout,
      /^ {2}and 2 more: bin\/rubrica books head$/m,
      'the ends of the books are cut by --limit',
    );
    const { counts, refunds, approved_payouts } = JSON.parse((await run('release --limit 1 --json', false)).stdout);
    assert.deepEqual([counts.refunds, refunds.length], [2, 1]);
    assert.deepEqual(approved_payouts, { count: 2, amount: 25_000, leave: 1 });

    const unread = await run('release', 'stdin');
    assert.deepEqual([unread.status, /Nothing was released/.test(unread.stdout)], [1, true], unread.stdout);
    assert.ok(await findHeld(app));
    assert.equal((await run('release', true, 'y\n')).status, 0);
    assert.equal(await findHeld(app), null);
  });
});
