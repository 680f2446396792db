import type { App } from '../../../src/app.ts';
import type { Database, SqlRow } from '../../../src/db/database.ts';
import { openDatabase } from '../../../src/db/open-database.ts';
import { importPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../../src/payment-services/payment-service.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import type { PlantName } from '../plants.ts';
import { type CallbackRow, checkEvidence, type TransactionRow } from './checks.ts';
import type { Attempt } from './courier.ts';
import { type Engine, loadEngine } from './engine.ts';
import { burstPlan, drawFaultPlan, type FaultPlan } from './fault-plan.ts';
import { makeSchema } from './make-schema.ts';
import { createMerchant, type Merchant, TEMPERS } from './merchant.ts';
import { type Order, placeOrder } from './shop.ts';
import { startWorkers, type Workers } from './worker.ts';
import { createWorld, type World } from './world.ts';

export type SeedOptions = {
  plant: PlantName | 'outbox outside the transaction' | null;
  /** `burst`: no fault except a merchant that hangs, with this many callbacks waiting for it. */
  burst?: number;
};

export type SeedReport = {
  seed: number;
  violations: readonly string[];
  /** SHA-256 of the trace. */
  hash: string;
  lines: readonly string[];
  counts: { orders: number; attempts: number; mishaps: number; events: number };
  /** Milliseconds until the first attempt for merchants that respond, sorted. */
  firstAttemptMs: readonly number[];
};

const START = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const QUIET: FaultPlan = { ...burstPlan(0) };

/**
 * Simulates one working day: an hour with the seed's faults, and eight without, in which everything owed must be
 * delivered.
 */
export async function runSeed(seed: number, options: SeedOptions): Promise<SeedReport> {
  const simulation = await openSimulation(seed, options);
  const { world, store, attempts, merchants, orders, workers } = simulation;
  await world.runUntil(START + HOUR);
  simulation.endFaults();
  world.note('no more faults');
  for (const merchant of merchants) merchant.recover();
  await resendClosed(simulation);
  await world.runUntil(START + 9 * HOUR);
  const callbacks = await store.query<CallbackRow>('select * from callbacks order by id');
  const violations = checkEvidence({
    orders,
    merchants,
    attempts,
    lives: workers.lives,
    resends: simulation.resends,
    transactions: await store.query<TransactionRow>(
      `select t.*, (select count(*) from events e where e.transaction_id = t.id) as events from transactions t order by t.id`,
    ),
    callbacks,
    quietFrom: START + HOUR,
    reopened: await store.query<SqlRow>('select * from reopened'),
  });
  await store.close();
  const trace = world.trace();
  return {
    seed,
    violations,
    hash: trace.hash,
    lines: trace.last,
    counts: {
      orders: orders.length,
      attempts: attempts.length,
      mishaps: workers.lives.reduce((sum, life) => sum + life.troubles.length, 0),
      events: trace.lines,
    },
    firstAttemptMs: firstAttempts(attempts, callbacks),
  };
}

type Simulation = {
  world: World;
  store: Database;
  engine: Engine;
  base: App;
  merchants: Merchant[];
  orders: Order[];
  attempts: Attempt[];
  resends: { id: string; at: number }[];
  workers: Workers;
  endFaults(): void;
};

async function openSimulation(seed: number, { plant, burst }: SeedOptions): Promise<Simulation> {
  const world = createWorld(seed, START);
  const engine = await loadEngine(plant === 'outbox outside the transaction' ? null : plant);
  const store = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
  const base = await prepareStore(store, world);
  let plan = burst === undefined ? drawFaultPlan(world) : burstPlan(burst);
  const merchants = drawMerchants(world, plan.burst > 0);
  const attempts: Attempt[] = [];
  const workers = startWorkers({
    world,
    store,
    base,
    engine,
    plan: () => plan,
    outboxApart: plant === 'outbox outside the transaction',
    merchantOf: (url) => merchants.find((merchant) => url.startsWith(merchant.url)) as Merchant,
    observe: (attempt) => {
      attempts.push(attempt);
      void lookAtRow(store, attempt);
    },
  });
  const simulation = { world, store, engine, base, merchants, orders: [], attempts, resends: [], workers };
  const environment = (await loadEnvironment(base, SERVICE.service_token)) as ServiceEnvironment;
  planOrders(simulation, environment, plan);
  for (let outage = 0; outage < plan.outages; outage++)
    world.after(world.between(0, HOUR), () => loseDatabase(world, workers));
  return {
    ...simulation,
    endFaults: () => {
      plan = { ...QUIET, workers: plan.workers };
    },
  };
}

// Fixed, so that every signature of a seed is the same in every run.
const SERVICE = { service_token: 'a'.repeat(64), secret_token: 'b'.repeat(64) };

let shared: App | undefined;

async function prepareStore(store: Database, world: World): Promise<App> {
  await makeSchema(store);
  await store.transaction(async (tx) => {
    await tx.query('create table reopened (webhook_id text, before text, after text)');
    // A resend starts again without attempts. A 410 to another callback does not undo that the shop took this one.
    await tx.query(
      `create trigger callbacks_stay_closed after update on callbacks
       when old.state <> 'queued' and new.state <> old.state and not (new.state = 'queued' and new.attempts = 0)
         and not (old.state = 'disabled' and new.state in ('delivered', 'redirected'))
       begin insert into reopened values (old.webhook_id, old.state, new.state); end`,
    );
  });
  // The metrics register themselves once per process, so all simulated processes share them.
  shared ??= createTestApp(store);
  const base = {
    ...shared,
    db: store,
    now: Object.assign(() => world.now(), { anchor: () => {} }),
    config: { ...shared.config, transactionMinutes: 20 },
  };
  await importPaymentService(base, 'Simulated', 'development', SERVICE, TESTER);
  return base;
}

/** Returns two healthy merchants and others by the seed. A burst goes to the last one. */
function drawMerchants(world: World, withBurst: boolean): Merchant[] {
  const merchants = Array.from({ length: world.between(3, 8) }, (_, number) =>
    createMerchant(world, number, number < 2 ? 'well' : world.pick(TEMPERS)),
  );
  if (withBurst) merchants.push(createMerchant(world, merchants.length, world.pick(['hanging', 'gone'])));
  return merchants;
}

function planOrders(simulation: Omit<Simulation, 'endFaults'>, environment: ServiceEnvironment, plan: FaultPlan): void {
  const { world, merchants, orders, workers, engine } = simulation;
  const place = (merchant: Merchant, after: number) => {
    const fate = world.pick(['approve', 'approve', 'approve', 'fail', 'cancel', 'expire'] as const);
    const order: Order = { reference: `o${orders.length}`, merchant, fate, id: null, complaint: null };
    orders.push(order);
    world.after(after, () => void placeOrder({ world, engine, environment, workers }, order));
  };
  for (let count = world.between(10, 60); count > 0; count--)
    place(world.pick(merchants), world.between(0, 0.8 * HOUR));
  const moment = world.between(0, 0.5 * HOUR);
  for (let count = plan.burst; count > 0; count--) place(merchants.at(-1) as Merchant, moment);
}

function loseDatabase(world: World, workers: Workers): void {
  const milliseconds = world.between(1_000, 20_000);
  for (const { life } of workers.running()) life.partition(milliseconds);
}

async function lookAtRow(store: Database, attempt: Attempt): Promise<void> {
  const [row] = await store.query<SqlRow>('select state, attempts from callbacks where webhook_id = $1', [attempt.id]);
  if (row !== undefined) attempt.row = { state: String(row.state), attempts: Number(row.attempts) };
}

/** Resends everything that was given up, as an operator does after a bad hour. */
async function resendClosed({ world, store, engine, base, resends, workers }: Simulation): Promise<void> {
  const closed = await store.query<{ id: number; webhook_id: string }>(
    `select id, webhook_id from callbacks where state in ('dead', 'disabled') order by id`,
  );
  for (const { id, webhook_id: webhookId } of closed) {
    await engine.resendCallback(base, id, TESTER);
    resends.push({ id: webhookId, at: world.now() });
  }
  world.after(0, () => workers.poke());
}

function firstAttempts(attempts: readonly Attempt[], callbacks: readonly CallbackRow[]): number[] {
  const first = new Map<string, number>();
  for (const { id, startedAt, merchant } of attempts) {
    if (merchant.temper !== 'hanging' && !first.has(id)) first.set(id, startedAt);
  }
  return callbacks
    .flatMap(({ webhook_id: id, created_at: created }) => (first.has(id) ? [(first.get(id) as number) - created] : []))
    .sort((one, other) => one - other);
}
