/** The orders for the load generator, as JSON in its first argument. */
export type LoadPlan = {
  /** On 127.0.0.1. */
  port: number;
  connections: number;
  warmUpMs: number;
  measureMs: number;
  /** How many different requests are built before the clock starts. */
  prepared: number;
  /** Begin anew when the prepared ones are used up; without it the run ends there. For servers that keep nothing. */
  repeat: boolean;
  request: CreateRequest | ValidationRequest;
};

/** `POST /trxs`. `random` references touch the index of references everywhere, `sequential` ones at its end. */
export type CreateRequest = {
  kind: 'create';
  serviceToken: string;
  secretToken: string;
  references: 'sequential' | 'random';
};

/** `POST /validations/BankAccount`. */
export type ValidationRequest = { kind: 'validation'; accessToken: string };

/** The findings of the load generator, as one line of JSON. Times in milliseconds. */
export type LoadResult = {
  /** Answers a second, of any status. */
  rate: number;
  answers: number;
  /** Answers with another status than 200: one is enough to make a figure worthless. */
  refused: number;
  /** The first of them, or null. */
  refusal: string | null;
  p50: number;
  p99: number;
  p999: number;
  slowest: number;
};
