/**
 * Returns the name, code, message and stack of an error and of its cause, for a log line. Other members are left out
 * because some hold values: PostgreSQL's `detail` holds the whole refused row.
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
