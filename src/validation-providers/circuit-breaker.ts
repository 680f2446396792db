export type CircuitBreaker = {
  /**
   * Returns whether a call may be made now. After repeated failures, one call per `pauseMs` may test whether the server
   * is back.
   */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
};

/** Stops calls to a server that keeps failing: callers fail at once, and the server can recover. */
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
