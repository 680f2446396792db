import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { methodOfReceivable, type Posting } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import type { Tx } from '../db/database.ts';
import { addUp, type Sum } from '../lib/exact-sum.ts';
import { prefixedId } from '../lib/ids.ts';
import { formatDecimal } from '../lib/money.ts';
import { recordEvents } from '../outbox/record-event.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { advanceSequence, lockTransaction, selectTransactionAnywhere } from '../transactions/transaction-queries.ts';
import { type Decision, type Movement, movementPosting } from './movement.ts';
import { insertMovement, type SuspenseEntry, selectSuspenseAt, selectSuspenseOf } from './movement-queries.ts';

/**
 * `entry`: such as `12.0`; left out: all entries of the transaction. `shown`: the open entries that the person saw: what
 * came after them stays open. `reason` names no person.
 */
export type SuspenseDecision = {
  decision: Decision;
  entry?: string;
  shown?: readonly string[];
  reason: string;
  by: Actor;
};

/**
 * `already`: the same was decided before. `different`: something else was decided before. `nothing`: no money was ever
 * in suspense here. `amount`: the amount decided now, or before, in minor units.
 */
export type Resolution =
  | { kind: 'resolved' | 'already' | 'different'; amount: Sum; currency: string }
  | { kind: 'nothing' };

/**
 * Records the decision about a transaction's money in suspense, with its entries in the same commit. A decision cannot
 * be changed. Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING. Rejects with `StorageError`.
 */
export async function resolveSuspense(app: App, transactionId: number, decided: SuspenseDecision): Promise<Resolution> {
  const now = app.now();
  const transaction = await selectTransactionAnywhere(app.db, transactionId);
  if (transaction === null) return { kind: 'nothing' };
  await environmentHere(app, transaction);
  return app.db.transaction<Resolution>(async (tx) => {
    // Every posting to suspense of this transaction takes this lock too.
    await lockTransaction(tx, transaction);
    return decide(tx, await selectSuspenseOf(tx, transaction), decided, now, transaction);
  });
}

/** A place in the books: `entry` is a line of a link, such as `12.0`. */
type Place = { environmentId: number; link: number; entry: string };

/** Does the same for money in suspense that belongs to no transaction, by its place in the books. */
export async function resolveImported(
  app: App,
  { environmentId, link, entry }: Place,
  decided: SuspenseDecision,
): Promise<Resolution> {
  const now = app.now();
  const [found] = await selectSuspenseAt(app.db, environmentId, link);
  if (found === undefined) return { kind: 'nothing' };
  await environmentHere(app, found);
  return app.db.transaction<Resolution>(async (tx) => {
    // A concurrent decision about the same money waits here.
    await lockFunds(tx, environmentId, found.currency);
    return decide(tx, await selectSuspenseAt(tx, environmentId, link), { ...decided, entry }, now);
  });
}

/** An entry in suspense: of a transaction, or at a place in the books if it belongs to none. */
export type SuspensePlace = { transactionId: number; entry: string } | Place;

/** Returns an entry in suspense with the decision about it; null if there is no such entry. */
export async function findSuspense(app: App, place: SuspensePlace): Promise<SuspenseEntry | null> {
  const found =
    'link' in place ? await selectSuspenseAt(app.db, place.environmentId, place.link) : await findOf(app, place);
  return found.find(({ entry }) => entry === place.entry) ?? null;
}

async function findOf(app: App, { transactionId }: { transactionId: number }): Promise<SuspenseEntry[]> {
  const transaction = await selectTransactionAnywhere(app.db, transactionId);
  return transaction === null ? [] : selectSuspenseOf(app.db, transaction);
}

/**
 * Sums the undecided money of a transaction, or of one of its entries, and names the entries; null if nothing is
 * undecided.
 */
export async function sumSuspense(app: App, transactionId: number, entry?: string) {
  const transaction = await selectTransactionAnywhere(app.db, transactionId);
  return transaction === null ? null : sumOpen(await selectSuspenseOf(app.db, transaction), entry);
}

/** Does the same for a place in the books. */
export async function sumImported(app: App, { environmentId, link, entry }: Place) {
  return sumOpen(await selectSuspenseAt(app.db, environmentId, link), entry);
}

function sumOpen(suspended: readonly SuspenseEntry[], entry?: string) {
  const open = suspended.filter((one) => one.decision === null && (entry === undefined || one.entry === entry));
  return open[0] === undefined ? null : { ...sumOf(open, open[0]), entries: open.map(({ entry }) => entry) };
}

async function decide(
  tx: Tx,
  suspended: readonly SuspenseEntry[],
  decided: SuspenseDecision,
  now: number,
  transaction: Transaction | null = null,
): Promise<Resolution> {
  const { entry: only, shown } = decided;
  const isMeant = (entry: string) => (only === undefined || only === entry) && shown?.includes(entry) !== false;
  const meant = suspended.filter(({ entry }) => isMeant(entry));
  const [first] = meant;
  if (first === undefined) return { kind: 'nothing' };
  const open = meant.filter(({ decision }) => decision === null);
  if (open.length === 0) {
    const same = meant.every(({ decision }) => decision === decided.decision);
    return { kind: same ? 'already' : 'different', ...sumOf(meant, first) };
  }
  const movements = open.map((entry) => ({
    movement: newResolution(entry, { ...decided, recordedBy: decided.by.name }, now),
    resolved: entry.kind,
  }));
  for (const { movement } of movements) await insertMovement(tx, movement);
  const postings = movements.map(({ movement, resolved }) => movementPosting(movement, resolved));
  if (transaction !== null) await tellMerchant(tx, transaction, open, { ...decided, now, postings });
  for (const posting of postings) await postEntries(tx, posting);
  const entries = open.map(({ environment_id, entry }) => `${environment_id}/${entry}`);
  const { by, decision, reason } = decided;
  const after = { decision, entries, amount: String(sumOf(open, first).amount), currency: first.currency };
  const subject = { kind: 'transaction', id: String(first.transaction_id ?? 'none') };
  await recordAudit(tx, { at: now, by, action: 'suspense.resolved', subject, after, reason });
  return { kind: 'resolved', ...sumOf(open, first) };
}

/** Records an event for each entry, because what was decided may be the merchant's loss. Call it before the books. */
async function tellMerchant(
  tx: Tx,
  transaction: Transaction,
  open: readonly SuspenseEntry[],
  { decision, now, postings }: Pick<SuspenseDecision, 'decision'> & { now: number; postings: readonly Posting[] },
): Promise<void> {
  for (const [at, { entry, amount, currency }] of open.entries()) {
    const { last_sequence: sequence, state } = await advanceSequence(tx, transaction);
    const booked = postings[at]?.transfers[0]?.kind;
    const data = { state, decision, booked, amount: formatDecimal(amount, currency), currency, entry };
    const of = { environmentId: transaction.environment_id, transactionId: transaction.id, sequence };
    await recordEvents(tx, [{ ...of, type: 'transaction.resolved', createdAt: now, data }]);
  }
}

/** Makes the record of a decision about an entry in suspense. */
export function newResolution(
  suspended: SuspenseEntry,
  { decision, reason, recordedBy }: Pick<SuspenseDecision, 'decision' | 'reason'> & { recordedBy: string },
  now: number,
): Movement {
  return {
    id: prefixedId('mv'),
    environment_id: suspended.environment_id,
    kind: 'resolution',
    reference: suspended.entry,
    amount: suspended.amount,
    commission: 0,
    currency: suspended.currency,
    created_at: now,
    recorded_by: recordedBy,
    payment_method: methodOfReceivable(suspended.method_account),
    transaction_id: suspended.transaction_id,
    decision,
    reason,
  };
}

function sumOf(entries: readonly SuspenseEntry[], { currency }: SuspenseEntry) {
  return { amount: addUp(entries.map(({ amount }) => amount)), currency };
}
