import pino from 'pino';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Database, StorageError } from '../../src/db/database.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { FetchRequest } from '../../src/lib/network/safe-fetch.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { createMetrics } from '../../src/metrics.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';

/** A clock that stands still until a test advances it. */
export type TestClock = Clock & { advance(milliseconds: number): void };

export type TestApp = App & {
  readonly now: TestClock;
  /** The requests to `fetch`, in order; empty if a test brings its own `fetch`. */
  readonly sent: FetchRequest[];
  /** Does what the process does when it begins to stop. */
  stop(): void;
};

/**
 * Creates a deterministic app on a test's database: the test controls the clock, `random` is seeded, and `fetch` sends
 * nothing and returns 200. `parts` replaces members.
 */
export function createTestApp(db: Database, parts: Partial<App> & { now?: TestClock } = {}): TestApp {
  const stopping = new AbortController();
  const sent: FetchRequest[] = [];
  const now = parts.now ?? createTestClock();
  const fetch: App['fetch'] = async (request) => {
    sent.push(request);
    return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
  };
  return {
    config: readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent' }),
    db,
    log: pino({ level: 'silent' }),
    metrics: createMetrics(),
    outage: { covers: (error) => error instanceof StorageError, answered: () => {} },
    random: createSeededRandom(1),
    fetch,
    mailer: null,
    paymentMethods: [simulatedMethod],
    validationProvider: null,
    openPayoutSender: payoutSenders(parts.fetch ?? fetch, now),
    stopping: stopping.signal,
    sent,
    stop: () => stopping.abort(),
    ...parts,
    now,
  };
}

/** Starts at a fixed moment, so that signatures and timestamps in tests can be literals. */
export function createTestClock(start = Date.UTC(2026, 0, 15, 12)): TestClock {
  let time = start;
  const anchor = (utcMs: number) => {
    time = Math.max(time, utcMs);
  };
  const advance = (milliseconds: number) => {
    time += milliseconds;
  };
  return Object.assign(() => time, { anchor, advance });
}

/** Returns a log that records the names of its alarms, in order. */
export function listenForAlarms(): { log: App['log']; alarms: string[] } {
  const alarms: string[] = [];
  const write = (line: string) => {
    const { alarm } = JSON.parse(line) as { alarm?: string };
    if (alarm !== undefined) alarms.push(alarm);
  };
  return { log: pino({ base: null }, { write }), alarms };
}
