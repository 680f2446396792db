import type { Gauge } from 'prom-client';
import { StorageError } from './database.ts';

/** Reports that a database stops answering, and that it answers again. */
export type OutageReport = {
  begun(cause: unknown): void;
  /** `ms`: how long it took; `failures`: how many requests and steps of the background came to nothing. */
  ended(outage: { ms: number; failures: number }): void;
};

export type Outage = {
  /** Whether an error says that the database does not answer. The first of an outage is reported, the others are counted. */
  covers: (error: unknown) => boolean;
  /** The database has answered. It does so in between too, so an outage ends when nothing has failed for two seconds. */
  answered: () => void;
};

const QUIET_MS = 2_000;

/** One alarm and one end for an outage, however many requests and loops of the background run into it. */
export function createOutage(now: () => number, gauge: Pick<Gauge, 'set'>, report: OutageReport): Outage {
  let outage: { since: number; lastAt: number; failures: number } | null = null;
  const covers = (error: unknown): boolean => {
    // A full disk has an alarm of its own, and a database that refuses what has moved away answers well.
    if (!(error instanceof StorageError) || ['STORAGE_FULL', 'PAYMENT_SERVICE_MOVING'].includes(error.code))
      return false;
    const begins = outage === null;
    outage ??= { since: now(), lastAt: 0, failures: 0 };
    outage.failures++;
    outage.lastAt = now();
    if (begins) {
      gauge.set(1);
      report.begun(error.cause);
    }
    return true;
  };
  const answered = () => {
    if (outage === null || now() - outage.lastAt < QUIET_MS) return;
    const { since, failures } = outage;
    outage = null;
    gauge.set(0);
    report.ended({ ms: now() - since, failures });
  };
  return { covers, answered };
}
