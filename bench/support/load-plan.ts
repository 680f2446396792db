/** The instructions for the load generator, as JSON in its first argument. */
export type LoadPlan = {
  /** On 127.0.0.1. */
  port: number;
  connections: number;
  warmUpMs: number;
  measureMs: number;
  /** How many different requests are built before the clock starts. */
  prepared: number;
  /**
   * Starts again when the prepared requests are used up; without it the run ends there. For servers that store nothing.
   */
  repeat: boolean;
  request: CreateRequest | ValidationRequest;
};

/** `POST /trxs`. `random` references touch the whole index of references, `sequential` ones only its end. */
export type CreateRequest = {
  kind: 'create';
  serviceToken: string;
  secretToken: string;
  references: 'sequential' | 'random';
};

/** `POST /validations/BankAccount`. */
export type ValidationRequest = { kind: 'validation'; accessToken: string };

/** The result of the load generator, as one line of JSON. Times in milliseconds. */
export type LoadResult = {
  /** Responses per second, of any status. */
  rate: number;
  answers: number;
  /** Responses with another status than 200: one is enough to invalidate a figure. */
  refused: number;
  /** The first refused response, or null. */
  refusal: string | null;
  p50: number;
  p99: number;
  p999: number;
  slowest: number;
};
