import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ownRequests } from '../../src/cli/developers/seen-requests.ts';
import { updateClockAhead } from '../../src/epochs/epoch-queries.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { storeRefusedRequests } from '../../src/refused-requests/store-refused-requests.ts';
import { resetClock } from '../../src/travel/advance-clock.ts';
import { startChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock, type TestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction, signedBody } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('logs tail', (openTestDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-logs-'));
  after(() => rmSync(folder, { recursive: true }));

  const open = async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    const environment = await createTestEnvironment(app);
    const server = await startTestServer(app);
    const post = (changes: Record<string, string>) => {
      const body = signedBody(environment.serviceToken, environment.secrets[0]?.text ?? '', changes);
      return server.post('/trxs', { json: { ...body } });
    };
    const settings = { DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
    return { app, environment, server, post, env: { ...process.env, ...settings } };
  };

  test('prints every transaction since a time, also if there are more than a page has, here and elsewhere', async () => {
    const { app, environment, server, env } = await open();
    await using _server = server;
    const since = new Date(app.now()).toISOString();
    for (let n = 0; n < 201; n++) {
      await createTestTransaction(app, environment, { reference: `ORD-${n}` });
      app.now.advance(1);
    }
    const user = await createTestUser(app, { role: 'owner', may: [] });
    const token = { RUBRICA_TOKEN: user.headers.authorization.replace('Bearer ', '') };
    for (const from of [[], ['--url', server.origin]]) {
      const words = ['logs', 'tail', '--since', since, '--count', '201', ...from];
      const { stdout } = await runCommand(words, { env: { ...env, ...token } });
      assert.deepEqual(stdout.match(/ORD-(?:0|200),/g), ['ORD-0,', 'ORD-200,']);
    }
  });

  test('prints new transactions, and newly refused requests with the reason and the fix', async () => {
    const { app, environment, server, post, env } = await open();
    await using _server = server;
    for (let n = 0; n < 205; n++) await createTestTransaction(app, environment, { reference: `BEFORE-${n}` });
    const tail = await startChild('node', ['src/main.ts', 'logs', 'tail', '--count', '2'], { env });
    await tail.until(({ stdout }) => stdout.includes('as they arrive'));
    app.now.advance(1000);
    await post({ x_reference: 'ORD-7' });
    app.now.advance(1000);
    await post({ x_shop_country: 'CLX', x_customer_email: 'nobody' });
    await storeRefusedRequests(app);
    const { stdout, status } = await tail.ended;
    assert.equal(status, 0);
    const [, ...lines] = stdout.trimEnd().split('\n');
    // On PostgreSQL either can be seen first, because the transactions of other tests hold the search up.
    const refused = lines.findIndex((line) => line.includes('INVALID_EMAIL'));
    const created = lines.find((line) => line.includes('ORD-7'));
    assert.match(
      created ?? '',
      /^[\d:]{8} {2}Test shop \(development\) {2}200 {2}transaction \d+, ORD-7, \$[\d.]+ CLP$/,
    );
    assert.match(
      lines[refused] ?? '',
      /^[\d:]{8} {2}Test shop \(development\) {2}POST \/trxs {2}→ {2}400 {2}INVALID_EMAIL: x_customer_email .* such as name@example\.com\. \(request [\w-]+\)$/,
    );
    assert.match(lines[refused + 1] ?? '', /^ {10}\/x_shop_country .* Send /);
    assert.equal(lines.length, 3, stdout);
  });

  test('follows the clock of its store, and ends when that clock goes back', async () => {
    const { app, environment, server, env } = await open();
    await using _server = server;
    const hours = 2 * 3_600_000;
    const tail = await startChild('node', ['src/main.ts', 'logs', 'tail'], { env });
    await tail.until(({ stdout }) => stdout.includes('as they arrive'));
    await app.db.transaction((tx) => updateClockAhead(tx, hours));
    app.now.advance(hours);
    await createTestTransaction(app, environment, { reference: 'ORD-LATER' });
    await tail.until(({ stdout }) => stdout.includes('ORD-LATER'));
    await resetClock(app, TESTER);
    const { stderr, status } = await tail.ended;
    assert.match(stderr, /^The clock of this store went back\. Start bin\/rubrica logs tail again\./);
    assert.equal(status, 1);
  });

  test('knows that the clock was ahead when it has seen a request of that time', async () => {
    const { app, environment, server } = await open();
    await using _server = server;
    const clock = systemClock();
    let isTold = false;
    const query: TestApp['db']['query'] = async (sql, parameters) => {
      const rows = await app.db.query(sql, parameters);
      if (!isTold && sql.includes('clock_ahead_ms')) {
        isTold = true;
        await app.db.transaction((tx) => updateClockAhead(tx, 3_600_000));
        await createTestTransaction(app, environment, { reference: 'ORD-LATER' });
      }
      return rows as never;
    };
    const source = ownRequests({ ...app, now: clock, db: { ...app.db, query } });
    const look = () => source({ paymentService: null, environment: null, since: null, isNew: () => true });
    const sees = async () => (await look()).some(({ says }) => says.includes('ORD-LATER'));
    assert.ok((await sees()) || (await sees()));
    await resetClock(app, TESTER);
    await assert.rejects(look(), /The clock of this store went back/);
  });

  test('shows a refused request with each error once, as request show does, and the line that mends a signature', async () => {
    const { app, environment, server, post, env } = await open();
    await using _server = server;
    const refused = [await post({ x_shop_country: 'CLX', x_customer_email: 'nobody' })];
    const secret = Buffer.from(environment.secrets[0]?.text ?? '').toString('hex');
    const wrong = signedBody(environment.serviceToken, secret);
    refused.push(await server.post('/trxs', { json: { ...wrong } }));
    await storeRefusedRequests(app);
    const { stdout } = await runCommand(['logs', 'tail', '--since', '2026-01-01', '--count', '2'], { env });
    const shown = refused.map(async ({ headers }) => {
      const words = ['request', 'show', headers.get('x-request-id') ?? ''];
      return (await runCommand(words, { env })).stdout.split('\n\n')[0]?.split('\n').slice(3) ?? [];
    });
    const [fields = [], signature = []] = await Promise.all(shown);
    assert.match(
      fields.join('\n'),
      /^ {2}x_customer_email .* such as name@example\.com\.\n {2}\/x_shop_country .* Send /,
    );
    assert.match(signature.join('\n'), /^ {2}The secret was encoded .*\n {2}PHP: .* \| Python: /);
    for (const [, line = ''] of [fields, signature]) assert.ok(stdout.includes(`\n          ${line.trim()}\n`), stdout);
  });

  test('calls a request that names no payment service one of no merchant: a known user may have sent it', async () => {
    const { app, server, env } = await open();
    await using _server = server;
    const user = await createTestUser(app, { may: ['events:read'] });
    assert.equal((await server.get('/trxs/1001', user.headers)).status, 403);
    await storeRefusedRequests(app);
    const { stdout } = await runCommand(['logs', 'tail', '--since', '2026-01-01', '--count', '1'], { env });
    assert.match(stdout, /^[\d:]{8} {2}no merchant {2}GET \/trxs\/:id {2}→ {2}403 {2}PERMISSION_MISSING/m);
  });

  test('prints earlier ones with --since, also of a remote service, within the rights of the user', async () => {
    const { app, environment, server, post, env } = await open();
    await using _server = server;
    await post({ x_reference: 'ORD-7' });
    await post({ x_amount: '100' });
    await storeRefusedRequests(app);
    const words = ['logs', 'tail', '--since', '2026-01-01', '--count', '2'];
    const own = await runCommand(words, { env });
    assert.equal(own.status, 0, own.stderr);
    const user = await createTestUser(app, { role: 'developer', paymentServices: [environment.paymentServiceId] });
    const token = { RUBRICA_TOKEN: user.headers.authorization.replace('Bearer ', '') };
    const remote = await runCommand([...words, '--url', server.origin], { env: { ...process.env, ...token } });
    assert.equal(remote.status, 0, remote.stderr);
    assert.equal(remote.stdout, own.stdout);
    const stranger = await createTestUser(app, { role: 'developer', paymentServices: [] });
    const other = await startChild('node', ['src/main.ts', ...words, '--url', server.origin], {
      env: { ...process.env, RUBRICA_TOKEN: stranger.headers.authorization.replace('Bearer ', '') },
    });
    await other.until(({ stdout }) => stdout.includes('as they arrive'));
    assert.doesNotMatch((await other.end('SIGTERM')).stdout, /ORD-7/);
  });

  test('refuses a payment service that this store does not have, whose requests would never come', async () => {
    const { server, env } = await open();
    await using _server = server;
    const unknown = await runCommand(['logs', 'tail', '--payment-service', 'ps_other'], { env });
    assert.deepEqual([unknown.status, unknown.stderr.split(':')[0], unknown.stdout], [1, 'NOT_FOUND', '']);
  });
});
