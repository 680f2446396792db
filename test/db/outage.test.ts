import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { StorageError } from '../../src/db/database.ts';
import { createOutage } from '../../src/db/outage.ts';
import { startServe } from '../faults/support/serve-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { findFreePort } from '../support/free-port.ts';

test('an outage begins once, and ends when nothing has failed for two seconds', () => {
  let time = 1_000;
  const said: unknown[] = [];
  const outage = createOutage(
    () => time,
    { set: (value: unknown) => said.push(value) },
    { begun: (cause) => said.push(cause), ended: (end) => said.push(end) },
  );
  const away = new StorageError('STORAGE_UNAVAILABLE', 'refused');
  assert.equal(outage.covers(new Error('a mistake')), false);
  assert.equal(outage.covers(new StorageError('STORAGE_FULL', null)), false);
  outage.answered();
  assert.deepEqual(said, []);
  for (let failure = 0; failure < 600; failure++) assert.equal(outage.covers(away), true);
  time += 1_999;
  outage.answered();
  assert.equal(outage.covers(new StorageError('OUTCOME_UNKNOWN', null)), true);
  time += 1_999;
  outage.answered();
  assert.deepEqual(said, [1, 'refused']);
  time += 1;
  outage.answered();
  outage.answered();
  assert.deepEqual(said, [1, 'refused', 0, { ms: 3_999, failures: 601 }]);
});

forEachEngine('a database that is unavailable for a while', (openTestDatabase, engine) => {
  if (engine === 'sqlite') return;

  test('causes one alarm in the log and one message about its end', async () => {
    const { url } = await openTestDatabase();
    const line = await openLine(url);
    await using service = await startServe({ databaseUrl: line.url });
    line.cut();
    const alarms = () => service.output().match(/"alarm":"database_unavailable"/g)?.length ?? 0;
    assert.ok(await comesTrue(() => alarms() > 0));
    const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(`${service.url}/users/login`, LOG_IN)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503]);
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /^rubrica_database_unavailable 1$/m);
    await line.mend();
    assert.ok(await comesTrue(() => service.output().includes('the database answers again')));
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /^rubrica_database_unavailable 0$/m);
    service.signal('SIGTERM');
    await service.exited;
    const lines = service
      .output()
      .split('\n')
      .filter((text) => text.startsWith('{'));
    const loud = lines
      .map((text) => JSON.parse(text) as { level: number; msg: string })
      .filter(({ level }) => level >= 40);
    assert.deepEqual(
      loud.map(({ msg }) => msg),
      ['the database does not answer', 'the database answers again'],
    );
    line.cut();
  });
});

const LOG_IN = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username: 'a@example.cl', password: 'wrong-password' }),
};

/** Opens a connection path to a PostgreSQL that `cut` interrupts and `mend` restores. */
async function openLine(databaseUrl: string): Promise<{ url: string; cut(): void; mend(): Promise<void> }> {
  const target = new URL(databaseUrl);
  const port = await findFreePort();
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  const mend = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await mend();
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const near = new URL(databaseUrl);
  near.host = `127.0.0.1:${port}`;
  return { url: near.href, cut, mend };
}
