import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { removeTriggers } from '../support/test-books.ts';

forEachEngine('audit on the command line', (openTestDatabase) => {
  test('lists each act with its person and origin; audit verify and doctor find a deleted row', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    const run = (...words: string[]) => runCommand(words, { env });
    for (const name of ['One', 'Two']) await run('payment-service', 'create', '--name', name);
    const listed = await run('audit', 'list', '--limit', '1');
    assert.match(
      listed.stdout,
      /command line: \S+@\S+ +\S+@\S+ +payment_service\.created +payment_service ps_\w+ +name Two\nMore: --before 2\n$/,
    );
    assert.match((await run('audit', 'list', '--before', '2')).stdout, / name One\n$/);
    assert.match((await run('audit', 'list', '--who', 'nobody@example.cl')).stdout, /^There is no such act/);
    assert.match(
      (await run('audit', 'list', '--since', 'yesterday')).stderr,
      /^INVALID_OPTION: --since is a day \(Chilean time\)/,
    );

    const verified = await run('audit', 'verify', '--json');
    assert.equal(verified.status, 0);
    const { head } = JSON.parse(verified.stdout) as { head: { link: number; hash: string } };
    const kept = join(folder, 'head.json');
    writeFileSync(kept, verified.stdout);
    for (const given of [kept, `${head.link}:${head.hash}`])
      assert.match(
        (await run('audit', 'verify', '--head', given)).stdout,
        /every hash is right, and so is the end that was kept/,
      );
    assert.match((await run('audit', 'verify', '--head', 'x')).stderr, /^INVALID_OPTION: --head is LINK:HASH/);
    assert.match((await run('doctor')).stdout, /OK +audit-log +2 rows, the last of less than 1 min ago/);

    await removeTriggers(db);
    await db.transaction((tx) => tx.query('delete from audit_log where link = 2'));
    const found = await run('audit', 'verify');
    assert.equal(found.status, 1);
    assert.match(found.stdout, /^row 2 of the audit log: cut off/);
    assert.match(
      (await run('doctor')).stdout,
      /PROBLEM +audit-log +does not end at its recorded head\n +bin\/rubrica audit verify/,
    );
  });

  test('shows amounts and times as people read them, and shortens a long list that --json prints in full', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const app = createTestApp(db);
    const applied = Array.from({ length: 60 }, (_, n) => `00${n}-some-migration.sql`).join(',');
    const act = { at: app.now(), by: TESTER, action: 'store.migrated', subject: { kind: 'store', id: '' } } as const;
    await db.transaction((tx) =>
      recordAudit(tx, { ...act, after: { closes_at: '2026-01-15T12:00:00.000Z', granted: '', applied } }),
    );
    const { stdout } = await runCommand(['audit', 'list'], { env });
    assert.match(stdout, / closes at 2026-01-15 09:00:00 -03:00, granted —, applied 000-some-migration\.sql,.*…\n$/);
    assert.ok(stdout.length < 700, stdout);
    const after = {
      amount: 15_000,
      currency: 'CLP',
      decided_at: Date.UTC(2026, 0, 15, 12),
      whole_day: true,
      evidence_sha256: 'ab'.repeat(32),
    };
    await db.transaction((tx) => recordAudit(tx, { ...act, action: 'refund.decided', after }));
    assert.match(
      (await runCommand(['audit', 'list', '--action', 'refund'], { env })).stdout,
      / amount \$15\.000 CLP, currency CLP, decided at 2026-01-15 09:00:00 -03:00, whole day yes, evidence sha256 abababababab…\n/,
    );
    assert.ok(
      (await runCommand(['audit', 'list', '--json'], { env })).stdout.includes(applied),
      'JSON has the whole text',
    );
  });
});
