import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { CHAOS_CLASSES, type ChaosClassName } from '../../src/chaos/chaos-class.ts';
import { ordersOf } from '../../src/chaos/chaos-order.ts';
import { type ChaosPlan, type ChaosReport, runChaos } from '../../src/chaos/run-chaos.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
import { findEnvironmentAsEver, findEnvironmentById } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { startChaosShop } from './chaos-shop.ts';

/** The classes whose faults show only in the orders: no answer says whether an order was carried out once. */
const SEEN_IN_ORDERS_ALONE: readonly ChaosClassName[] = [
  'duplicates',
  'reordering',
  'two_at_once',
  'error_after_doing',
];
const SEED = 7;
const ORDERS = ordersOf(SEED, CHAOS_CLASSES.length + 1);

forEachEngine('chaos run', (openTestDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-chaos-'));
  after(() => rmSync(folder, { recursive: true }));

  async function open(t: TestContext) {
    const db = await openTestDatabase();
    const { fetch, close } = createSafeFetch();
    t.after(close);
    const now = Object.assign(systemClock(), { advance: () => {} });
    const app = createTestApp(db, { fetch, now });
    const { id, paymentServiceId } = await createTestEnvironment(app);
    await rotateSecretToken(app, paymentServiceId, 'development', 0, TESTER);
    const environment = (await findEnvironmentById(app, id)) as ServiceEnvironment;
    const ever = (await findEnvironmentAsEver(app, id)) as ServiceEnvironment;
    const [secret] = environment.secrets.map(({ text }) => text);
    const oldSecret = ever.secrets.map(({ text }) => text).find((text) => text !== secret);
    const tokens = { account: environment.serviceToken, secret: secret ?? '', oldSecret: oldSecret ?? '' };
    const shopWith = async (fault?: ChaosClassName | 'none', answer?: number) => {
      const shop = await startChaosShop(tokens, ORDERS, fault, answer);
      t.after(() => shop.close());
      return shop;
    };
    const tried = async (plan: Pick<ChaosPlan, 'receiver' | 'orderUrl'> & Partial<ChaosPlan>) => {
      const whole = {
        environment,
        orders: ORDERS,
        classes: CHAOS_CLASSES,
        seed: SEED,
        live: false,
        patienceMs: 300,
        ...plan,
      };
      return runChaos(app, whole, TESTER);
    };
    const reported = async (plan: Parameters<typeof tried>[0]): Promise<ChaosReport> => {
      const ran = await tried(plan);
      if (ran.kind === 'not_ready') throw new Error(ran.why);
      return ran.report;
    };
    return { db, app, environment, shopWith, tried, reported };
  }

  test('a correct receiver passes all twelve classes, judged by its orders', async (t) => {
    const { db, shopWith, reported } = await open(t);
    const report = await reported(await shopWith());
    assert.deepEqual(
      report.classes.filter(({ verdict }) => verdict !== 'passed'),
      [],
    );
    assert.equal(report.classes.length, 12);
    assert.equal(report.passed, true);
    const [act] = await db.query("select said_after from audit_log where action = 'chaos.run'");
    assert.equal(act?.['said_after'], '{"seed":7}');
  });

  test('finds the one fault of each receiver and gives its fix', async (t) => {
    const { shopWith, reported } = await open(t);
    for (const [at, one] of CHAOS_CLASSES.entries()) {
      const shop = await shopWith(one.name);
      const orders = [ORDERS[0], ORDERS[at + 1]] as typeof ORDERS;
      const { classes } = await reported({ ...shop, classes: [one], orders });
      assert.deepEqual(
        classes.map(({ class: name, verdict, fix }) => [name, verdict, fix]),
        [[one.name, 'failed', one.fix]],
      );
    }
  });

  test('sends the same callbacks for a seed, even if other classes are left out', async (t) => {
    const { shopWith, reported } = await open(t);
    const two = CHAOS_CLASSES.filter(({ name }) => name === 'duplicates' || name === 'two_at_once');
    const sent = async (classes: typeof CHAOS_CLASSES) => {
      const report = await reported({ ...(await shopWith()), orderUrl: null, classes, seed: 11 });
      return report.classes.find(({ class: name }) => name === 'two_at_once')?.answers.length;
    };
    assert.equal(await sent(two), await sent(two.slice(1)));
  });

  test('judges by the answers if the shop shows no orders, and marks what they cannot decide as unclear', async (t) => {
    const { shopWith, reported } = await open(t);
    const report = await reported({ ...(await shopWith()), orderUrl: null });
    for (const { class: name, verdict } of report.classes)
      assert.equal(verdict, SEEN_IN_ORDERS_ALONE.includes(name) ? 'unclear' : 'passed', name);
    assert.equal(report.passed, true);
    for (const one of CHAOS_CLASSES.filter(({ name }) => !SEEN_IN_ORDERS_ALONE.includes(name))) {
      const { classes } = await reported({ ...(await shopWith(one.name)), orderUrl: null, classes: [one] });
      assert.equal(classes[0]?.verdict, 'failed', one.name);
    }
  });

  test('is not ready for a shop that refuses an ordinary callback or does not act on it', async (t) => {
    const { shopWith, tried } = await open(t);
    const shop = await shopWith();
    const strangers = ordersOf(8, CHAOS_CLASSES.length + 1);
    const refused = await tried({ ...shop, orders: strangers });
    assert.match(refused.kind === 'not_ready' ? refused.why : '', /answered 404 to an ordinary callback/);
    const broken = await tried(await shopWith('none', 503));
    assert.match(broken.kind === 'not_ready' ? broken.why : '', /answered 503/);
    await tried(shop);
    const again = await tried(shop);
    assert.match(again.kind === 'not_ready' ? again.why : '', /the order is still paid/);
    const mute = await tried({ ...(await shopWith()), orderUrl: `${shop.url}/callback/{reference}` });
    assert.match(mute.kind === 'not_ready' ? mute.why : '', /still unknown to the shop/);
  });

  test('is a command with text, JSON and a report, fails with status 1, and is refused in production', async (t) => {
    const { db, shopWith } = await open(t);
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
    const chaos = (words: string[], more: Record<string, string> = {}) =>
      runCommand(['chaos', ...words], { env: { ...env, ...more } });
    const seeded = await chaos(['orders', '--seed', String(SEED)]);
    assert.deepEqual(JSON.parse(seeded.stdout), ORDERS);
    const shop = await shopWith('wrong_amount');
    const aimed = ['run', '--receiver', shop.receiver, '--order-url', shop.orderUrl];
    const page = join(folder, 'chaos.md');
    const few = ['--only', 'wrong_amount', 'delay', '--seed', String(SEED)];
    const failed = await chaos([...aimed, ...few, '--json', '--report', page]);
    assert.equal(failed.status, 1, failed.stderr);
    const { classes, seed } = JSON.parse(failed.stdout) as ChaosReport;
    assert.deepEqual(
      [seed, ...classes.map(({ class: name, verdict }) => `${name} ${verdict}`)],
      [SEED, 'delay passed', 'wrong_amount failed'],
    );
    assert.match(readFileSync(page, 'utf8'), /^# Chaos run: failed\n[^]*\| `wrong_amount` \|[^]*## wrong_amount/);
    const orders = join(folder, 'orders.json');
    writeFileSync(orders, JSON.stringify(ORDERS.slice(-2)));
    const passed = await chaos([...aimed, '--only', 'wrong_currency', '--orders', orders]);
    assert.match(passed.stdout, /^passed {3}wrong_currency: [^]*1 passed, 0 failed, 0 unclear/);
    assert.equal(passed.status, 0);
    for (const [words, says] of [
      [['run', '--receiver', 'http://127.0.0.1:8080/callback'], /INVALID_OPTION: --receiver: .*leads back/],
      [[...aimed, '--report', join(folder, 'none', 'chaos.md')], /ENOENT: .*none/],
      [[...aimed, '--orders', page], /FILE_UNUSABLE: .* at least 13 open orders/],
    ] as const) {
      const { stderr, status } = await chaos([...words]);
      assert.match(stderr, says);
      assert.notEqual(status, 0);
    }
    const live = await chaos(aimed, { RUBRICA_ENV: 'production', PUBLIC_URL: 'https://pay.example.cl' });
    assert.match(live.stderr, /DEVELOPMENT_ONLY/);
  });
});
