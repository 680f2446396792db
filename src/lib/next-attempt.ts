/**
 * Something that is attempted under a lease. During an attempt `next_attempt_at` is the end of the lease.
 * `leased_until`: the same; null: nobody has claimed it. Times are UTC milliseconds.
 */
export type Leased = { next_attempt_at: number | null; leased_until: number | null };

/** When it is attempted next, or since when an attempt is under way. At most one is not null. */
export type NextAttempt = { next_attempt_at: number | null; under_way_since: number | null };

/**
 * Returns the next attempt. `leaseMs`: how long a lease lasts. A lease that is over is the time of the next attempt.
 */
export function nextAttempt({ next_attempt_at, leased_until }: Leased, now: number, leaseMs: number): NextAttempt {
  if (leased_until === null || leased_until <= now) return { next_attempt_at, under_way_since: null };
  return { next_attempt_at: null, under_way_since: leased_until - leaseMs };
}
