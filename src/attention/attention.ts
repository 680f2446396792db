import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';

/** The name of a kind in the list, in the metrics and in `doctor`. */
export type AttentionName =
  | 'payment'
  | 'refund'
  | 'refund_request'
  | 'suspense'
  | 'callback'
  | 'endpoint'
  | 'key'
  | 'mail'
  | 'move'
  | 'restore'
  | 'payout'
  | 'approval'
  | 'statement'
  | 'backup'
  | 'books'
  | 'settlement';

/** An item that waits longer than usual, or that contradicts known facts. A person ends it with `command`. */
export type Waiting = {
  /** The id of the payment attempt, the refund, the callback …, as `command` takes it. */
  id: string;
  /** The id of the payment service, its name, and its environment. */
  payment_service: string;
  name: string;
  environment: string;
  transaction: number | null;
  /** Of a callback. */
  endpoint?: number;
  /** UTC milliseconds. */
  since: number;
  /** In minor units of `currency`; both null if no money waits. */
  amount: number | null;
  currency: string | null;
  /** Why it needs a person, in one sentence. */
  reason: InBoth;
  /** The command that ends it. Words in capitals stand for what the person knows. */
  command: string;
};

/**
 * A line of `attention list` in one language. `age` is in milliseconds. `taken_by`: the person who looks after it, with
 * the time in UTC milliseconds; null: nobody.
 */
export type AttentionRow = {
  taken_by: string | null;
  taken_at: number | null;
  kind: AttentionName;
  age: number;
  reason: string;
} & Omit<Waiting, 'reason'>;

/** How many items of a kind wait, and since when the oldest does, in UTC milliseconds. */
export type AttentionMeasure = { count: number; oldest: number | null };

/**
 * A kind of item that can wait. `measure` and `list` must use an index, because every scrape of the metrics measures.
 */
export type AttentionKind = {
  readonly kind: AttentionName;
  /** Its name for counting: `2 payments`. */
  readonly nouns: readonly [one: string, many: string];
  measure(app: App): Promise<AttentionMeasure>;
  /** Lists at most `limit` items, the oldest first. */
  list(app: App, limit: number): Promise<Waiting[]>;
};
