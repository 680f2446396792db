import type { App } from '../../../src/app.ts';
import type { Database } from '../../../src/db/database.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { type CourierOptions, createCourier } from './courier.ts';
import type { Engine } from './engine.ts';
import { createFencedDatabase, type FencedOptions } from './fenced-database.ts';
import { createLife, type Life } from './life.ts';

export type WorkerOptions = FencedOptions & CourierOptions & { engine: Engine; base: App; store: Database };

/** A life and the app that runs in it. */
export type Process = { life: Life; app: App };

export type Workers = {
  /** The processes that run now. */
  running(): readonly Process[];
  /** All lives so far. */
  lives: readonly Life[];
  /** Wakes idle workers soon, because something is due; the real worker polls four times per second. */
  poke(): void;
};

/** Starts the workers. A worker that dies restarts after 1 to 31 seconds. */
export function startWorkers(options: WorkerOptions): Workers {
  const { world, plan } = options;
  const running: Process[] = [];
  const lives: Life[] = [];
  const idle = new Set<() => void>();

  function begin(number: number, count: number): void {
    const half = Math.floor(plan().skew / 2);
    const life = createLife(world, `w${number}.${count}`, world.between(-half, half), () => {
      running.splice(running.indexOf(process), 1);
      world.after(world.between(1_000, 31_000), () => begin(number, count + 1));
    });
    const process = { life, app: createApp(options, life) };
    running.push(process);
    lives.push(life);
    world.note(`${life.name} starts`);
    void work(options, process, idle);
  }

  for (let number = 1; number <= plan().workers; number++) begin(number, 1);
  return {
    running: () => running,
    lives,
    poke: () => {
      for (const wake of idle) world.after(world.between(0, 250), wake);
      idle.clear();
    },
  };
}

/** Creates the app of one life. Lives share only the database. */
function createApp(options: WorkerOptions, life: Life): App {
  const { world, base } = options;
  const now = () => world.now() + life.skew;
  return {
    ...base,
    db: createFencedDatabase(options, life),
    now: Object.assign(now, { anchor: () => {} }) satisfies Clock,
    random: () => world.random(),
    fetch: createCourier(options, life),
  };
}

/** Does what `startWorker` does in a process, with simulated time instead of timers. */
async function work(options: WorkerOptions, { life, app }: Process, idle: Set<() => void>): Promise<void> {
  const { world, plan, engine } = options;
  const pause = createPause(options, life, idle);
  const delivery = engine.createCallbackDelivery(app, pause.wake);

  for (;;) {
    if (world.chance(plan().crashAtPoll)) return life.crash('at a poll');
    if (world.chance(plan().pause)) life.pause(world.between(1_000, 120_000));
    if (world.chance(plan().pause)) life.partition(world.between(1_000, 20_000));
    if (world.chance(plan().restart)) return drain(options, life, delivery);
    pause.begin();
    const claimed = await delivery.poll().catch(() => 0);
    const expired = await engine.expireTransactions(app, 100).catch(() => 0);
    if (claimed > 0) world.note(`${life.name} claims ${claimed}`);
    if (claimed + expired === 0) await pause.take(await untilDue(options));
  }
}

/** The pause between two polls. `wake` ends it, or skips the next one if none has begun. */
function createPause({ world }: WorkerOptions, life: Life, idle: Set<() => void>) {
  let woken = false;
  let end = () => {};
  const wake = () => {
    woken = true;
    end();
  };
  const take = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      if (woken) return resolve();
      let asleep = true;
      const endThis = () => {
        idle.delete(endThis);
        if (asleep) life.arrive(resolve);
        asleep = false;
      };
      end = endThis;
      idle.add(endThis);
      world.after(milliseconds, endThis);
    });
  const begin = () => {
    woken = false;
  };
  return { wake, take, begin };
}

/** Drains on SIGTERM: work in progress is finished, for at most eight seconds. */
async function drain(
  options: WorkerOptions,
  life: Life,
  delivery: ReturnType<Engine['createCallbackDelivery']>,
): Promise<void> {
  life.trouble('drain');
  options.world.note(`${life.name} drains`);
  await Promise.race([delivery.drain().catch(() => {}), options.world.sleep(8_000)]);
  life.crash('after draining');
}

/**
 * Returns how long polls would find nothing. The real worker polls every 250 ms; time jumps over the polls without
 * work.
 */
async function untilDue({ world, store }: WorkerOptions): Promise<number> {
  const [row] = await store.query<{ due: number | null; expiry: number | null }>(
    `select (select min(next_attempt_at) from callbacks where state = 'queued') as due,
       (select min(expires_at) from transactions where state = 'pending') as expiry`,
  );
  const next = Math.min(row?.due ?? Number.POSITIVE_INFINITY, row?.expiry ?? Number.POSITIVE_INFINITY);
  // Due but not available: it is being delivered, or waits behind others of its endpoint.
  if (next <= world.now()) return world.between(250, 4_000);
  return Math.min(next - world.now(), 3_600_000) + world.between(0, 250);
}
