import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

suite('callbacks that were given up, on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  let paymentService = '';
  after(() => rmSync(folder, { recursive: true }));
  before(async () => {
    const db = openDatabase(`sqlite:${join(folder, 'rubrica.db')}`, {
      connections: 1,
      pooler: false,
      onFatal: () => {},
    });
    await migrate(db);
    const app = createTestApp(db, {
      // The commands go by the clock of the machine.
      now: createTestClock(Date.now() - 3_600_000),
      fetch: async () => ({ kind: 'answered', status: 404, retryAfter: null, excerpt: 'no such page', durationMs: 1 }),
    });
    const environment = await createTestEnvironment(app);
    paymentService = environment.paymentServiceId;
    for (const reference of ['ORD-1', 'ORD-2']) await createPaidTransaction(app, environment, { reference });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
      app.now.advance(600_000);
    }
    await db.close();
  });

  test('doctor names them and what to do', async () => {
    const { stdout, status } = await run('doctor');
    assert.equal(status, 1);
    assert.match(
      stdout,
      /\nPROBLEM {2}callback {8}2 callbacks given up, the oldest for \d+ \w+\n +bin\/rubrica attention list --kind callback\n/,
    );
  });

  test('show tells what it is, then every attempt; --body prints the bytes that are sent', async () => {
    const { stdout } = await run('callback', 'show', '1');
    assert.match(
      stdout,
      /^transaction {2}\d+\nevent {8}evt_\d+_2\nURL {10}https:\S+\nstate {8}dead, [\d: -]+ UTC\nattempts {5}3\n\n/,
    );
    assert.equal(stdout.match(/answered 404, after 1 ms\n {4}no such page/g)?.length, 3);
    const { body, attempts, state } = JSON.parse((await run('callback', 'show', '1', '--json')).stdout);
    assert.deepEqual([state, attempts.length], ['dead', 3]);
    assert.equal((await run('callback', 'show', '1', '--body')).stdout, body);
    assert.equal(new URLSearchParams(body).get('x_reference'), 'ORD-1');
  });

  test('resend takes an ID or a state, and says what it takes', async () => {
    const refused: [words: string[], says: RegExp][] = [
      [['resend'], /^USAGE: Say either an ID or --state dead/],
      [['resend', '1', '--state', 'dead'], /^INVALID_OPTION: Say either an ID/],
      [['resend', '1', '--since', '2026-01-15'], /^INVALID_OPTION: --payment-service and --since go with --state/],
      [['resend', '--state', 'dead', '--since', '15-01'], /^INVALID_OPTION: --since is a day such as/],
      [['resend', '--state', 'dead', '--payment-service', 'ps_x'], /^NOT_FOUND: There is no payment service ps_x/],
      [['resend', '--state', 'queued'], /^USAGE: .*dead, disabled/],
    ];
    for (const [words, says] of refused) assert.match((await run('callback', ...words)).stderr, says);
  });

  test('resend --state dead sends all of them again: progress on stderr, one JSON object', async () => {
    const words = ['callback', 'resend', '--state', 'dead', '--payment-service', paymentService, '--json'];
    const told = await run(...words, '--since', '2020-01-01');
    assert.deepEqual([told.stdout, told.stderr], ['{"resent":2}\n', '2 queued\n']);
    assert.equal((await run(...words)).stdout, '{"resent":0}\n');
    const { callbacks } = JSON.parse((await run('callback', 'list', '--json')).stdout);
    assert.deepEqual(
      callbacks.map(({ state, attempts }: { state: string; attempts: number }) => [state, attempts]),
      [
        ['queued', 3],
        ['queued', 3],
      ],
    );
    assert.match((await run('callback', 'show', '2')).stdout, /\nstate {8}queued, next attempt [\d: -]+ UTC\n/);
  });

  function run(...arguments_: string[]): Promise<Ended> {
    const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: '', PORT: '0', MASTER_KEY: '5a'.repeat(32) };
    return runCommand(arguments_, { env });
  }
});
