import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strangerActor } from '../../src/audit/actor.ts';
import { countAct, writeCounts } from '../../src/audit/count-acts.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { StorageError } from '../../src/db/database.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

const MARIA = { id: 'usr_1', email: 'maria@example.cl' };

forEachEngine('frequent acts', (openTestDatabase) => {
  test('are rows with growing counts within an hour, and have their final count when the hour is over', async () => {
    const app = createTestApp(await openTestDatabase());
    for (let time = 0; time < 25; time++) refuse(app, MARIA.email, MARIA);
    await writeCounts(app);
    assert.deepEqual(await countsOf(app), [10, 1]);
    app.now.advance(3_600_000);
    await writeCounts(app);
    assert.deepEqual(await countsOf(app), [25, 10, 1]);
    refuse(app, MARIA.email, MARIA);
    await writeCounts(app, 'end');
    assert.deepEqual(await countsOf(app), [1, 25, 10, 1]);
    const { acts } = await listAudit(app, { who: 'usr_1' }, 1);
    assert.deepEqual(acts[0]?.who, { kind: 'stranger', name: MARIA.email, user: 'usr_1', from: '203.0.113.9' });
  });

  test('have their final count written when the process ends', async () => {
    const app = createTestApp(await openTestDatabase());
    for (let time = 0; time < 7; time++) refuse(app, MARIA.email, MARIA);
    await writeCounts(app, 'end');
    assert.deepEqual(await countsOf(app), [7, 1]);
    await writeCounts(app, 'end');
    assert.deepEqual(await countsOf(app), [7, 1]);
  });

  test('are written later with their time if the database did not respond, and once', async () => {
    const app = createTestApp(await openTestDatabase());
    let isDown = true;
    const transaction: TestApp['db']['transaction'] = (...work) =>
      isDown ? Promise.reject(new StorageError('STORAGE_UNAVAILABLE', null)) : app.db.transaction(...work);
    const shaken: TestApp = { ...app, db: { ...app.db, transaction } };
    const since = new Date(app.now()).toISOString();
    refuse(shaken, MARIA.email, MARIA);
    for (const hour of [1, 2]) {
      await writeCounts(shaken);
      assert.deepEqual(await countsOf(app), [], `hour ${hour}`);
      app.now.advance(3_600_000);
    }
    isDown = false;
    for (let call = 0; call < 3; call++) await writeCounts(shaken);
    const { acts } = await listAudit(app, { who: 'usr_1' }, 10);
    assert.deepEqual(
      acts.map(({ after }) => after),
      [{ count: 1, since }],
    );
  });

  test('with other values are counted apart', async () => {
    const app = createTestApp(await openTestDatabase());
    const by = strangerActor(MARIA.email, MARIA, '203.0.113.9');
    const subject = { kind: 'user', id: MARIA.id };
    for (const factor of ['totp', 'recovery code', 'recovery code'])
      countAct(app, { by, action: 'user.factor_refused', subject, after: { factor } });
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { action: 'user.factor_refused' }, 10);
    const counts = acts.map(({ after }) => {
      const { factor, count = 1 } = after as { factor: string; count?: number };
      return `${factor} ${count}`;
    });
    assert.deepEqual(counts, ['recovery code 2', 'recovery code 1', 'totp 1']);
  });

  test('of strangers with invented accounts do not fill the store, and hide no attempt on a real account', async () => {
    const app = createTestApp(await openTestDatabase());
    for (let at = 0; at < 3000; at++) refuse(app, `guess${at}@domain-${at}.example`, null);
    refuse(app, MARIA.email, MARIA);
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, {}, 1000);
    assert.equal(acts.length, 100 + 4 + 1 + 1);
    assert.equal(acts.filter(({ who }) => who.name === MARIA.email).length, 1);
    assert.match(acts.at(-1)?.who.name ?? '', /^unknown account g\*\*\*@domain-0\.example$/);
    const others = acts
      .filter(({ who }) => who.name === 'others')
      .map(({ after }) => (after as { count?: number } | null)?.count ?? 1);
    assert.deepEqual(
      others.toSorted((one, other) => one - other),
      [1, 10, 100, 1000, 2900],
    );
  });

  test('store no text that a stranger typed in place of an account', () => {
    for (const typed of ['hunter2', 'a b@example.cl', `${'a'.repeat(300)}@example.cl`, 'x@<script>', ''])
      assert.equal(strangerActor(typed, null, '203.0.113.9').name, 'unknown account');
  });
});

function refuse(app: TestApp, claimed: string, user: typeof MARIA | null): void {
  const by = strangerActor(claimed, user, '203.0.113.9');
  countAct(app, { by, action: 'user.sign_in_refused', subject: { kind: 'user', id: by.name } });
}

async function countsOf(app: TestApp): Promise<number[]> {
  const { acts } = await listAudit(app, { action: 'user.sign_in_refused' }, 100);
  return acts.map(({ after }) => (after as { count?: number } | null)?.count ?? 1);
}
