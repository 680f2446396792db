import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { selectUnbooked } from '../books/reconciliation-queries.ts';
import { selectOwedAt } from '../books/statement-queries.ts';
import { boundsOfDay, dayOf, isDay, shiftDay } from '../lib/calendar-day.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { countUnresolvedOf } from './movement-queries.ts';
import { type ClosedMonth, countOpenDifferences, insertClosedMonth, selectClosedMonth } from './settlement-queries.ts';

/** The amount owed to a merchant at the end of a month, in minor units as text. */
export type MonthOwed = { environment_id: number; currency: string; owed: string };

/** An entry has the time at which its commit began, and is seen when that has ended: by then at the latest. */
const BEING_BOOKED_MS = 10 * 60_000;

/** A month of Chile and what stands in the way of closing it. */
export type MonthState = {
  month: string;
  environment: Environment;
  /** And everything that was being booked at its end is in the books. */
  hasEnded: boolean;
  /** Payments, refunds and movements that no entry explains. */
  unbooked: number;
  /** Entries in suspense about which nobody has decided. */
  suspense: number;
  /** Differences of acquirers' files that nobody has accepted. */
  differences: number;
  owed: MonthOwed[];
  closed: ClosedMonth | null;
  /** True while the books still say what was closed, and while the month is open. */
  isAsClosed: boolean;
};

/** How a month stands. `month` is such as `2026-01`; null where it is not one. */
export async function describeMonth(app: App, month: string, environment: Environment): Promise<MonthState | null> {
  const first = `${month}-01`;
  if (!/^\d{4}-\d{2}$/.test(month) || !isDay(first)) return null;
  const last = lastDayOf(first);
  const [from, to] = [boundsOfDay(first).from, boundsOfDay(last).to];
  const environmentIds = await listEnvironmentIds(app, environment, null, null);
  const [unbooked, suspense, differences, owedAt, closed] = await Promise.all([
    selectUnbooked(app.db, { environmentIds, from, to, transactionId: 0 }),
    countUnresolvedOf(app.db, environmentIds, to),
    countOpenDifferences(app.db, environment, first, last),
    selectOwedAt(app.db, environmentIds, to),
    selectClosedMonth(app.db, month, environment),
  ]);
  const owed = owedAt.map((one) => ({ ...one, owed: String(one.owed) }));
  const isAsClosed = closed === null || closed.owed === JSON.stringify(owed);
  const hasEnded = dayOf(app.now() - BEING_BOOKED_MS) > last;
  return { month, environment, hasEnded, unbooked: unbooked.length, suspense, differences, owed, closed, isAsClosed };
}

/** Whether nothing stands in the way. */
export function isReadyToClose({ hasEnded, unbooked, suspense, differences, closed }: MonthState): boolean {
  return closed === null && hasEnded && unbooked + suspense + differences === 0;
}

/**
 * Closes a month: keeps what each merchant was owed at its end, and who said so. What is recorded later is of the month in which it
 * is recorded. Answers the state that stands in the way, or null where it is closed now.
 */
export async function closeMonth(
  app: App,
  month: string,
  environment: Environment,
  by: Actor,
): Promise<MonthState | null> {
  const state = await describeMonth(app, month, environment);
  if (state === null || !isReadyToClose(state)) return state;
  const at = app.now();
  const isClosed = await app.db.transaction(async (tx) => {
    const row = { month, environment, closed_at: at, closed_by: by.name, owed: JSON.stringify(state.owed) };
    if (!(await insertClosedMonth(tx, row))) return false;
    const subject = { kind: 'month', id: `${month} ${environment}` };
    await recordAudit(tx, { at, by, action: 'month.closed', subject, after: { accounts: state.owed.length } });
    return true;
  });
  return isClosed ? null : describeMonth(app, month, environment);
}

/** The last day of the month that begins on `first`. */
export function lastDayOf(first: string): string {
  return shiftDay(`${shiftDay(first, 31).slice(0, 7)}-01`, -1);
}
