import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { acceptRestore } from '../../src/proof/restores/accept-restore.ts';
import { releaseRestore } from '../../src/proof/restores/release-restore.ts';
import { forEachEngine } from '../support/engines.ts';
import { despite, failingStore } from '../support/failing-store.ts';
import { assertFound, foundIn } from '../support/found-by-hand.ts';
import type { Tamperings } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

type World = { released: number; held: number };

const WRONG = 'its release, or the time and the person of it, is not one of the audit log';

const TAMPERINGS: readonly Tamperings<World>[] = [
  {
    name: 'a restore is released',
    statements: ({ held }) => [
      ['update epochs set released_at = began_at, released_by = $2 where epoch = $1', held, 'x'],
    ],
    found: new RegExp(`^restore of epoch \\d+: ${WRONG}$`),
  },
  {
    name: 'a restore was released at another time',
    statements: ({ released }) => [['update epochs set released_at = released_at + 1 where epoch = $1', released]],
    found: new RegExp(`^restore of epoch \\d+: ${WRONG}$`),
  },
  {
    name: 'a restore was released by another person',
    statements: ({ released }) => [["update epochs set released_by = 'x' where epoch = $1", released]],
    found: new RegExp(`^restore of epoch \\d+: ${WRONG}$`),
  },
  {
    name: 'a restore that waits for its release is deleted',
    statements: ({ held }) => [['delete from epochs where epoch = $1', held]],
    found: /^restore of epoch \d+: it was deleted$/,
  },
];

forEachEngine('a restore that holds payouts and callbacks', (openTestDatabase) => {
  test('is compared with the audit log: its release and its deletion by hand are found', async () => {
    const app = createTestApp(await openTestDatabase());
    await assertFound(app, await fill(app), TAMPERINGS);
  });

  test('is accepted once where there is no payment service yet, wherever the process dies', async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const dying = createTestApp(failing);
    const app = createTestApp(dying.db, { now: dying.now });
    const epochs: string[] = [];
    for (let isOver = false; !isOver; ) {
      app.now.advance(1000);
      epochs.push(`epoch ${(await beginEpoch(app, [], 0, TESTER)).epoch}`);
      Object.assign(faults, { at: epochs.length, points: 0 });
      await despite({ dying, app }, (one) => acceptRestore(one, TESTER, 'compared'));
      isOver = faults.points < faults.at;
      faults.at = 0;
    }
    const { acts } = await listAudit(app, { action: 'store.restore_accepted' }, 100);
    assert.deepEqual(acts.map(({ subject }) => subject.id).toReversed(), epochs);
  });

  test('has no finding if a person released it before the audit log', async () => {
    const app = createTestApp(await openTestDatabase());
    const { released } = await fill(app);
    await app.db.transaction((tx) =>
      tx.query('update epochs set began_at = 1, released_at = 2, released_by = $2 where epoch = $1', [released, 'x']),
    );
    assert.doesNotMatch(await foundIn(app), /its release/);
  });
});

async function fill(app: TestApp): Promise<World> {
  await createTestEnvironment(app);
  const { epoch: released } = await beginEpoch(app, [], 0, TESTER);
  app.now.advance(1000);
  assert.equal(await releaseRestore(app, released, TESTER, null), 'released');
  app.now.advance(1000);
  const { epoch: held } = await beginEpoch(app, [], 0, TESTER);
  return { released, held };
}
