import pino from 'pino';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Database, StorageError } from '../../src/db/database.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { FetchRequest } from '../../src/lib/safe-fetch.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { createMetrics } from '../../src/metrics.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';

/** Time stands still until a test moves it. */
export type TestClock = Clock & { advance(milliseconds: number): void };

export type TestApp = App & {
  readonly now: TestClock;
  /** What `fetch` was asked for, in order; empty where a test brings its own `fetch`. */
  readonly sent: FetchRequest[];
  /** What the process does when it begins to stop. */
  stop(): void;
};

/**
 * An app on a test's database, in which nothing is left to chance: the clock is the test's, `random` is seeded, and
 * `fetch` reaches nobody and answers 200. `parts` replaces what a test needs otherwise.
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

/** Starts at a fixed moment, so that a signature or a timestamp in a test can be a literal. */
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

/** A log that keeps the names of the alarms that it was told, in order. */
export function listenForAlarms(): { log: App['log']; alarms: string[] } {
  const alarms: string[] = [];
  const write = (line: string) => {
    const { alarm } = JSON.parse(line) as { alarm?: string };
    if (alarm !== undefined) alarms.push(alarm);
  };
  return { log: pino({ base: null }, { write }), alarms };
}
