import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { verifyCallback } from '../../protocol/verify-callback.ts';
import type { App } from '../../src/app.ts';
import { findValidation } from '../../src/bank-validation/find-validation.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { verifyInThread } from '../../src/cli/run/verify-in-thread.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { selectClockAhead, updateClockAhead } from '../../src/epochs/epoch-queries.ts';
import { followClock } from '../../src/epochs/follow-clock.ts';
import { systemClock, worldTime } from '../../src/lib/clock.ts';
import type { FetchRequest } from '../../src/lib/network/safe-fetch.ts';
import { beginListening, reportAttempt, takeNext } from '../../src/outbox/listeners/listen-for-callbacks.ts';
import { retrySchedule } from '../../src/outbox/retry-schedule.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { advanceClock, ClockChanged, gather, resetClock } from '../../src/travel/advance-clock.ts';
import type { ValidationProvider } from '../../src/validation-providers/validation-provider.ts';
import { startWorker } from '../../src/worker.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

const DAY_MS = 86_400_000;

/** Returns the database with a `count` that is called for each statement of a transaction. */
function countStatements(db: TestDatabase, count: () => void): TestDatabase {
  const counted = (tx: Tx): Tx => ({
    ...tx,
    query: (sql, parameters) => {
      count();
      return tx.query(sql, parameters);
    },
  });
  const transaction: Database['transaction'] = (work, kind) => db.transaction((tx) => work(counted(tx)), kind);
  return { ...db, transaction };
}

forEachEngine('clock advance', (openTestDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-clock-'));
  after(() => rmSync(folder, { recursive: true }));

  const traveller = (db: TestDatabase, parts: Partial<App> = {}) => {
    const now = Object.assign(systemClock(), { advance: () => {} });
    return createTestApp(db, { ...parts, now });
  };
  const pay = async (app: App, environment: Awaited<ReturnType<typeof createTestEnvironment>>, amount: number) => {
    const reference = `ORD-${amount}-${app.random()}`;
    const transaction = await createTestTransaction(app, environment, { amount, reference });
    await startPayment(app, transaction, 'simulated');
    return transaction.id;
  };

  test('says how many callbacks it waits for while a shop does not answer', async () => {
    const told = Promise.withResolvers<number>();
    const slow: App['fetch'] = async () => {
      await told.promise;
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = traveller(await openTestDatabase(), { fetch: slow });
    await pay(app, await createTestEnvironment(app), 12_990);
    const tell = (_total: number, awaited: number) => {
      if (awaited > 0) told.resolve(awaited);
    };
    await advanceClock(app, DAY_MS, TESTER, tell);
    assert.equal(await told.promise, 1);
  });

  test('leaves callbacks to a listener, which forwards each retry while the clock advances', async () => {
    const posted: string[] = [];
    const fetch: App['fetch'] = async ({ url }) => {
      posted.push(url);
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = traveller(await openTestDatabase(), { fetch });
    const environment = await createTestEnvironment(app);
    const { id: environmentId, paymentServiceId } = environment;
    const listener = await beginListening(app, { environmentId, paymentServiceId, replay: null }, TESTER);
    await pay(app, environment, 12_990);
    const gone = new AbortController();
    const listening = (async () => {
      const attempts: number[] = [];
      while (!gone.signal.aborted) {
        const post = await takeNext(app, listener, 1_000, () => gone.signal.aborted);
        if (post === null) continue;
        attempts.push(post.attempt);
        const outcome = { kind: 'failed', reason: 'connect', detail: 'ECONNREFUSED', durationMs: 1 } as const;
        await reportAttempt(app, listener, { callbackId: post.id, lease: post.lease, outcome, retry: true });
      }
      return attempts;
    })();
    await advanceClock(app, 31 * DAY_MS, TESTER);
    gone.abort();
    assert.deepEqual(await listening, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.deepEqual(posted, []);
    await resetClock(app, TESTER);
    await assert.rejects(
      takeNext(app, listener, 0, () => false),
      { code: 'LISTENER_ENDED' },
    );
  });

  test('goes no further once another command has changed the clock', async () => {
    for (const change of ['reset', 'advance']) {
      const db = await openTestDatabase();
      const other = traveller(db);
      let requests = 0;
      const meanwhile: App['fetch'] = async () => {
        // The first attempt fails, and the second comes some minutes later by the clock.
        if (++requests === 2)
          await (change === 'reset' ? resetClock(other, TESTER) : advanceClock(other, 3 * DAY_MS, TESTER));
        const status = requests === 1 ? 500 : 200;
        return { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
      };
      const app = traveller(db, { fetch: meanwhile });
      await pay(app, await createTestEnvironment(app), 12_990);
      await assert.rejects(advanceClock(app, DAY_MS, TESTER), ClockChanged);
      const ahead = await selectClockAhead(db);
      assert.ok(change === 'reset' ? ahead === 0 : ahead > 3 * DAY_MS, `${change}: ${ahead}`);
    }
  });

  test('carries out everything due in order: late answers, expiries, retries, ends of overlaps and of refunds', async () => {
    const db = await openTestDatabase();
    const down: App['fetch'] = async () => ({
      kind: 'failed',
      reason: 'connect',
      detail: 'ECONNREFUSED',
      durationMs: 1,
    });
    const app = traveller(db, { fetch: down });
    const environment = await createTestEnvironment(app);
    const unpaid = await createTestTransaction(app, environment, { reference: 'ORD-2' });
    const late = await pay(app, environment, 5003);
    await rotateSecretToken(app, environment.paymentServiceId, 'development', 3 * 3_600_000, TESTER);
    const from = app.now();
    const carriedOut: number[] = [];
    const { happened, to } = await advanceClock(app, 91 * DAY_MS, TESTER, (total) => carriedOut.push(total));
    assert.ok((carriedOut[0] as number) < (carriedOut.at(-1) as number), 'a person sees that it goes on');
    assert.ok(Math.abs(to - from - 91 * DAY_MS) < 60_000);
    const told = happened.map(({ what, transactions }) => [what, ...transactions].join(' '));
    const firstOf = (what: string) => told.indexOf(what);
    const repeats = happened.filter(({ what }) => what.startsWith('callback to https://shop.example.cl/callback: '));
    assert.deepEqual(
      [`transaction.completed ${late}`, `transaction.expired ${unpaid.id}`].map((what) => told.includes(what)),
      [true, true],
      told.join('\n'),
    );
    assert.ok(firstOf(`transaction.completed ${late}`) < firstOf(`transaction.expired ${unpaid.id}`));
    assert.ok(
      firstOf(`transaction.expired ${unpaid.id}`) < firstOf('old Secret Token of Test shop (development) closed'),
    );
    assert.equal(told.at(-1), `payment can be refunded no more ${late}`);
    assert.equal(
      repeats.reduce((sum, { count }) => sum + count, 0),
      2 * retrySchedule.length,
    );
    const waits = await db.query<{ started_at: number }>(
      `select a.started_at from delivery_attempts a join callbacks c on c.id = a.callback_id
       where c.transaction_id = $1 order by a.id`,
      [late],
    );
    for (const [at, wait] of retrySchedule.slice(1).entries()) {
      const waited = (waits[at + 1]?.started_at ?? 0) - (waits[at]?.started_at ?? 0);
      assert.ok(waited >= wait && waited < wait * 1.25 + 5_000, `attempt ${at + 2} came after ${waited} ms`);
    }
    const [given] = await db.query('select count(*) as dead from callbacks where state = $1', ['dead']);
    assert.equal(given?.['dead'], 2);
    assert.deepEqual((await verifyAudit(app)).findings, []);
  });

  test('asks a provider that is not ready again, each time when the question is due', async () => {
    const asked: number[] = [];
    const ask: ValidationProvider['ask'] = async () => {
      asked.push(app.now());
      return asked.length < 4 ? { kind: 'pending' } : { kind: 'match', expiresAt: null, nameMatch: null };
    };
    const provider = { name: 'test', version: '1', realHolders: true, covers: () => true, ask };
    const app: App = traveller(await openTestDatabase(), { validationProvider: provider });
    const account = { rut: '11111111-1', bankCode: '001', account: '1234509876' };
    const { id } = await validateBankAccount(app, { id: 'user_a' }, account);
    await advanceClock(app, DAY_MS, TESTER);
    assert.equal((await findValidation(app, { id: 'user_a' }, id))?.verdict, 'confirmed');
    const waits = asked.slice(1).map((at, before) => at - (asked[before] as number));
    for (const [at, wait] of [30_000, 60_000].entries()) {
      const waited = waits[at + 1] as number;
      assert.ok(waited >= wait && waited < wait * 1.25 + 5_000, `question ${at + 3} came after ${waited} ms`);
    }
  });

  test('lists the same events in one step as in many small ones', async () => {
    const down: App['fetch'] = async () => ({
      kind: 'failed',
      reason: 'connect',
      detail: 'ECONNREFUSED',
      durationMs: 1,
    });
    const HOUR_MS = DAY_MS / 24;
    const travelled = async (steps: readonly number[]) => {
      const app = traveller(await openTestDatabase(), { fetch: down });
      const environment = await createTestEnvironment(app);
      await createTestTransaction(app, environment, { reference: 'ORD-2' });
      await pay(app, environment, 5003);
      await rotateSecretToken(app, environment.paymentServiceId, 'development', 3 * HOUR_MS, TESTER);
      const sums = new Map<string, number>();
      for (const step of steps) {
        const { happened, to } = await advanceClock(app, step, TESTER);
        for (const { what, count } of happened) sums.set(what, (sums.get(what) ?? 0) + count);
        // The next travel would list acts of this millisecond again if it began in it.
        assert.ok(await comesTrue(() => app.now() > to));
      }
      return [...sums];
    };
    const small = [...Array<number>(30).fill(DAY_MS / 1_440), HOUR_MS / 2, 3 * HOUR_MS, 20 * HOUR_MS];
    const rest = 8 * DAY_MS - small.reduce((sum, step) => sum + step, 0);
    assert.deepEqual(await travelled([...small, rest]), await travelled([8 * DAY_MS]));
  });

  test('records failed deliveries in groups', async () => {
    const db = await openTestDatabase();
    let attempts = 0;
    let statements = 0;
    const down: App['fetch'] = async () => {
      attempts++;
      return { kind: 'failed', reason: 'connect', detail: 'ECONNREFUSED', durationMs: 1 };
    };
    const counted = countStatements(db, () => statements++);
    const app = traveller(counted, { fetch: down });
    const environment = await createTestEnvironment(app);
    for (let order = 0; order < 150; order++) {
      await cancelTransaction(app, await createTestTransaction(app, environment, { reference: `ORD-${order}` }));
    }
    statements = 0;
    await advanceClock(app, 30 * DAY_MS, TESTER);
    assert.equal(attempts, 150 * retrySchedule.length);
    assert.ok(statements < attempts / 2, `${statements} statements for ${attempts} attempts`);
  });

  test('does the same in the same order as a worker in real time', async () => {
    const open = async () => {
      const db = await openTestDatabase();
      let failures = 0;
      // The first callback of the payment fails, so the shop gets it twice.
      const fetch: App['fetch'] = async ({ body }) => {
        const status = String(body).includes('x_result=completed') && failures++ === 0 ? 503 : 200;
        return { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
      };
      const app = traveller(db, { fetch, config: { ...traveller(db).config, transactionMinutes: 0.08 } });
      const environment = await createTestEnvironment(app);
      const unpaid = await createTestTransaction(app, environment, { reference: 'ORD-UNPAID' });
      const late = await createTestTransaction(app, environment, { reference: 'ORD-LATE', amount: 5002 });
      await startPayment(app, late, 'simulated');
      return { app, db, ids: [unpaid.id, late.id] };
    };
    const real = await open();
    const worker = startWorker(real.app, async () => true, assert.fail, verifyInThread);
    try {
      const travelled = await open();
      await advanceClock(travelled.app, 60_000, TESTER);
      const expected = await actsOf(travelled);
      assert.deepEqual(
        expected.map((acts) => acts.at(-1)),
        ['callback 200', 'callback 200'],
      );
      assert.ok(await comesTrue(async () => (await actsOf(real)).flat().length === expected.flat().length));
      assert.deepEqual(await actsOf(real), expected);
    } finally {
      await worker.stop();
    }
  });

  test('deletes what is older than RETENTION_* at the end', async () => {
    const db = await openTestDatabase();
    const { config } = traveller(db);
    const retentionDays = { ...config.retentionDays, deliveryAttempts: 30 };
    const app = traveller(db, { config: { ...config, retentionDays } });
    const environment = await createTestEnvironment(app);
    await pay(app, environment, 12_990);
    const { happened } = await advanceClock(app, 31 * DAY_MS, TESTER);
    assert.ok(
      happened.some(({ what }) => what === 'old callbacks and delivery attempts deleted'),
      JSON.stringify(happened),
    );
  });

  test('signs callbacks with the real time, so that receivers accept them', async () => {
    const db = await openTestDatabase();
    const sent: FetchRequest[] = [];
    const app = traveller(db, {
      fetch: async (request) => {
        sent.push(request);
        return {
          kind: 'answered',
          status: sent.length === 1 ? 503 : 200,
          retryAfter: null,
          excerpt: '',
          durationMs: 1,
        };
      },
    });
    const environment = await createTestEnvironment(app);
    await pay(app, environment, 12_990);
    await advanceClock(app, 30 * DAY_MS, TESTER);
    assert.equal(sent.length, 2);
    for (const { headers, body } of sent) {
      const verified = verifyCallback({
        body: body as string,
        headers,
        secret: environment.secrets.map(({ text }) => text),
        requireWebhookHeaders: true,
        expected: {},
        now: worldTime(app.now),
      });
      assert.equal(verified.ok, true);
    }
  });

  test('is followed by a running service, which stops when the clock is reset', async () => {
    const db = await openTestDatabase();
    const app = traveller(db);
    const unfit: string[] = [];
    const worker = startWorker(
      app,
      async () => true,
      (reason) => unfit.push(reason.message),
      verifyInThread,
    );
    try {
      await db.transaction((tx) => updateClockAhead(tx, DAY_MS));
      assert.ok(await comesTrue(() => app.now.ahead?.() === DAY_MS));
      await db.transaction((tx) => updateClockAhead(tx, 0));
      assert.ok(await comesTrue(() => unfit.some((reason) => reason.includes('reset'))));
      assert.equal(app.now.ahead?.(), DAY_MS, 'time does not go back within a process');
    } finally {
      await worker.stop();
    }
  });

  test('is a command, can be undone by reset, and is refused in production, as is its store', async () => {
    const db = await openTestDatabase();
    const app = traveller(db);
    await createTestTransaction(app, await createTestEnvironment(app));
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
    const live = { RUBRICA_ENV: 'production', PUBLIC_URL: 'https://pay.example.cl' };
    const clock = (words: string[], more: Record<string, string> = {}) =>
      runCommand(['clock', ...words], { env: { ...env, ...more } });
    assert.match((await clock(['advance', '31d'], live)).stderr, /^DEVELOPMENT_ONLY/);
    assert.match((await clock(['advance', '0'])).stderr, /^INVALID_OPTION: .*1s to 400d/);
    const advanced = await clock(['advance', '31d']);
    assert.match(
      advanced.stdout,
      /Z?transaction\.expired \(transaction \d+\)\n[^]*31d ahead of real time/,
      advanced.stderr,
    );
    assert.equal(JSON.parse((await clock(['show', '--json'])).stdout).ahead_ms, 31 * DAY_MS);
    assert.match((await clock(['show'], live)).stderr, /^INVALID_SETTING: .*Production needs another store/);
    const reset = await clock(['reset', '--json']);
    assert.deepEqual(JSON.parse(reset.stdout), { ahead_ms: 0, was_ahead_ms: 31 * DAY_MS });
    assert.match((await clock(['reset'])).stderr, /^ALREADY_DONE/);
    const acts = await db.query("select action from audit_log where action like 'clock.%' order by link");
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['clock.advanced', 'clock.reset'],
    );
    assert.equal(await followClock(app), true);
  });
});

/** Returns everything that happened to each transaction, in order. */
async function actsOf({ db, ids }: { db: Database; ids: readonly number[] }): Promise<string[][]> {
  // Within one millisecond: first the answer, then its decision, then the callback.
  const rows = await db.query<{ id: number; at: number; what: string }>(
    `select transaction_id as id, settled_at as at, 1 as place, 'attempt ' || state as what
       from payment_attempts where settled_at is not null
     union all select transaction_id, created_at, 2, type from events
     union all select c.transaction_id, a.started_at, 3, 'callback ' || a.status
       from delivery_attempts a join callbacks c on c.id = a.callback_id
     order by at, place`,
  );
  return ids.map((id) => rows.filter((row) => row.id === id).map(({ what }) => what));
}

test('equal events at one stop of the clock are gathered in one line', () => {
  const traces = [
    { at: 10, what: 'a', subject: 2 },
    { at: 11, what: 'a', subject: 1 },
    { at: 25, what: 'a', subject: 3 },
    { at: 12, what: 'b', subject: null },
  ];
  assert.deepEqual(gather(traces, [0, 20]), [
    { at: 10, what: 'a', count: 2, transactions: [1, 2] },
    { at: 12, what: 'b', count: 1, transactions: [] },
    { at: 25, what: 'a', count: 1, transactions: [3] },
  ]);
});
