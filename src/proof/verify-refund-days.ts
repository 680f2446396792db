import type { App } from '../app.ts';
import { dayOf } from '../lib/calendar-day.ts';
import type { ListedAct } from './act-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { type Findings, GONE } from './proof-finding.ts';
import { pagesOfActs, readAct } from './read-acts.ts';
import { selectDayWithNext, selectImpossibleDays, selectRefundDays } from './refund-day-check-queries.ts';

/** The sum that a user had refunded on a day after the act at `link`. */
type Day = { user_id: string; currency: string; day: string; sum: number; link: number };

const PAGE = 500;
/** So many days are held at once. */
const HELD = 50_000;
const DAY_MS = 86_400_000;

/**
 * Compares what users have refunded on each day with the acts of their refunds: who resets that sum refunds above the
 * limit. Each act has the sum after it, so a sum that was changed between two refunds is found too, and stays found.
 * Acts of earlier versions have no sum.
 */
export async function verifyRefundDays(app: App, findings: Findings): Promise<void> {
  const days = new Map<string, Day>();
  const known = new Set<string>();
  for await (const acts of pagesOfActs(app, 'refund.requested')) {
    for (const act of acts) {
      const next = dayAfter(act);
      if (next === null) continue;
      const { day, amount } = next;
      const person = `${day.user_id} ${day.currency}`;
      const was = days.get(keyOf(day))?.sum ?? 0;
      // Earlier refunds of the first day may be from a version whose acts have no sum.
      const isRight = known.has(person) ? day.sum === was + amount : day.sum >= amount;
      if (!isRight) report(findings, day, act.created_at, changesIn([['refunded', was, day.sum - amount]]));
      known.add(person);
      days.set(keyOf(day), day);
    }
    if (days.size < HELD) continue;
    // Two refunds around midnight may be recorded in the other order.
    const open = dayOf((acts.at(-1)?.created_at ?? 0) - DAY_MS);
    const ended = [...days.values()].filter(({ day }) => day < open);
    await compareDays(app, findings, ended);
    for (const day of ended) days.delete(keyOf(day));
  }
  await compareDays(app, findings, [...days.values()]);
  for (const { refunded, ...row } of await selectImpossibleDays(app.db, GONE)) {
    report(findings, row, null, [`refunded is ${refunded}`]);
  }
}

/** Returns the day of a refund that was counted; null: it was not, or its act is of an earlier version. */
function dayAfter({ user_id, said_after, link }: ListedAct): { day: Day; amount: number } | null {
  const { day, refunded_that_day: sum, amount, currency } = readAct(said_after);
  if (user_id === null || typeof day !== 'string' || typeof sum !== 'number') return null;
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
  if (changes.length === 0) return;
  const subject = `user ${user_id}`;
  const says = `refunds in ${currency} of ${subject} on ${day}: ${changes.join('; ')}`;
  findings.add({ finding: 'refund_day_changed', environment_id: null, subject, since, says });
}
