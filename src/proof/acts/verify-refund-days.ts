import type { App } from '../../app.ts';
import type { IdPlace, Walk } from '../../lib/walk.ts';
import { addWrong, type Findings, GONE, stopping } from '../proof-finding.ts';
import { changesIn } from './compare-said.ts';
import { readAct } from './read-acts.ts';
import {
  type RefundAct,
  type RefundPlace,
  selectDayWithNext,
  selectImpossibleDays,
  selectRefundActs,
  selectRefundDays,
} from './refund-day-check-queries.ts';

/** The sum that a user had refunded on a day after the act at `link`. */
type Day = { user_id: string; currency: string; day: string; sum: number; link: number };

type UserDays = { days: Map<string, Day>; currencies: Set<string> };

const PAGE = 500;

/**
 * Compares what users have refunded on each day with the acts of their refunds: who resets that sum refunds above the
 * limit. Each act has the sum after it, so a sum that was changed between two refunds is found too, and stays found.
 * Acts of earlier versions have no sum. Reads in pages, user by user, and holds the days of one user at once.
 */
export async function verifyRefundDays(app: App, all: Findings, walk: Walk<IdPlace<string>>): Promise<void> {
  const findings = stopping(all, walk);
  let { rows, id: done } = walk.from ?? { rows: 0, id: '' };
  let place: RefundPlace = { user_id: done, link: Number.MAX_SAFE_INTEGER };
  let user: UserDays = { days: new Map(), currencies: new Set() };
  for (let page = walk.page; page === walk.page; ) {
    const acts = await selectRefundActs(app.db, place, walk.page);
    const ended: Day[] = [];
    const end = () => {
      ended.push(...user.days.values());
      user = { days: new Map(), currencies: new Set() };
      done = place.user_id;
    };
    for (const act of acts) {
      if (act.user_id !== place.user_id) end();
      place = { user_id: act.user_id, link: act.link };
      addRefund(findings, user, act);
    }
    page = acts.length;
    rows += page;
    if (page < walk.page) end();
    await compareDays(app, findings, ended);
    // The days of a user who has further acts are not compared yet.
    await walk.reached({ rows, id: done });
  }
  for (const { refunded, ...row } of await selectImpossibleDays(app.db, GONE)) {
    report(findings, row, null, [`refunded is ${refunded}`]);
  }
}

/** Adds a refund to the days of its user, which has had refunds in these currencies. */
function addRefund(findings: Findings, { days, currencies }: UserDays, act: RefundAct): void {
  const next = dayAfter(act);
  if (next === null) return;
  const { day, amount } = next;
  const was = days.get(keyOf(day))?.sum ?? 0;
  // Earlier refunds of the first day may be from a version whose acts have no sum.
  const isRight = currencies.has(day.currency) ? day.sum === was + amount : day.sum >= amount;
  if (!isRight) report(findings, day, act.created_at, changesIn([['refunded', was, day.sum - amount]]));
  currencies.add(day.currency);
  days.set(keyOf(day), day);
}

/** Returns the day of a refund that was counted; null: it was not, or its act is of an earlier version. */
function dayAfter({ user_id, said_after, link }: RefundAct): { day: Day; amount: number } | null {
  const { day, refunded_that_day: sum, amount, currency } = readAct(said_after);
  if (typeof day !== 'string' || typeof sum !== 'number') return null;
  return { day: { user_id, currency: String(currency), day, sum, link }, amount: Number(amount) };
}

/** A refund may come after the acts were read: its day is left to the next verification. */
async function compareDays(app: App, findings: Findings, days: readonly Day[]): Promise<void> {
  for (let at = 0; at < days.length; at += PAGE) {
    const some = days.slice(at, at + PAGE);
    const [users, dates] = [new Set(some.map(({ user_id }) => user_id)), new Set(some.map(({ day }) => day))];
    const rows = await selectRefundDays(app.db, [...users], [...dates]);
    const stored = new Map(rows.map((row) => [keyOf(row), row.refunded]));
    for (const one of some) {
      if (stored.get(keyOf(one)) === one.sum) continue;
      const { refunded, next } = await selectDayWithNext(app.db, one);
      if (next === null) report(findings, one, null, changesIn([['refunded', one.sum, refunded]]));
    }
  }
}

function keyOf({ user_id, currency, day }: Pick<Day, 'user_id' | 'currency' | 'day'>): string {
  return `${user_id} ${currency} ${day}`;
}

function report(
  findings: Findings,
  { user_id, currency, day }: Pick<Day, 'user_id' | 'currency' | 'day'>,
  since: number | null,
  changes: readonly string[],
): void {
  const subject = `user ${user_id}`;
  const about = { finding: 'refund_day_changed' as const, environment_id: null, subject, since };
  addWrong(findings, about, changes, `refunds in ${currency} of ${subject} on ${day}`);
}
