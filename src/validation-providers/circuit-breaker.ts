export type CircuitBreaker = {
  /** Whether a call may be made now. After a pause one call at a time may, to see whether the other side is back. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
};

/** Stops calling a server that keeps failing: our callers get their answer at once, and it gets room to recover. */
export function createCircuitBreaker(options: {
  failures: number;
  pauseMs: number;
  now: () => number;
}): CircuitBreaker {
  let failuresInARow = 0;
  let nextTrialAt = 0;
  return {
    allows: () => {
      if (failuresInARow < options.failures) return true;
      if (options.now() < nextTrialAt) return false;
      nextTrialAt = options.now() + options.pauseMs;
      return true;
    },
    succeeded: () => {
      failuresInARow = 0;
    },
    failed: () => {
      failuresInARow++;
      if (failuresInARow >= options.failures) nextTrialAt = options.now() + options.pauseMs;
    },
  };
}
