import type { App } from '../app.ts';
import type { AuditRow } from '../audit/audit-row.ts';
import { selectEntriesOf } from '../books/journal-queries.ts';
import type { EarlierEnd, PaymentAttempt } from '../checkout/payment-attempt.ts';
import { formatMoney, parseDecimal } from '../lib/money.ts';
import { nextOfCallback } from '../outbox/callback-state.ts';
import { selectRefundsOf } from '../refunds/refund-queries.ts';
import type { RefundRequest } from '../refunds/refund-request.ts';
import { selectRefundRequestsOf } from '../refunds/refund-request-queries.ts';
import { findTransaction } from '../transactions/find-transaction.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { describePayments } from './find-payments.ts';
import type { FoundPayment } from './payment-filter.ts';
import {
  selectActsOn,
  selectAttemptsOf,
  selectCallbacksOf,
  selectDeliveriesOf,
  selectEventsOf,
  selectPaymentDecisionsOf,
  selectRefundDecisionsOf,
  type TimelineCallback,
  type TimelineDelivery,
} from './timeline-queries.ts';

/** The source of a line of the timeline. */
export type TimelineKind = 'event' | 'attempt' | 'callback' | 'delivery' | 'entry' | 'decision' | 'act';

type Facts = Record<string, unknown>;

/**
 * An entry of a payment's timeline. `at` is UTC milliseconds, `amount` minor units of the payment's currency, `by` the
 * person or program, if known. `facts` are the stored details, by their stored names.
 */
export type TimelineLine = {
  at: number;
  kind: TimelineKind;
  what: string;
  amount: number | null;
  by: string | null;
  facts: Facts;
};

/**
 * Returns a fact as text for a person. An object, such as the refund of an event, is its id, its names and values, and
 * its money. `nameOf` returns how the reader calls a name.
 */
export function sayFact(fact: unknown, nameOf = (name: string) => name.replaceAll('_', ' ')): string {
  if (typeof fact === 'string') return fact;
  if (fact === null || typeof fact !== 'object' || Array.isArray(fact)) return JSON.stringify(fact);
  const { id, amount, currency, ...others } = fact as Facts;
  return [
    ...(id === undefined ? [] : [sayFact(id)]),
    ...Object.entries(others).map(([name, value]) => `${nameOf(name)} ${sayFact(value, nameOf)}`),
    ...(amount === undefined ? [] : [`${nameOf('amount')} ${moneyOf(sayFact(amount), sayFact(currency))}`]),
  ].join(', ');
}

/** Returns an amount of the feed, such as `12990.00`, as money. */
function moneyOf(amount: string, currency: string): string {
  const minorUnits = parseDecimal(amount, currency);
  return minorUnits === null ? amount : formatMoney(minorUnits, currency);
}

/** A payment, the fields that the shop signed, and its timeline, the oldest first. Without its pay link. */
export type ShownPayment = { payment: FoundPayment; transaction: Transaction; timeline: TimelineLine[] };

/** More entries than a payment's books ever have. */
const MOST_ENTRIES = 1_000;

/**
 * Returns everything known about a payment, by its id as typed, in `environmentIds` (null: all). Null if it is unknown
 * or in another environment.
 */
export async function showPayment(
  app: App,
  id: string,
  environmentIds: ReadonlySet<number> | null,
): Promise<ShownPayment | null> {
  const transaction = await findTransaction(app, id, environmentIds);
  if (transaction === null) return null;
  const [payment] = await describePayments(app, [transaction.id]);
  if (payment === undefined) return null;
  const parts = await Promise.all([
    linesOfRefundRequests(app, transaction),
    linesOfEvents(app, transaction),
    linesOfAttempts(app, transaction),
    linesOfCallbacks(app, transaction),
    linesOfEntries(app, transaction),
    linesOfDecisions(app, transaction),
  ]);
  const acts = await actsOn(app, transaction, parts.flat());
  const lines = [...parts.flat().map((one) => withReason(one, acts)), ...linesOfActs(acts)];
  // The sort is stable: at one moment an approval precedes its refund, and an event precedes its consequences.
  const timeline = lines.sort((one, other) => one.at - other.at || beginning(one) - beginning(other));
  return { payment, transaction, timeline };
}

/** Orders a payment that ends in the millisecond in which it began: creation first, then the payer's start. */
function beginning({ kind, what }: TimelineLine): 0 | 1 | 2 {
  if (kind === 'event' && what === 'transaction.created') return 0;
  return kind === 'attempt' && what === 'started' ? 1 : 2;
}

async function linesOfRefundRequests(app: App, transaction: Transaction): Promise<TimelineLine[]> {
  return (await selectRefundRequestsOf(app.db, transaction)).flatMap(linesOfRefundRequest);
}

function linesOfRefundRequest(request: RefundRequest): TimelineLine[] {
  const { id, amount, state, reason, requested_at, decided_at, refund_id } = request;
  const named = { refund_request: id };
  const made = { amount, by: request.requested_by, facts: { ...named, reason } };
  const lines = [line(requested_at, 'act', 'refund_request.made', made)];
  if (decided_at === null) return lines;
  const facts = { ...named, reason: request.decision_reason, refund: refund_id };
  return [...lines, line(decided_at, 'act', `refund_request.${state}`, { amount, by: request.decided_by, facts })];
}

async function linesOfEvents(app: App, transaction: Transaction): Promise<TimelineLine[]> {
  const [events, refunds] = await Promise.all([
    selectEventsOf(app.db, transaction),
    selectRefundsOf(app.db, transaction),
  ]);
  const asked = new Map(refunds.map((refund) => [refund.sequence, refund]));
  return events.map(({ sequence, created_at, type, data }) => {
    const refund = asked.get(sequence);
    return line(created_at, 'event', type, {
      amount: refund?.amount ?? null,
      by: refund?.requested_by ?? null,
      facts: { sequence, ...parse(data), ...(refund !== undefined && { refund: refund.id }) },
    });
  });
}

async function linesOfAttempts(app: App, transaction: Transaction): Promise<TimelineLine[]> {
  return (await selectAttemptsOf(app.db, transaction)).flatMap(linesOfAttempt);
}

function linesOfAttempt(attempt: PaymentAttempt): TimelineLine[] {
  const { id, created_at, settled_at, payment_method, state, detail, commit_sent_at, contradicted_at } = attempt;
  const named = { payment_attempt: id, payment_method };
  const lines = [line(created_at, 'attempt', 'started', { facts: named })];
  if (commit_sent_at !== null) lines.push(line(commit_sent_at, 'attempt', 'commit_sent', { facts: named }));
  const { before, before_at, before_reason: reason, ...facts } = parse(detail) as Facts & EarlierEnd;
  if (before !== undefined && before_at !== undefined) {
    lines.push(line(before_at, 'attempt', before, { facts: { ...named, reason } }));
  }
  if (settled_at !== null) lines.push(line(settled_at, 'attempt', state, { facts: { ...named, ...facts } }));
  if (contradicted_at !== null) {
    const facts = { ...named, ...parse(attempt.contradiction) };
    lines.push(line(contradicted_at, 'attempt', 'contradicted', { facts }));
  }
  return lines;
}

async function linesOfCallbacks(app: App, transaction: Transaction): Promise<TimelineLine[]> {
  const callbacks = await selectCallbacksOf(app.db, transaction);
  const ids = callbacks.map((callback) => callback.id);
  const deliveries = ids.length === 0 ? [] : await selectDeliveriesOf(app.db, ids, transaction.environment_id);
  return [...callbacks.map((one) => lineOfCallback(one, app.now())), ...deliveries.map(lineOfDelivery)];
}

function lineOfCallback(callback: TimelineCallback, now: number): TimelineLine {
  const { id, created_at, state, webhook_id, url, returned_at } = callback;
  const next = nextOfCallback(callback, now);
  const isoOf = (at: number | null) => (at === null || state !== 'queued' ? null : new Date(at).toISOString());
  const [next_attempt, under_way_since] = [isoOf(next.next_attempt_at), isoOf(next.under_way_since)];
  return line(created_at, 'callback', state, {
    facts: { callback: id, webhook_id, url, next_attempt, under_way_since, browser_returned: returned_at !== null },
  });
}

function lineOfDelivery(delivery: TimelineDelivery): TimelineLine {
  const { callback_id, started_at, duration_ms, status, failure, location, excerpt } = delivery;
  return line(started_at, 'delivery', failure ?? `answered ${status}`, {
    facts: { callback: callback_id, status, failure, location, duration_ms, answer: excerpt },
  });
}

async function linesOfEntries(app: App, transaction: Transaction): Promise<TimelineLine[]> {
  const entries = await selectEntriesOf(app.db, transaction, MOST_ENTRIES);
  return entries.toReversed().map(({ created_at, kind, amount, debit_account, credit_account, environment_id, link }) =>
    line(created_at, 'entry', kind, {
      amount,
      facts: { debit: debit_account, credit: credit_account, link: `${environment_id}/${link}` },
    }),
  );
}

async function linesOfDecisions(app: App, transaction: Transaction): Promise<TimelineLine[]> {
  const [ofPayments, ofRefunds] = await Promise.all([
    selectPaymentDecisionsOf(app.db, transaction),
    selectRefundDecisionsOf(app.db, transaction),
  ]);
  return [
    ...ofPayments.map((decision) => ({ ...decision, subject: { payment_attempt: decision.payment_attempt_id } })),
    ...ofRefunds.map((decision) => ({ ...decision, taken: null, subject: { refund: decision.refund_id } })),
  ].map(({ decided_at, decided_by, outcome, taken, reason, evidence_name, evidence_sha256, subject }) =>
    line(decided_at, 'decision', outcome, {
      amount: taken,
      by: decided_by,
      facts: { ...subject, reason, evidence: evidence_name, sha256: evidence_sha256 },
    }),
  );
}

/** Acts that other lines show in more detail. */
const TOLD = new Set([
  'refund.requested',
  'refund.decided',
  'payment.decided',
  'refund_request.made',
  'refund_request.approved',
  'refund_request.rejected',
]);

/** Lists the acts of the audit log on the payment and its parts. */
async function actsOn(app: App, { id }: Transaction, lines: readonly TimelineLine[]): Promise<AuditRow[]> {
  const things = new Set([
    `transaction ${id}`,
    ...lines.flatMap(({ facts }) =>
      (['refund', 'refund_request', 'payment_attempt', 'callback'] as const)
        .filter((kind) => facts[kind] !== undefined)
        .map((kind) => `${kind} ${String(facts[kind])}`),
    ),
  ]);
  // Ids of different kinds may be equal numbers.
  const ids = new Set([...things].map((thing) => thing.slice(thing.indexOf(' ') + 1)));
  const acts = await selectActsOn(app.db, [...ids]);
  return acts.filter(({ subject_kind, subject }) => things.has(`${subject_kind} ${subject}`));
}

/** Adds the requester's reason to the line of a requested refund: only the act has it. */
function withReason(line: TimelineLine, acts: readonly AuditRow[]): TimelineLine {
  const { refund } = line.facts;
  const asked = acts.find(({ action, subject }) => action === 'refund.requested' && subject === refund);
  const reason = asked?.reason ?? null;
  return line.kind === 'event' && reason !== null ? { ...line, facts: { ...line.facts, reason } } : line;
}

/** Returns the acts as lines, except the acts that other lines show. */
function linesOfActs(acts: readonly AuditRow[]): TimelineLine[] {
  return acts
    .filter(({ action }) => !TOLD.has(action))
    .map(({ created_at, action, actor, reason, subject_kind, subject }) =>
      line(created_at, 'act', action, { by: actor, facts: { [subject_kind]: subject, reason } }),
    );
}

function line(
  at: number,
  kind: TimelineKind,
  what: string,
  { amount = null, by = null, facts }: { amount?: number | null; by?: string | null; facts: Facts },
): TimelineLine {
  const known = Object.entries(facts).filter(([, fact]) => fact !== null && fact !== undefined && fact !== false);
  return { at, kind, what, amount, by, facts: Object.fromEntries(known) };
}

function parse(json: string | null): Facts {
  return json === null ? {} : (JSON.parse(json) as Facts);
}
