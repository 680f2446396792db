/**
 * Makes the members of an error for a log line: its name, code, message and stack, and the same of its cause. No other member,
 * for drivers add some that hold values: PostgreSQL's `detail` tells the whole row that was refused.
 */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name,
    code,
    message,
    stack,
    ...(cause !== undefined && { cause: errorForLog(cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(errorForLog) }),
  };
}
