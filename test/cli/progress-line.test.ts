import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from '../../src/cli/progress-line.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

test('a line of progress is written over on a terminal, and is nowhere else', (context) => {
  const written: string[] = [];
  const { stderr } = process;
  const { isTTY } = stderr;
  context.mock.method(stderr, 'write', (text: string) => written.push(text) > 0);
  const use = (watched: boolean, json: boolean) => {
    stderr.isTTY = watched;
    const line = progressLine({ json });
    line.say('callbacks', 2000);
    line.clear();
    return written.splice(0);
  };
  const all = [use(false, false), use(true, true), use(true, false)];
  stderr.isTTY = isTTY;
  assert.deepEqual(all, [[], [], ['\r\u001b[Kcallbacks: 2000', '\r\u001b[K']]);
});

forEachEngine('verifying a store', (openTestDatabase) => {
  test('tells how far it is: nothing was seen of it until its end', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    const told = new Map<string, number>();
    await verifyStore(app, [], [], (what, rows) => void told.set(what, rows));
    assert.deepEqual(
      [...told],
      [
        ['events of transactions', 2],
        ['callbacks', 1],
      ],
    );
  });
});
