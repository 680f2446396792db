import assert from 'node:assert/strict';
import { verifyStore } from '../../src/proof/verify-store.ts';
import type { Tamperings } from './tampering.ts';
import type { TestApp } from './test-app.ts';
import { looseKeys, readingThrough, removeTriggers, undone } from './test-books.ts';

/** Returns what `books verify` says of a store. */
export async function foundIn(app: Parameters<typeof verifyStore>[0]): Promise<string> {
  return (await verifyStore(app)).findings.map(({ says }) => says).join('; ');
}

/** Asserts that nothing is found in a store, and each change by hand after it, one at a time. */
export async function assertFound<World>(
  app: TestApp,
  world: World,
  tamperings: readonly Tamperings<World>[],
): Promise<void> {
  assert.equal(await foundIn(app), '');
  await removeTriggers(app.db);
  for (const { name, statements, found } of tamperings) {
    const says = await undone(app, async (tx) => {
      await looseKeys(app.db, tx);
      for (const [sql, ...values] of statements(world)) await tx.query(sql, values);
      return foundIn(readingThrough(app, tx));
    });
    assert.match(says, found, name);
  }
}

/** Takes members out of the values of acts, as an earlier version wrote them. Returns the number of acts. */
export async function leaveOut(app: TestApp, members: readonly string[]): Promise<number> {
  const acts = await app.db.query<{ link: number; said: string }>(
    'select link, said_after as said from audit_log where said_after is not null',
  );
  const changed = acts.filter(({ said }) => members.some((member) => said.includes(`"${member}"`)));
  await app.db.transaction(async (tx) => {
    for (const { link, said } of changed) {
      const kept = Object.entries(JSON.parse(said)).filter(([name]) => !members.includes(name));
      const text = JSON.stringify(Object.fromEntries(kept));
      await tx.query('update audit_log set said_after = $2 where link = $1', [link, text]);
    }
  });
  return changed.length;
}
