import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { whyMissing } from '../support/system-programs.ts';

forEachEngine('examples/citus/groups', (openTestDatabase, engine) => {
  if (engine === 'sqlite') return;
  const skip = whyMissing('psql') ?? false;
  test('refuses a PostgreSQL without Citus, and says so', { skip }, async () => {
    const { url } = await openTestDatabase();
    const env = { ...process.env, COORDINATOR_URL: url };
    const { status, stderr } = await runChild('examples/citus/groups', ['create', 'north'], { env });
    assert.equal(status, 69, stderr);
    assert.match(stderr, /has no Citus in its database: create extension citus/);
  });
});
