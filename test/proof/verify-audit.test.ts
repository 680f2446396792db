import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import type { Tx } from '../../src/db/database.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { keepAnchors } from '../../src/proof/anchors/keep-anchors.ts';
import { makeAnchor } from '../../src/proof/anchors/make-anchor.ts';
import { acceptRestore } from '../../src/proof/restores/accept-restore.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { readingThrough, removeTriggers, undone } from '../support/test-books.ts';

const MARIA: Actor = { kind: 'person', name: 'maria@example.cl', userId: 'usr_1', origin: 'maria@desk' };
const ROOT: Actor = { kind: 'command line', name: 'command line: root@desk', userId: null, origin: 'root@desk' };

/** Changes by somebody with the password of the database, and the finding of `audit verify`. */
const TAMPERINGS: [name: string, statements: string[], found: RegExp][] = [
  [
    'the actor is changed',
    ["update audit_log set actor = 'x' where link = 3"],
    /^row 3 \(fee\.set by x\), or the hash/,
  ],
  [
    'the earlier values are changed',
    ["update audit_log set said_before = '{}' where link = 4"],
    /^row 4 .*was changed/,
  ],
  ['the time is changed', ['update audit_log set created_at = 1 where link = 2'], /^row 2 .*was changed/],
  ['the reason is deleted', ['update audit_log set reason = null where link = 5'], /^row 5 .*was changed/],
  ['a hash is changed', ["update audit_log set hash = 'x' where link = 5"], /^row 5 .*was changed/],
  ['a row is deleted', ['delete from audit_log where link = 3'], /^row 3 of the audit log: deleted/],
  ['rows are deleted', ['delete from audit_log where link in (2, 3)'], /^rows 2 to 3 of the audit log: deleted/],
  [
    'a row is inserted at the end',
    [
      "insert into audit_log select 7, created_at, actor_kind, 'x', user_id, origin, action, subject_kind, subject, said_before, said_after, reason, hash from audit_log where link = 6",
    ],
    /^row 7 \(fee\.set by x\) was never written/,
  ],
  [
    'a row is inserted before the first',
    [
      "insert into audit_log select 0, created_at, actor_kind, 'x', user_id, origin, action, subject_kind, subject, said_before, said_after, reason, hash from audit_log where link = 1",
    ],
    /^row 0 \(fee\.set by x\) was never written/,
  ],
  [
    'two rows are swapped',
    [
      'update audit_log set link = -1 where link = 2',
      'update audit_log set link = 2 where link = 4',
      'update audit_log set link = 4 where link = -1',
    ],
    /^row 2 .*was changed/,
  ],
  ['the end is cut off', ['delete from audit_log where link > 4'], /^rows 5 to 6 of the audit log: cut off/],
  ['all rows are deleted', ['delete from audit_log'], /^rows 1 to 6 of the audit log: cut off/],
  [
    'the end is moved back',
    [
      'delete from audit_log where link > 4',
      'update audit_head set link = 4, hash = (select hash from audit_log where link = 4)',
    ],
    /^link 6 of the audit log is gone: it was sealed on 2026-01-15, in anchor 1/,
  ],
  [
    'all rows are deleted and the log begins again',
    ['delete from audit_log', `update audit_head set link = 0, hash = '${'0'.repeat(64)}'`],
    /^link 6 of the audit log is gone: it was sealed/,
  ],
  ['the row with the end of the log is deleted', ['delete from audit_head'], /^the end of the audit log was deleted/],
  ['the end has another hash', ["update audit_head set hash = 'x'"], /^row 6 .*is not what was there/],
];

forEachEngine('the audit log', (openTestDatabase) => {
  test('is valid as written, and every change past the service is found with its row', async () => {
    const app = await openWithActs(openTestDatabase);
    const whole = await verifyAudit(app);
    assert.deepEqual([whole.ok, whole.rows, whole.head.link, whole.findings], [true, 6, 6, []]);
    await removeTriggers(app.db);
    for (const [name, statements, found] of TAMPERINGS) {
      const verification = await undone(app, async (tx) => {
        for (const sql of statements) await tx.query(sql);
        return verifyAudit(readingThrough(app, tx));
      });
      assert.equal(verification.ok, false, name);
      assert.match(verification.findings[0]?.says ?? '', found, name);
    }
    assert.equal((await verifyAudit(app)).ok, true);
  });

  test('the database refuses to change or delete a row', async () => {
    const app = await openWithActs(openTestDatabase);
    for (const sql of [
      "update audit_log set actor = 'x'",
      'delete from audit_log where link = 1',
      'delete from audit_log',
    ])
      await assert.rejects(
        app.db.transaction((tx) => tx.query(sql)),
        /append-only/,
      );
    if (app.db.engine === 'postgres')
      await assert.rejects(
        app.db.transaction((tx) => tx.query('truncate audit_log')),
        /append-only/,
      );
  });

  test('does not match a head that was kept elsewhere when it was rewritten', async () => {
    const app = await openWithActs(openTestDatabase, { anchored: false });
    const { head } = await verifyAudit(app);
    await removeTriggers(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query('delete from audit_log where link >= 5');
      await tx.query('update audit_head set link = 4, hash = (select hash from audit_log where link = 4)');
      for (let row = 5; row <= 6; row++) await act(app, tx, { ...ROOT, name: 'command line: other@desk' }, row);
    });
    assert.equal((await verifyAudit(app)).ok, true);
    const held = await verifyAudit(app, { known: [head] });
    assert.match(held.findings[0]?.says ?? '', /^row 6 .*is not what was there when its hash was kept/);
    const cut = await verifyAudit(app, { known: [{ link: 9, hash: head.hash }] });
    assert.match(cut.findings[0]?.says ?? '', /^rows 7 to 9 of the audit log: cut off/);
  });

  test('does not fail the verification of the books when it was altered', async () => {
    const app = await openWithActs(openTestDatabase);
    await removeTriggers(app.db);
    await app.db.transaction((tx) => tx.query('delete from audit_log'));
    assert.equal((await verifyAudit(app)).ok, false);
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('continues after a restore, and anchors of the lost time contradict it until a person accepts the restore', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-audit-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const app = await openWithActs(openTestDatabase);
    const config = { ...app.config, anchorDir: folder };
    const ours = { ...app, config };
    await keepAnchors(ours);
    const kept = await app.db.query('select * from anchors');
    // A day later another act is sealed. Then the older backup is restored.
    app.now.advance(86_400_000);
    await app.db.transaction((tx) => act(app, tx, MARIA, 7));
    await keepAnchors(ours);
    assert.equal((await verifyAudit(ours)).ok, true);
    await removeTriggers(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query('delete from anchors where number > $1', [kept.length]);
      await tx.query('delete from audit_log where link > 6');
      await tx.query('update audit_head set link = 6, hash = (select hash from audit_log where link = 6)');
    });
    assert.match((await verifyAudit(ours)).findings[0]?.says ?? '', /the store is older than it was/);
    await beginEpoch(ours, [], 0, MARIA);
    const lost = await verifyAudit(ours);
    assert.match(lost.findings[0]?.says ?? '', /1 anchor, of 2026-01-16.*speaks of entries that were lost/);
    await acceptRestore(ours, MARIA, 'compared');
    await keepAnchors(ours);
    const { ok, findings, head } = await verifyAudit(ours);
    assert.deepEqual([ok, findings, head.link], [true, [], 8]);
    const { acts } = await listAudit(app, {}, 2);
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['store.restore_accepted', 'store.restored'],
    );
  });

  test('keeps concurrent acts in one chain and loses none', async () => {
    const app = createTestApp(await openTestDatabase());
    await Promise.all(Array.from({ length: 40 }, (_, at) => app.db.transaction((tx) => act(app, tx, MARIA, at))));
    const { ok, rows, head } = await verifyAudit(app);
    assert.deepEqual([ok, rows, head.link], [true, 40, 40]);
  });

  test('has no row of an act that was rolled back', async () => {
    const app = createTestApp(await openTestDatabase());
    await undone(app, (tx) => act(app, tx, MARIA, 1));
    assert.deepEqual(await listAudit(app, {}, 10), { acts: [], next: null });
    assert.equal((await verifyAudit(app)).head.link, 0);
  });

  test('is listed newest first, page by page, with filters', async () => {
    const app = await openWithActs(openTestDatabase);
    const first = await listAudit(app, {}, 4);
    assert.deepEqual([first.acts.map(({ id }) => id), first.next], [[6, 5, 4, 3], 3]);
    const rest = await listAudit(app, { before: 3 }, 4);
    assert.deepEqual([rest.acts.map(({ id }) => id), rest.next], [[2, 1], null]);
    const idsOf = async (filter: Parameters<typeof listAudit>[1]) =>
      (await listAudit(app, filter, 10)).acts.map(({ id }) => id);
    assert.deepEqual(await idsOf({ who: 'maria@example.cl' }), [6, 4, 2]);
    assert.deepEqual(await idsOf({ who: 'usr_1' }), [6, 4, 2]);
    assert.deepEqual(await idsOf({ action: 'fee' }), [6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await idsOf({ action: 'fe' }), []);
    assert.deepEqual(await idsOf({ action: 'fee.set', subject: 'ps_5' }), [5]);
    assert.deepEqual(await idsOf({ since: app.now() - 2500 }), [6, 5]);
    const [newest] = first.acts;
    assert.deepEqual(newest?.who, { kind: 'person', name: 'maria@example.cl', user: 'usr_1', from: 'maria@desk' });
    assert.deepEqual([newest?.before, newest?.after, newest?.reason], [{ rate: 5 }, { rate: 6 }, 'agreed']);
  });
});

async function openWithActs(openTestDatabase: OpenTestDatabase, { anchored = true } = {}): Promise<TestApp> {
  const app = createTestApp(await openTestDatabase());
  for (let row = 1; row <= 6; row++) {
    await app.db.transaction((tx) => act(app, tx, row % 2 === 0 ? MARIA : ROOT, row));
    app.now.advance(1000);
  }
  if (anchored) await makeAnchor(app, 'now');
  return app;
}

function act(app: TestApp, tx: Tx, by: Actor, row: number): Promise<void> {
  const subject = { kind: 'payment_service', id: `ps_${row}` };
  const values = { before: { rate: row - 1 }, after: { rate: row } };
  return recordAudit(tx, { at: app.now(), by, action: 'fee.set', subject, ...values, reason: 'agreed' });
}
