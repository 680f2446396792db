import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createStop, type RunningService, startService } from '../../src/cli/run/serve-command.ts';
import { readConfig } from '../../src/config.ts';
import { enqueueCallback } from '../../src/outbox/enqueue-callback.ts';
import { claimCallbacks } from '../../src/outbox/outbox-queries.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { findFreePort } from '../support/free-port.ts';
import { startRoundRobinProxy } from '../support/round-robin-proxy.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('a service that stops', (openTestDatabase, engine) => {
  const start = (databaseUrl: string, settings: Record<string, string> = {}) =>
    startService(
      readConfig({
        DATABASE_URL: databaseUrl,
        MASTER_KEY: '5a'.repeat(32),
        LOG_LEVEL: 'silent',
        PORT: '0',
        ...settings,
      }),
    );

  test('closes its port when a write of its start fails', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const refuse = {
      sqlite: `create trigger full_disk before update on store_marks begin select raise(abort, 'full'); end`,
      postgres: `create rule full_disk as on update to store_marks do instead select 1 / (beat - beat) from store_marks`,
    };
    await app.db.transaction((tx) => tx.query(refuse[engine]));
    const port = await findFreePort();
    await assert.rejects(start(db.url, { PORT: String(port) }));
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });

  test('answers a request in flight on an open connection, with connection: close', async () => {
    const service = await start((await openTestDatabase()).url);
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
    const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: pay.example.cl\r\n\r\n');
    ask();
    const [first] = (await once(socket, 'data')) as [string];
    assert.match(first, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(first, /connection: close/i);
    const stopped = service.stop();
    ask();
    const rest = await socket.toArray();
    assert.match(rest.join(''), /^HTTP\/1\.1 200 [^]*connection: close/i);
    await stopped;
  });

  test('exits at the second signal, even during its start', async () => {
    const starting = Promise.withResolvers<RunningService>();
    const exits: number[] = [];
    const { onSignal } = createStop(starting.promise, (status) => exits.push(status));
    const drained = onSignal();
    assert.deepEqual(exits, []);
    await onSignal();
    assert.deepEqual(exits, [1]);
    starting.resolve(await start((await openTestDatabase()).url));
    await drained;
    assert.deepEqual(exits, [1, 0], 'the second signal stops at once; the first lets the service drain');
  });

  test('fails /readyz first, and answers until DRAIN_DELAY is over or closeNow is called', async () => {
    const service = await start((await openTestDatabase()).url, { DRAIN_DELAY: '600' });
    const stopped = service.stop();
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    const answer = await fetch(`${service.url}/healthz`);
    assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close']);
    assert.equal(service.closeNow(), true);
    await stopped;
    assert.equal(service.closeNow(), false);
    await assert.rejects(fetch(`${service.url}/healthz`));
    const soon = await start((await openTestDatabase()).url, { DRAIN_DELAY: '1' });
    const askedAt = performance.now();
    await soon.stop();
    // A timer may be a millisecond early.
    assert.ok(performance.now() - askedAt >= 990);
  });

  test('records the requests that it refuses during DRAIN_DELAY', async () => {
    const db = await openTestDatabase();
    const service = await start(db.url, { DRAIN_DELAY: '600' });
    // From here on the loop that stores refusals takes no more of them: only the end of the stop does.
    const stopped = service.stop();
    const { status } = await fetch(`${service.url}/trxs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"x_account_id":"nobody"}',
    });
    assert.ok(status >= 400 && status < 500);
    service.closeNow();
    await stopped;
    assert.equal((await db.query('select request_id from refused_requests')).length, 1);
  });

  for (const checks of [true, false]) {
    test(`loses no request in a rolling restart behind a balancer that ${checks ? 'checks readiness' : 'only sees failed connections'}`, async () => {
      const urls = await Promise.all([openTestDatabase(), openTestDatabase()]);
      const startAt = (index: number) => start(urls[index]?.url ?? '', { DRAIN_DELAY: '600' });
      const services = [await startAt(0), await startAt(1)];
      await using proxy = await startRoundRobinProxy(
        services.map(({ url }) => url),
        checks,
      );
      const statuses = new Map<number, number>();
      let over = false;
      const clients = Array.from({ length: 8 }, async () => {
        while (!over) {
          const { status } = await fetch(`${proxy.url}/trxs/1`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      });
      for (const [index, service] of services.entries()) {
        const stopped = service.stop();
        assert.ok(await comesTrue(() => !checks || !proxy.sendsTo(index)));
        assert.ok(await answersGrow(statuses));
        service.closeNow();
        await stopped;
        services[index] = await startAt(index);
        proxy.replace(index, services[index].url);
        assert.ok(await comesTrue(() => proxy.sendsTo(index)));
      }
      over = true;
      await Promise.all(clients);
      for (const service of services) service.closeNow();
      await Promise.all(services.map((service) => service.stop()));
      // Without a token every answer of the service is 401. Another status would come from the proxy.
      assert.deepEqual([...statuses.keys()], [401]);
    });
  }

  test(`has its claims on callbacks ${engine === 'sqlite' ? 'released' : 'kept, since it may still run,'} at the next start`, async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const environment = await createTestEnvironment(app);
    await app.db.transaction(async (tx) => {
      await enqueueCallback(tx, environment, {
        amount: 12_990,
        currency: 'CLP',
        reference: 'ORD-1',
        result: 'completed',
        message: 'Approved',
        timestamp: app.now(),
        transactionId: 1,
        sequence: 2,
        url: 'http://127.0.0.1:9/callback',
      });
    });
    const far = Date.now() + 3_600_000;
    const claim = {
      lease: 'of-the-killed',
      now: far,
      until: far + 60_000,
      perEndpoint: 9,
      limit: 9,
      excluded: { endpoints: [], environments: [], hosts: [] },
    };
    assert.equal((await app.db.transaction((tx) => claimCallbacks(tx, claim))).length, 1);
    const service = await start(db.url);
    const [callback] = await db.query<{ lease: string | null }>('select lease from callbacks');
    await service.stop();
    assert.equal(callback?.lease === 'of-the-killed', engine !== 'sqlite');
  });
});

function answersGrow(statuses: Map<number, number>): Promise<boolean> {
  const sum = () => [...statuses.values()].reduce((total, count) => total + count, 0);
  const before = sum();
  return comesTrue(() => sum() > before + 50);
}
