import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { selectUnbooked } from '../books/reconciliation-queries.ts';
import { selectOwedAt } from '../books/statement-queries.ts';
import type { Tx } from '../db/database.ts';
import { keepIf } from '../db/rehearse.ts';
import { boundsOfDay, dayOf, isDay, shiftDay } from '../lib/calendar-day.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { selectArrivedSince, selectFirstCreated } from '../payment-services/payment-service-queries.ts';
import { countUnresolvedOf } from './movement-queries.ts';
import {
  type ClosedMonth,
  countOpenDifferences,
  insertClosedMonth,
  selectClosedMonth,
  wentBackSinceClose,
} from './settlement-queries.ts';

/** The amount owed to a merchant at the end of a month, in minor units as text. */
export type MonthOwed = { environment_id: number; currency: string; owed: string };

/** An entry has the time at which its commit began, and is visible only after the commit: at most this much later. */
const BEING_BOOKED_MS = 10 * 60_000;

/** A month (in Chile's time zone) and the reasons not to close it yet. */
export type MonthState = {
  month: string;
  environment: Environment;
  /** Whether the month is over, and so long that all entries of its last moment are visible. */
  hasEnded: boolean;
  /** Whether the first payment service existed before the month ended. Before that there is nothing to close. */
  hasBooks: boolean;
  /**
   * Payments, refunds and movements that no entry explains. These counts leave out payment services that another
   * database serves: only there a person can decide.
   */
  unbooked: number;
  /** Undecided entries in suspense. */
  suspense: number;
  /** Differences of acquirers' files that nobody has accepted. */
  differences: number;
  owed: MonthOwed[];
  closed: ClosedMonth | null;
  /**
   * True if the books still agree with the closed month, and while the month is open. A payment service that arrived
   * from another database after the close is not compared, and nothing is if the clock went back.
   */
  isAsClosed: boolean;
  /** True if the clock of a development installation went back after the close: new entries can be in the month. */
  clockWentBack: boolean;
};

/** Returns the state of a month such as `2026-01`; null if `month` is not one. */
export async function describeMonth(app: App, month: string, environment: Environment): Promise<MonthState | null> {
  const first = `${month}-01`;
  if (!/^\d{4}-\d{2}$/.test(month) || !isDay(first)) return null;
  const last = lastDayOf(first);
  const [from, to] = [boundsOfDay(first).from, boundsOfDay(last).to];
  const environmentIds = await listEnvironmentIds(app, environment, null, null);
  const elsewhere = await findElsewhere(app);
  const here = environmentIds.filter((id) => !elsewhere.environments.has(id));
  const [unbooked, suspense, differences, owedAt, closed, firstAt] = await Promise.all([
    selectUnbooked(app.db, { environmentIds: here, from, to, transactionId: 0 }),
    countUnresolvedOf(app.db, here, to),
    countOpenDifferences(app.db, environment, { first, last }, [...elsewhere.paymentServices]),
    selectOwedAt(app.db, environmentIds, to),
    selectClosedMonth(app.db, month, environment),
    selectFirstCreated(app.db),
  ]);
  const owed = owedAt.map((one) => ({ ...one, owed: String(one.owed) }));
  const clockWentBack = closed !== null && (await wentBackSinceClose(app.db, closed));
  const isAsClosed = closed === null || clockWentBack || (await agrees(app, closed, owed));
  const hasEnded = dayOf(app.now() - BEING_BOOKED_MS) > last;
  const hasBooks = firstAt !== null && firstAt < to;
  const counts = { unbooked: unbooked.length, suspense, differences };
  return { month, environment, hasEnded, hasBooks, ...counts, owed, closed, isAsClosed, clockWentBack };
}

async function agrees(app: App, closed: ClosedMonth, owed: readonly MonthOwed[]): Promise<boolean> {
  if (closed.owed === JSON.stringify(owed)) return true;
  const arrived = new Set(await selectArrivedSince(app.db, closed.closed_at));
  // A payment service that was here at the close, left and came back is in the closed text.
  const wasThere = (one: MonthOwed) => !arrived.has(one.environment_id) || closed.owed.includes(JSON.stringify(one));
  return closed.owed === JSON.stringify(owed.filter(wasThere));
}

/** Returns whether nothing prevents closing the month. */
export function isReadyToClose({ hasEnded, hasBooks, unbooked, suspense, differences, closed }: MonthState): boolean {
  return closed === null && hasEnded && hasBooks && unbooked + suspense + differences === 0;
}

/**
 * Closes a month: stores the amount owed to each merchant at its end, and who closed it. Later records belong to the
 * month in which they are recorded. Returns null if the month is closed now, otherwise the state that prevents it.
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
  const { paymentServices } = await findElsewhere(app);
  const days = { first: `${month}-01`, last: lastDayOf(`${month}-01`) };
  const close = async (tx: Tx) => {
    const row = { month, environment, closed_at: at, closed_by: by.name, owed: JSON.stringify(state.owed) };
    if (!(await insertClosedMonth(tx, row))) return false;
    const subject = { kind: 'month', id: `${month} ${environment}` };
    await recordAudit(tx, { at, by, action: 'month.closed', subject, after: { accounts: state.owed.length } });
    // The lock of the audit log shows each file that was compared since the state was read.
    return (await countOpenDifferences(tx, environment, days, [...paymentServices])) === 0;
  };
  const { isKept: isClosed } = await keepIf(app.db, close, (isRight) => isRight);
  return isClosed ? null : describeMonth(app, month, environment);
}

/** Returns the last day of the month that begins on `first`. */
export function lastDayOf(first: string): string {
  return shiftDay(`${shiftDay(first, 31).slice(0, 7)}-01`, -1);
}
