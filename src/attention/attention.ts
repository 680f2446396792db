import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';

/** The name of a kind, in the list, in the metrics and in `doctor`. */
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

/** Something that waits for longer than usual, or that contradicts what is known. A person ends it with `command`. */
export type Waiting = {
  /** Of the payment attempt, the refund, the callback …, as `command` takes it. */
  id: string;
  /** The id of the payment service, its name, and its environment. */
  payment_service: string;
  name: string;
  environment: string;
  transaction: number | null;
  /** UTC milliseconds. */
  since: number;
  /** In minor units of `currency`; both null where no money waits. */
  amount: number | null;
  currency: string | null;
  /** Why it needs a person, in a sentence. */
  reason: InBoth;
  /** The command that ends it, with words in capitals for what the person knows. */
  command: string;
};

/** One line of `attention list`, in one language. `age` is in milliseconds. `taken_by`: who looks after it, and since when in UTC milliseconds; null: nobody. */
export type AttentionRow = {
  taken_by: string | null;
  taken_at: number | null;
  kind: AttentionName;
  age: number;
  reason: string;
} & Omit<Waiting, 'reason'>;

/** How much of a kind waits, and since when the oldest does, in UTC milliseconds. */
export type AttentionMeasure = { count: number; oldest: number | null };

/** A kind of what can wait. Both ask the store by an index, because every scrape of the metrics measures. */
export type AttentionKind = {
  readonly kind: AttentionName;
  /** The name of what waits, as a person counts it: `2 payments`. */
  readonly nouns: readonly [one: string, many: string];
  measure(app: App): Promise<AttentionMeasure>;
  /** The oldest first, at most `limit`. */
  list(app: App, limit: number): Promise<Waiting[]>;
};
