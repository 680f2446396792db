import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { cancelTransaction } from '../checkout/cancel-transaction.ts';
import { createRefund } from '../refunds/create-refund.ts';
import type { Transaction, TransactionKey } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import { advanceClock } from './advance-clock.ts';
import { makeRecording } from './make-recording.ts';
import { DECIDING_AMOUNTS, paySimulated } from './pay-simulated.ts';
import {
  type Entry,
  inOrder,
  type PaymentEntry,
  type Recording,
  type RefundEntry,
  type RequestEntry,
} from './recording.ts';

/**
 * Sends the fields of a request, signed with the tokens of this service. `id` is the transaction; null if the request
 * was refused.
 */
export type PostRequest = (request: RequestEntry) => Promise<{ answer: string; id: number | null }>;

/**
 * Replays a recording in a new environment without transactions, and returns the outcome as a recording. The clock
 * moves ahead from entry to entry, and due work is processed meanwhile. The payment method's answers are replayed; the
 * service's handling of them is the outcome.
 */
export async function replayRecording(
  app: App,
  recording: Recording,
  environmentId: number,
  post: PostRequest,
  by: Actor,
): Promise<Recording> {
  const from = app.now();
  const until = (at: number) => goTo(app, from + at, by);
  const made = new Map<string, TransactionKey>();
  const answers: Entry[] = [];
  for (const entry of recording.entries) {
    if (entry.kind === 'event') continue;
    await until(entry.at);
    if (entry.kind === 'request') {
      const { answer, id } = await post(entry);
      if (id === null) answers.push({ ...entry, answer });
      else made.set(entry.transaction, { id, environment_id: environmentId });
      continue;
    }
    const key = made.get(entry.transaction);
    const transaction = key === undefined ? null : await selectTransaction(app.db, key);
    if (transaction !== null) await act(app, entry, transaction, by);
  }
  await until(recording.lastsMs);
  const replayed = await makeRecording(app, { environmentId, from, to: app.now() });
  // A recording names transactions in the order of their ids, and servers take ids from separate ranges.
  const inOrderOfIds = [...made].toSorted(([, one], [, other]) => one.id - other.id);
  const names = new Map(inOrderOfIds.map(([name], at) => [`t${at + 1}`, name]));
  const entries = replayed.entries.map((entry) => ({ ...entry, transaction: names.get(entry.transaction) as string }));
  return { ...replayed, entries: inOrder([...entries, ...answers]) };
}

/** The requests themselves have already taken some time. */
async function goTo(app: App, at: number, by: Actor): Promise<void> {
  await advanceClock(app, Math.max(0, at - app.now()), by);
}

type Act = Exclude<Entry, { kind: 'request' | 'event' }>;

async function act(app: App, entry: Act, transaction: Transaction, by: Actor): Promise<void> {
  if (entry.kind === 'payment') await pay(app, transaction, entry);
  else if (entry.kind === 'cancel') await cancelTransaction(app, transaction);
  else await refund(app, transaction, entry, by);
}

async function pay(app: App, transaction: Transaction, { method, outcome, lookups }: PaymentEntry): Promise<void> {
  const known = outcome === 'approved' || outcome === 'declined';
  const told = known && lookups === 0 ? DECIDING_AMOUNTS[outcome] : transaction.amount;
  await paySimulated(app, transaction, method, told);
}

async function refund(app: App, transaction: Transaction, entry: RefundEntry, by: Actor): Promise<void> {
  const { amount, type, refund: name } = entry;
  await createRefund(app, transaction, { amount, type, idempotencyKey: `recorded-${name}`, by });
}
