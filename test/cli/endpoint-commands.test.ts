import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('endpoint doctor', (openTestDatabase) => {
  test('says that nothing was sent yet, and asks whether the service runs', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const app = createTestApp(db);
    await createPaidTransaction(app, await createTestEnvironment(app));
    const [callback] = await db.query<{ id: number }>('select id from callbacks');
    for (const words of [
      ['endpoint', 'doctor', '1'],
      ['callback', 'doctor', String(callback?.id)],
    ]) {
      const { stdout } = await runCommand(words, { env });
      assert.match(stdout, /\ncause {8}none yet: nothing was sent there\. Does serve run\? bin\/rubrica doctor\n/);
    }
  });
});
