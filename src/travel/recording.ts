import { parseObject } from '../lib/parse-object.ts';

/**
 * A run of a development service: the requests, in order, and their outcome. `at` is in milliseconds since the start of
 * the run.
 */
export type Recording = { lastsMs: number; entries: readonly Entry[] };

export type Entry = RequestEntry | PaymentEntry | CancelEntry | RefundEntry | EventEntry;

/**
 * `transaction` is a name such as `t1`, because ids differ between stores. `fields` describe the payment, as in `POST
 * /trxs`.
 */
export type RequestEntry = {
  kind: 'request';
  at: number;
  transaction: string;
  fields: Record<string, string>;
  /** The payer's time limit in minutes. */
  minutes: number;
  /** The status and, for a refusal, the code. */
  answer: string;
};

/** The method that the payer chose, and its answer: `approved`, `declined`, `pending` and so on. */
export type PaymentEntry = {
  kind: 'payment';
  at: number;
  transaction: string;
  method: string;
  outcome: string;
  /** How many look-ups the method needed before it knew; 0 if it answered at once. */
  lookups: number;
};

/** The payer gave up. */
export type CancelEntry = { kind: 'cancel'; at: number; transaction: string };

/** `amount` is in minor units. */
export type RefundEntry = {
  kind: 'refund';
  at: number;
  transaction: string;
  refund: string;
  amount: number;
  type: 'total' | 'parcial';
  outcome: string;
};

export type EventEntry = { kind: 'event'; at: number; transaction: string; type: string; data: string | null };

const VERSION = 1;
const KINDS: readonly Entry['kind'][] = ['request', 'payment', 'cancel', 'refund', 'event'];

/** Writes one JSON object per line. The first line describes the recording. */
export function writeRecording({ lastsMs, entries }: Recording): string {
  const lines = [{ recording: VERSION, lasts_ms: lastsMs }, ...entries];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Parses the text of `writeRecording`; null for other text or an unknown version. */
export function readRecording(text: string): Recording | null {
  const [head, ...lines] = text.trimEnd().split('\n').map(parseObject);
  const lastsMs = head?.['lasts_ms'];
  if (head?.['recording'] !== VERSION || !Number.isSafeInteger(lastsMs)) return null;
  if (!lines.every(isEntry)) return null;
  return { lastsMs: lastsMs as number, entries: lines as unknown as Entry[] };
}

function isEntry(line: Record<string, unknown> | null): boolean {
  if (line === null || !Number.isSafeInteger(line['at']) || typeof line['transaction'] !== 'string') return false;
  if (line['kind'] === 'request') return parseObject(JSON.stringify(line['fields'])) !== null;
  return KINDS.includes(line['kind'] as Entry['kind']);
}

/** Sorts by time. Entries of one millisecond are in causal order. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) => one.at - other.at || KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
}
