import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import type { OpenWalk } from '../../src/lib/walk.ts';
import { resumeWalks } from '../../src/proof/resume-walks.ts';
import type { Verified } from '../../src/proof/verification-mark.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';

forEachEngine('a command that verifies', (openTestDatabase) => {
  test('resumes where it was interrupted and says so; --from-start and --head read everything', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    for (const name of ['One', 'Two']) await runCommand(['payment-service', 'create', '--name', name], { env });
    const plain = createTestApp(db);
    const app = createTestApp(db, {
      config: { ...plain.config, databaseUrl: db.url, dataDir: folder },
      now: createTestClock(systemClock()()),
    });
    const interrupt = async (verified: Verified) => {
      const { open } = await resumeWalks(app, verified, { page: 1, keepEvery: 0 });
      const killed = new Error('killed');
      const walks: OpenWalk = (name, what) => {
        const walk = open(name, what);
        const reached = async (...place: Parameters<typeof walk.reached>) => {
          await walk.reached(...place);
          throw killed;
        };
        return { ...walk, reached } as never;
      };
      const run = () => (verified === 'books' ? verifyStore(app, [], [], walks) : verifyAudit(app, { walks }));
      await assert.rejects(run, killed);
    };
    const run = async (words: string) => {
      const { stdout, stderr, status } = await runCommand([...words.split(' '), '--json'], { env });
      assert.equal(status, 0, stderr);
      const { resumed_from } = JSON.parse(stdout) as { resumed_from: string | null };
      assert.equal(/^What was verified since .* is not read again; --from-start/.test(stderr), resumed_from !== null);
      return resumed_from !== null;
    };
    for (const verified of ['books', 'audit'] as const) {
      await interrupt(verified);
      assert.equal(await run(`${verified} verify`), true);
      assert.equal(await run(`${verified} verify`), false);
      await interrupt(verified);
      assert.equal(await run(`${verified} verify --from-start`), false);
    }
    await interrupt('audit');
    assert.equal(await run(`audit verify --head 0:${'0'.repeat(64)}`), false);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('-verified')),
      [],
    );
  });
});
