import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { clockOf } from '../../src/lib/calendar-day.ts';
import { CALLBACK_LEASE_MS } from '../../src/outbox/callback-state.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { claimCallbacks } from '../../src/outbox/outbox-queries.ts';
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
    paymentService = await fillStore(folder, { status: 422, orders: ['ORD-1', 'ORD-2'] });
  });

  test('doctor names them and what to do', async () => {
    const { stdout, status } = await run('doctor');
    assert.equal(status, 1);
    assert.match(
      stdout,
      /\nPROBLEM {2}callback {8}2 callbacks given up, the oldest for \d+ \w+\n +bin\/rubrica attention list --kind callback\n/,
    );
  });

  test('attention list says what it leaves out at its limit, kind by kind', async () => {
    const short = await run('attention', 'list', '--limit', '1');
    assert.match(short.stdout, /\nNot listed, because the list ends after 1 \(--limit\):\n(  .*\n)*$/);
    assert.match(short.stdout, /\n {2}1 callback given up: bin\/rubrica attention list --kind callback\n/);
    assert.doesNotMatch((await run('attention', 'list')).stdout, /Not listed/);
    const { attention, not_listed } = JSON.parse(
      (await run('attention', 'list', '--kind', 'callback', '--limit', '1', '--json')).stdout,
    );
    assert.deepEqual([attention.length, not_listed], [1, [{ kind: 'callback', count: 1 }]]);
  });

  test('show prints the callback, then every attempt; --body prints the bytes that are sent', async () => {
    const { stdout } = await run('callback', 'show', '1');
    assert.match(
      stdout,
      /^transaction {2}\d+\nmerchant {5}Test shop \(ps_\w+\), development\nevent {8}evt_\d+_2\nURL {10}https:\S+\nstate {8}dead, [\d: -]+ -0[34]:00\nendpoint .*\ncause {8}the shop refuses it \(422\)\nfix .*\nattempts {5}3\n\n/,
    );
    assert.equal(stdout.match(/answered 422, after 1 ms\n {4}no such page/g)?.length, 3);
    const { body, attempts, state } = JSON.parse((await run('callback', 'show', '1', '--json')).stdout);
    assert.deepEqual([state, attempts.length], ['dead', 3]);
    assert.equal((await run('callback', 'show', '1', '--body')).stdout, body);
    assert.equal(new URLSearchParams(body).get('x_reference'), 'ORD-1');
  });

  test('resend takes an ID or a state, and refuses other options with the reason', async () => {
    const refused: [words: string[], says: RegExp][] = [
      [['resend'], /^USAGE: Say either an ID or which ones, such as --state dead/],
      [['resend', '1', '--state', 'dead'], /^INVALID_OPTION: Say either an ID/],
      [['resend', '1', '--since', '2026-01-15'], /^INVALID_OPTION: Say either an ID or which ones/],
      [
        ['resend', '--state', 'dead', '--since', '15-01'],
        /^INVALID_OPTION: --since is a day \(Chilean time\), such as/,
      ],
      [['resend', '--state', 'dead', '--payment-service', 'ps_x'], /^NOT_FOUND: There is no payment service ps_x/],
      [['resend', '--state', 'lost'], /^USAGE: .*dead, disabled/],
      [['list', '--transaction', ''], /^INVALID_OPTION: --transaction is empty/],
      [['resend', '--endpoint', 'shop'], /^INVALID_OPTION: --endpoint is a URL such as/],
      [['resend', '--until', '2026-01-15T10:30'], /^INVALID_OPTION: --until is a day \(Chilean time\)/],
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
    assert.match((await run('callback', 'show', '2')).stdout, /\nstate {8}queued, next attempt [\d: -]+ -0[34]:00\n/);
  });

  test('resend says that nothing leaves while a restore waits for its release', async () => {
    assert.equal((await run('after-restore')).status, 0);
    assert.equal(
      (await run('callback', 'resend', '1')).stdout,
      'Callback 1 is due now; the store was restored, so nothing leaves before bin/rubrica release.\n',
    );
  });

  const run = (...words: string[]) => runIn(folder, words);
});

suite('an endpoint that fails, on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  const URL_CALLBACK = 'https://shop.example.cl/callback';
  let paymentService = '';
  after(() => rmSync(folder, { recursive: true }));
  before(async () => {
    paymentService = await fillStore(folder, { status: 404, orders: ['ORD-1', 'ORD-2'] });
  });
  const run = (...words: string[]) => runIn(folder, words);

  test('doctor names its merchant, the time of the first failure, the cause, the next attempt and the fix', async () => {
    const { stdout, status } = await run('doctor');
    assert.equal(status, 1);
    assert.match(
      stdout,
      /\nPROBLEM {2}endpoint {8}https:\S+\/callback of Test shop \(ps_\w+\) has failed since [\d: -]+ -0[34]:00: 2 wait, the next attempt is at [\d: -]+ -0[34]:00; there is no such page \(404\)\n +The shop puts its page back/,
    );
    assert.match(stdout, /\nPROBLEM {2}callbacks {7}2 wait, the oldest is \d+ min late\n/);
  });

  test('attention list has it, with the command that resends its callbacks', async () => {
    const { stdout } = await run('attention', 'list', '--kind', 'endpoint');
    assert.match(
      stdout,
      /fails: there is no such page \(404\); 2 callbacks wait\..*\n {2}bin\/rubrica callback resend --endpoint 1\n/,
    );
  });

  test('callback endpoints prints it as text and as JSON', async () => {
    assert.match(
      (await run('callback', 'endpoints')).stdout,
      /Test shop \(ps_\w+\) +development +[\d: -]+ +2 +[\d: -]+ +https:\S+\/callback\n\nendpoint 1: there is no such page/,
    );
    const [endpoint] = JSON.parse((await run('callback', 'endpoints', '--json')).stdout).endpoints;
    assert.deepEqual(
      [endpoint.payment_service, endpoint.name, endpoint.address, endpoint.status, endpoint.waiting, endpoint.cause],
      [paymentService, 'Test shop', URL_CALLBACK, 404, 2, 'there is no such page (404)'],
    );
    assert.ok(endpoint.failing_since > 0 && endpoint.next_attempt_at > endpoint.failed_at);
  });

  test('callback list filters by merchant, endpoint, transaction, time and state, and prints the cause', async () => {
    const { callbacks } = await list();
    assert.deepEqual(
      callbacks.map(({ name, state, cause }) => [name, state, cause]),
      [1, 2].map(() => ['Test shop', 'queued', 'there is no such page (404)']),
    );
    const made = callbacks[0]?.created_at ?? 0;
    const counts: [words: string[], found: number][] = [
      [['--payment-service', paymentService], 2],
      [['--endpoint', `${URL_CALLBACK}?order=9`], 2],
      [['--endpoint', `${URL_CALLBACK}/other`], 0],
      [['--endpoint', '1'], 2],
      [['--endpoint', '99'], 0],
      [['--transaction', String(callbacks[0]?.transaction_id)], 1],
      [['--transaction', 'x'], 0],
      [['--state', 'queued'], 2],
      [['--state', 'dead'], 0],
      [['--since', new Date(made).toISOString()], 2],
      [['--since', new Date(made + 1).toISOString()], 0],
      [['--until', new Date(made).toISOString()], 0],
      [['--until', new Date(made + 1).toISOString(), '--state', 'queued', '--limit', '1'], 1],
      [['--since', '2020-01-01', '--until', '2020-01-01'], 0],
    ];
    for (const [words, found] of counts) assert.equal((await list(...words)).callbacks.length, found, words.join(' '));
  });

  test('resend makes waiting callbacks due now: one by its ID, all by the endpoint', async () => {
    const begun = Date.now();
    assert.deepEqual(JSON.parse((await run('callback', 'resend', '1', '--json')).stdout), { id: 1, state: 'queued' });
    const [other, first] = (await list()).callbacks;
    assert.ok((first?.next_attempt_at ?? 0) >= begun - 5_000 && (first?.next_attempt_at ?? 0) <= Date.now());
    assert.notEqual(other?.next_attempt_at, first?.next_attempt_at);
    const told = await run('callback', 'resend', '--endpoint', URL_CALLBACK, '--json');
    assert.deepEqual([told.stdout, told.stderr], ['{"resent":1}\n', '1 queued\n']);
    assert.match((await run('callback', 'resend', '99')).stderr, /^NOT_FOUND: There is no callback 99/);
    assert.match((await run('callback', 'endpoints')).stdout, /shop\.example\.cl/);
  });

  type Listed = {
    name: string;
    state: string;
    cause: string;
    created_at: number;
    transaction_id: number;
    next_attempt_at: number;
  };

  async function list(...words: string[]): Promise<{ callbacks: Listed[] }> {
    return JSON.parse((await run('callback', 'list', '--json', ...words)).stdout);
  }
});

suite('a callback whose shop answers what moves the cursor of a terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  after(() => rmSync(folder, { recursive: true }));
  const answer = 'no\r\nline\rstate        delivered\tnow \u202Egnp.exe\n\n';
  before(() => fillStore(folder, { status: 422, orders: ['ORD-1'], answer }));

  test('show keeps each line of the answer in its place', async () => {
    const { stdout } = await runIn(folder, ['callback', 'show', '1']);
    const said = '    no\n    line\n    state        delivered now \uFFFDgnp.exe\n';
    assert.equal(stdout.split(`, after 1 ms\n${said}`).length, 4, JSON.stringify(stdout));
    const { attempts } = JSON.parse((await runIn(folder, ['callback', 'show', '1', '--json'])).stdout);
    assert.equal(attempts[0].excerpt, answer);
  });
});

suite('a refused callback whose payer had seen the way back to the shop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  after(() => rmSync(folder, { recursive: true }));
  before(async () => {
    await fillStore(folder, { status: 422, orders: ['ORD-1'] });
    const db = openDatabase(`sqlite:${join(folder, 'rubrica.db')}`, {
      connections: 1,
      pooler: false,
      onFatal: () => {},
    });
    await db.transaction((tx) => tx.query(`update callbacks set returned_at = created_at, state = 'superseded'`));
    await db.close();
  });

  test('show does not claim that the payer went there', async () => {
    const { stdout } = await runIn(folder, ['callback', 'show', '1']);
    assert.match(stdout, /\nbrowser {6}had the same result to bring to the shop, [\d: -]+ -0[34]:00\n/);
    assert.match(stdout, /\nmeaning {6}the shop refused it, and probably has it from the browser: act only if /);
  });
});

suite('callbacks whose attempts are under way', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  after(() => rmSync(folder, { recursive: true }));
  before(() => fillStore(folder, { status: 404, orders: ['ORD-1', 'ORD-2'] }));

  test('list, show and endpoints say since when, and name no time of the next', async () => {
    const since = await holdAll(folder);
    const says = new RegExp(`under way since ${clockOf(since)}`);
    for (const words of [['list'], ['show', '1'], ['endpoints']]) {
      const { stdout } = await runIn(folder, ['callback', ...words]);
      assert.match(stdout, says, words.join(' '));
      assert.doesNotMatch(stdout, /\bnext\b/, words.join(' '));
    }
    const shown = JSON.parse((await runIn(folder, ['callback', 'show', '1', '--json'])).stdout);
    assert.deepEqual([shown.next_attempt_at, shown.under_way_since], [null, since]);
  });
});

suite('a callback that arrived at an endpoint that fails by now', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  after(() => rmSync(folder, { recursive: true }));
  before(() => fillStore(folder, { status: 404, first: 200, orders: ['ORD-1', 'ORD-2'] }));

  test('has no time since when it fails in callback list, as the one that waits has', async () => {
    const { stdout } = await runIn(folder, ['callback', 'list']);
    const time = '[\\d: -]+ -0[34]:00';
    assert.match(stdout, new RegExp(` delivered +1 +200 +${time} +— +https:`));
    assert.match(stdout, new RegExp(` queued +3 +404 +next ${time} +${time} +https:`));
  });
});

/**
 * Fills a store with orders whose callbacks were answered three times, an hour ago; `first`: the first status of all.
 * Returns the id of the payment service.
 */
async function fillStore(
  folder: string,
  {
    status,
    first = status,
    orders,
    answer = 'no such page',
  }: { status: number; first?: number; orders: string[]; answer?: string },
): Promise<string> {
  const firsts = [first];
  const url = `sqlite:${join(folder, 'rubrica.db')}`;
  const db = openDatabase(url, { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(db);
  const app = createTestApp(db, {
    // The commands use the clock of the machine.
    now: createTestClock(Date.now() - 3_600_000),
    fetch: async () => ({
      kind: 'answered',
      status: firsts.pop() ?? status,
      retryAfter: null,
      excerpt: answer,
      durationMs: 1,
    }),
  });
  const environment = await createTestEnvironment(app);
  for (const reference of orders) await createPaidTransaction(app, environment, { reference });
  for (const _ of [1, 2, 3]) {
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    app.now.advance(600_000);
  }
  await db.close();
  return environment.paymentServiceId;
}

/** Claims all waiting callbacks, as a worker whose attempts are under way does. Returns when. */
async function holdAll(folder: string): Promise<number> {
  const db = openDatabase(`sqlite:${join(folder, 'rubrica.db')}`, { connections: 1, pooler: false, onFatal: () => {} });
  const now = Date.now();
  const claim = { lease: 'held', now, until: now + CALLBACK_LEASE_MS, perEndpoint: 9, limit: 9 };
  const claimed = await db.transaction((tx) =>
    claimCallbacks(tx, { ...claim, excluded: { endpoints: [], environments: [], hosts: [] } }),
  );
  await db.close();
  assert.equal(claimed.length, 2);
  return now;
}

function runIn(folder: string, words: readonly string[]): Promise<Ended> {
  const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: '', PORT: '0', MASTER_KEY: '5a'.repeat(32) };
  return runCommand(words, { env });
}
