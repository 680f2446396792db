import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from '../../src/cli/progress-line.ts';
import { freshWalks } from '../../src/lib/walk.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

test('progress overwrites one line on a terminal, and elsewhere prints a line every ten seconds', (context) => {
  const written: string[] = [];
  const { stderr } = process;
  const { isTTY } = stderr;
  context.mock.method(stderr, 'write', (text: string) => written.push(text) > 0);
  context.after(() => {
    stderr.isTTY = isTTY;
  });
  const use = (watched: boolean) => {
    stderr.isTTY = watched;
    let now = 0;
    const line = progressLine(() => now);
    for (const [at, rows] of [
      [9_999, 2000],
      [10_000, 4000],
      [15_000, 6000],
    ] as const) {
      now = at;
      line.say('callbacks', rows, rows / 10_000);
    }
    line.clear();
    return written.splice(0);
  };
  const erased = '\r\u001b[K';
  const all = ['callbacks: 2000 (20 %)', 'callbacks: 4000 (40 %)', 'callbacks: 6000 (60 %)'];
  assert.deepEqual(use(true), [...all.map((text) => `${erased}${text}`), erased]);
  assert.deepEqual(use(false), ['callbacks: 4000 (40 %)\n']);
});

test('a line of progress is cut to the width of the terminal, because one that wraps cannot be erased', (context) => {
  const written: string[] = [];
  const { stderr } = process;
  const { isTTY, columns } = stderr;
  context.mock.method(stderr, 'write', (text: string) => written.push(text) > 0);
  context.after(() => Object.assign(stderr, { isTTY, columns }));
  for (const [width, seen] of [
    [40, 39],
    [0, 79],
  ] as const) {
    Object.assign(stderr, { isTTY: true, columns: width });
    progressLine().say('x'.repeat(100), 1);
    assert.deepEqual(written.splice(0), [`\r\u001b[K${'x'.repeat(seen)}`]);
  }
});

forEachEngine('verifying a store', (openTestDatabase) => {
  test('reports its progress', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    const told = new Map<string, [rows: number, part: number | null]>();
    await verifyStore(
      app,
      [],
      [],
      freshWalks((what, rows, part) => void told.set(what, [rows, part])),
    );
    assert.deepEqual(told.get('entries'), [1, 1]);
    assert.deepEqual(told.get('payments beside the books'), [1, 1]);
    assert.deepEqual(told.get('events of transactions'), [2, 1]);
    assert.deepEqual(told.get('callbacks'), [1, 1]);
  });
});
