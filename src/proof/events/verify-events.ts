import type { App } from '../../app.ts';
import { selectPaymentSpan } from '../../books/reconciliation-queries.ts';
import { type IdPlace, partOf, type Walk } from '../../lib/walk.ts';
import { readCuts } from '../../moves/cuts-of-moved.ts';
import { type FindingKind, type Findings, stopping } from '../proof-finding.ts';
import { selectOrphans, selectPageEnd, selectTold, type ToldRow } from './told-queries.ts';

/** The most orphaned events to report. */
const ORPHANS = 1000;

/**
 * Compares every transaction with its events: the sequence has no gap, the first event is the creation, and one event
 * is the end. It needs no chain, so it also finds changes from before the feed was sealed. A transaction may lack
 * events that follow a time before the last cut, and its end among them: they were older than RETENTION_EVENTS. Reads
 * only, in pages.
 */
export async function verifyEvents(app: App, findings: Findings, walk: Walk<IdPlace>): Promise<void> {
  const span = await selectPaymentSpan(app.db);
  const stopped = stopping(findings, walk);
  let { rows, id: last } = walk.from ?? { rows: 0, id: 0 };
  for (;;) {
    const end = await selectPageEnd(app.db, last, walk.page);
    if (end === null) break;
    const page = await selectTold(app.db, last, end);
    const cuts = await readCuts(app);
    for (const told of Map.groupBy(page, ({ id }) => id).values())
      verifyTold(told as Told, cuts((told as Told)[0].environment_id), stopped);
    last = end;
    rows += page.length;
    await walk.reached({ rows, id: last }, partOf(span, last));
  }
  for (const { environment_id, transaction_id, sequence, created_at } of await selectOrphans(app.db, ORPHANS)) {
    const subject = `evt_${transaction_id}_${sequence}`;
    const says = `event ${subject} tells of a transaction that is gone`;
    findings.add({ finding: 'event_added', environment_id, subject, since: created_at, says });
  }
}

/** One row for each event of a transaction, in order. */
type Told = [ToldRow, ...ToldRow[]];

function verifyTold(told: Told, cut: number | null, findings: Findings): void {
  const [{ id, environment_id, state, created_at, settled_at, last_sequence }] = told;
  const report = (finding: FindingKind, sequence: number, since: number | null, says: string) =>
    findings.add({ finding, environment_id, subject: `evt_${id}_${sequence}`, since, says });
  const there = new Set(told.map(({ sequence }) => sequence));
  const gaps = gapsOf(told, last_sequence);
  const isExpired = ({ after }: Gap) => isCut(after, cut);
  for (const { from, until } of gaps.filter((gap) => !isExpired(gap))) {
    const gone = from === until ? `event evt_${id}_${from} was` : `events evt_${id}_${from} to evt_${id}_${until} were`;
    report('event_missing', from, created_at, `${gone} deleted`);
  }
  for (const row of told) {
    const { sequence, told_at } = row;
    if (sequence === null) continue;
    if (sequence < 1 || sequence > last_sequence) {
      report('event_added', sequence, told_at, `event evt_${id}_${sequence} was never told by this service`);
    } else if (!isAsTold(row)) {
      report('event_changed', sequence, told_at, `event evt_${id}_${sequence} does not say what its transaction says`);
    }
  }
  // The event of its end is the second at the earliest.
  const mayLackEnd =
    settled_at !== null && isCut(settled_at, cut) && gaps.some((gap) => gap.until >= 2 && isExpired(gap));
  if (there.has(last_sequence) && !mayLackEnd && !hasEnd(told)) {
    report('event_changed', last_sequence, settled_at, `transaction ${id} is ${state}, and no event says so`);
  }
}

/** A run of missing sequences. `after`: when the event before it happened, or the transaction was created. */
type Gap = { from: number; until: number; after: number };

/**
 * Returns the runs of sequences up to `last` that no event has. The work depends on the events alone: `last` is any
 * number that somebody wrote into the store.
 */
function gapsOf(told: Told, last: number): Gap[] {
  const gaps: Gap[] = [];
  let [next, after] = [1, told[0].created_at];
  for (const { sequence, told_at } of told) {
    if (sequence === null || sequence < next || sequence > last) continue;
    if (sequence > next) gaps.push({ from: next, until: sequence - 1, after });
    next = sequence + 1;
    after = told_at ?? after;
  }
  if (next <= last) gaps.push({ from: next, until: last, after });
  return gaps;
}

function hasEnd(told: Told): boolean {
  const [{ state, settled_at }] = told;
  return (
    state === 'pending' || told.some(({ type, told_at }) => told_at === settled_at && type === `transaction.${state}`)
  );
}

/** The tolerated difference between the clocks of two machines. */
const SKEW_MS = 60_000;

/** Returns whether an event of this time may have been deleted for its age. */
export function isCut(toldAt: number, cut: number | null): boolean {
  return cut !== null && toldAt <= cut + SKEW_MS;
}

/** Only the first event is the creation, at its time. All events have the environment of their transaction. */
function isAsTold(row: ToldRow): boolean {
  const { sequence, type, told_at, created_at, environment_id, told_environment_id } = row;
  if (environment_id !== told_environment_id) return false;
  return sequence === 1 ? type === 'transaction.created' && told_at === created_at : type !== 'transaction.created';
}
