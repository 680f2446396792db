import type { Gauge } from 'prom-client';
import { StorageError } from './database.ts';

/** Reports the begin and the end of a database outage. */
export type OutageReport = {
  begun(cause: unknown): void;
  /** `ms`: the duration; `failures`: how many requests and background steps failed. */
  ended(outage: { ms: number; failures: number }): void;
};

export type Outage = {
  /**
   * Returns whether an error means that the database does not respond. The first error of an outage is reported, later
   * ones are counted.
   */
  covers: (error: unknown) => boolean;
  /**
   * Records a response of the database. An outage ends after two seconds without a failure, because the database may
   * respond in between.
   */
  answered: () => void;
};

const QUIET_MS = 2_000;

/** Reports one alarm and one end for an outage, however many requests and background loops it hits. */
export function createOutage(now: () => number, gauge: Pick<Gauge, 'set'>, report: OutageReport): Outage {
  let outage: { since: number; lastAt: number; failures: number } | null = null;
  const covers = (error: unknown): boolean => {
    // A full disk has its own alarm. A database that refuses a moved payment service is responding.
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
