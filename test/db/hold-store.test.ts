import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreHeldError } from '../../src/db/database.ts';
import { holdStore } from '../../src/db/hold-store.ts';
import { ConnectionClass } from '../../src/db/sqlite-database.ts';

test('a store is held once, also if a refused command removes its lock file meanwhile', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-held-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const url = `sqlite:${join(folder, 'rubrica.db')}`;
  // It made no store, so its lock file goes with it.
  const refused = holdStore(url, 'Stop it.');
  const exec = Reflect.get(ConnectionClass.prototype, 'exec');
  const locking = context.mock.method(
    ConnectionClass.prototype,
    'exec',
    function (this: InstanceType<typeof ConnectionClass>, sql: string) {
      refused.release();
      exec.call(this, sql);
    },
    { times: 1 },
  );
  const held = holdStore(url, 'Stop it.');
  assert.ok(locking.mock.callCount() > 0);
  assert.throws(() => holdStore(url, 'Stop it.'), StoreHeldError);
  held.release();
  holdStore(url, 'Stop it.').release();
});
