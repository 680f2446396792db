import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { verifyCallback } from '../../protocol/verify-callback.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { endSessionsOf } from '../../src/auth/sign-in/end-sessions.ts';
import { ask, type Connection, connect } from '../../src/cli/developers/remote-service.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { updateClockAhead } from '../../src/epochs/epoch-queries.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { buildServer } from '../../src/server/build-server.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { resetClock } from '../../src/travel/advance-clock.ts';
import { comesTrue } from '../support/comes-true.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

suite('listen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-listen-'));
  const databaseUrl = `sqlite:${join(folder, 'rubrica.db')}`;
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(db);
  const app = createTestApp(db);
  const environment = await createTestEnvironment(app);
  const user = await createTestUser(app, { role: 'developer', paymentServices: [environment.paymentServiceId] });
  const server = buildServer(app, ROUTES);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const laptop = await openLaptop();
  after(async () => {
    laptop.close();
    await server.close();
    await db.close();
    rmSync(folder, { recursive: true });
  });
  const settings = { DATABASE_URL: databaseUrl, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
  const listen = (words: string[], env: Record<string, string>) =>
    runCommand(['listen', '--forward-to', laptop.url, ...words], { env: { ...process.env, ...env } });
  const token = { RUBRICA_TOKEN: user.headers.authorization.replace('Bearer ', '') };

  test('posts the callback that a shop would get, with its query, and prints one line for it', async () => {
    await createPaidTransaction(app, environment, { reference: 'ORD-1' });
    const { stdout, status, stderr } = await listen(['--url', url, '--count', '1'], token);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^Forwarding development callbacks of Test shop to http/);
    assert.match(stdout, /\n[\d:]{8} {2}callback \d+ {2}completed ORD-1 \(transaction \d+\) {2}→ {2}200 in \d+ ms\n$/);
    const [received] = laptop.received.splice(0);
    assert.equal(received?.path, '/callback?order=1');
    const verified = verifyCallback({
      body: received?.body ?? '',
      headers: received?.headers as Record<string, string>,
      secret: environment.secrets[0]?.text ?? '',
      requireWebhookHeaders: true,
      expected: { account: environment.serviceToken, reference: 'ORD-1', amount: '12990', currency: 'CLP', test: true },
      now: app.now(),
    });
    assert.equal(verified.ok, true, JSON.stringify(verified));
  });

  test('accepts an API token', async () => {
    await createPaidTransaction(app, environment, { reference: 'ORD-API' });
    const { stdout, status, stderr } = await listen(['--url', url, '--count', '1'], { RUBRICA_TOKEN: user.api_token });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /completed ORD-API .* → {2}200/);
    laptop.received.splice(0);
  });

  test('logs in again with an API token when its access token has ended', async () => {
    const other = await createTestUser(app, { role: 'developer', paymentServices: [environment.paymentServiceId] });
    const connectWith = (text: string) => {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, text, { mode: 0o600 });
      return connect({ url, tokenFile });
    };
    const [lasting, given] = [
      await connectWith(other.api_token),
      await connectWith(other.headers.authorization.slice(7)),
    ];
    if (lasting === null || given === null) throw new Error('no connection');
    await endSessionsOf(app, other.id, TESTER);
    app.now.advance(1000);
    const look = (connection: Connection) => ask(connection, 'GET', '/transactions?limit=1', null);
    assert.ok(await look(lasting));
    await assert.rejects(look(given), /TOKEN_INVALID/);
    await disableUser(app, other.id, TESTER);
    app.now.advance(1000);
    await assert.rejects(look(lasting), /loginToken answered 403\. API_TOKEN_INVALID/);
  });

  test('prints the cause and the next attempt of a failure; --no-retry gives up and names --replay', async () => {
    await createPaidTransaction(app, environment, { reference: 'ORD-2' });
    laptop.answerWith(500);
    const again = await listen(['--url', url, '--count', '1'], token);
    assert.match(again.stdout, /→ {2}500 in \d+ ms\n +an error of the shop \(500\)\. Again at [\d:]{8}, or with/);
    app.now.advance(6000);
    const last = await listen(['--url', url, '--count', '1', '--no-retry'], token);
    const id = /callback (\d+) {2}completed ORD-2 .*, attempt 2/.exec(last.stdout)?.[1];
    assert.ok(id !== undefined, last.stdout);
    assert.match(last.stdout, new RegExp(`It is not sent again; to send it: .* --replay ${id}\n`));
    laptop.answerWith(200);
    const replayed = await listen(['--count', '1', '--replay', id], settings);
    assert.match(replayed.stdout, /completed ORD-2 .* → {2}200/, replayed.stderr);
    const [row] = await db.query('select state from callbacks where id = $1', [Number(id)]);
    assert.equal(row?.['state'], 'delivered');
  });

  test('names no --replay for a post whose events URL was removed meanwhile: it is refused', async () => {
    const target = { paymentServiceId: environment.paymentServiceId, environment: 'development' } as const;
    await setEventsUrl(app, target, 'https://shop.example.cl/events', TESTER);
    const paid = await createPaidTransaction(app, environment, { reference: 'ORD-4' });
    assert.match((await listen(['--count', '1'], settings)).stdout, /completed ORD-4 .* → {2}200/);
    app.now.advance(1000);
    await acceptedRefund(app, paid, 1000);
    laptop.answerWith(500, () => setEventsUrl(app, target, null, TESTER));
    const { stdout } = await listen(['--count', '1'], settings);
    laptop.answerWith(200);
    const [, id, said = ''] = /callback (\d+) {2}refund\.\w+ .*\n +(.*)\n/.exec(stdout) ?? [];
    assert.match(said, /It is not sent again: its webhook has ended, or its events URL was removed\.$/, stdout);
    const replayed = await listen(['--count', '1', '--replay', String(id)], settings);
    assert.match(replayed.stderr, /^NOT_FOUND: /);
  });

  test('follows the clock of its store, and ends when that clock goes back', async () => {
    await createPaidTransaction(app, environment, { reference: 'ORD-3' });
    const hour = 3_600_000;
    await db.transaction((tx) =>
      tx.query(`update callbacks set next_attempt_at = $1 where state = 'queued'`, [Date.now() + hour]),
    );
    const listening = listen([], settings);
    await comesTrue(async () => (await db.query('select id from callback_listeners')).length === 1);
    await db.transaction((tx) => updateClockAhead(tx, 2 * hour));
    await comesTrue(() => Promise.resolve(laptop.received.some(({ body }) => body.includes('ORD-3'))));
    await resetClock(app, TESTER);
    const { stdout, stderr, status } = await listening;
    assert.match(stdout, /completed ORD-3 .* → {2}200/);
    assert.match(stderr, /^LISTENER_ENDED: .* the clock went back\. Start a new listener/);
    assert.equal(status, 1);
  });

  test('refuses unusable options and tokens with the reason', async () => {
    const refused: [words: string[], env: Record<string, string>, says: RegExp][] = [
      [['--url', url], {}, /^INVALID_OPTION: RUBRICA_TOKEN is not set: export a token/],
      [['--url', url], { RUBRICA_TOKEN: 'api_x' }, /\/loginToken answered 403\. API_TOKEN_INVALID/],
      [['--url', 'ftp://x'], token, /^INVALID_OPTION: --url is a URL/],
      [['--replay', 'x'], settings, /^INVALID_OPTION: --replay is a number/],
      [
        ['--replay', '99'],
        settings,
        /^NOT_FOUND: There is no callback of development 99: bin\/rubrica callback list\n/,
      ],
      [
        ['--url', url, '--replay', '99'],
        token,
        /\/listeners answered 404\. NOT_FOUND: .* bin\/rubrica callback list has/,
      ],
      [['--payment-service', 'ps_x'], settings, /^NOT_FOUND: There is no payment service ps_x/],
      [['--environment', 'production'], settings, /^USAGE: unknown option '--environment'/],
    ];
    for (const [words, env, says] of refused) assert.match((await listen(words, env)).stderr, says, words.join(' '));
  });
});

/** Starts a server as on a developer's machine. */
async function openLaptop() {
  const received: { path: string; headers: object; body: string }[] = [];
  let status = 200;
  let first: () => unknown = () => {};
  const server = createServer((request, response) => {
    void request.toArray().then(async (chunks) => {
      await first();
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(status).end('seen\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}/callback`,
    answerWith: (next: number, before: () => unknown = () => {}) => {
      status = next;
      first = before;
    },
    close: () => server.close(),
  };
}
