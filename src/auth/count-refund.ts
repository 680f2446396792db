import type { Reader, Tx } from '../db/database.ts';
import { type InBoth, Problem } from '../error-catalogue.ts';
import { dayOf } from '../lib/calendar-day.ts';
import { formatMoney, toDecimalNumber } from '../lib/money.ts';
import { limitsInForce, limitsOf } from './describe-rights.ts';
import { addToRefundDay, selectRefundDay, selectRefundLimits } from './refund-limit-queries.ts';
import { selectUserById } from './user-queries.ts';

/** `amount` is in minor units of `currency`. `userId` null: no user requests it. */
type CountedRefund = { userId: string | null; amount: number; currency: string };

/** The day in Chile, and what a user has refunded on it in one currency, in minor units. */
export type RefundDay = { day: string; refunded_that_day: number };

/** The most that a user may refund a day, and the rest for today, in minor units. */
export type RefundAllowance = { most: number; left: number };

/**
 * Counts a refund for the user who requests it, in the refund's transaction. A user's refunds of a day (Chilean time)
 * stay within the limit, even with concurrent requests. A refund that fails later stays counted. Without a limit
 * nothing is counted, and it returns null. Throws `Problem` `REFUND_LIMIT_REACHED` with the limit and the rest of it,
 * and `TOKEN_INVALID` if the user is disabled.
 */
export async function countRefund(tx: Tx, refund: CountedRefund, now: number): Promise<RefundDay | null> {
  const { userId, amount, currency } = refund;
  const most = await findLimit(tx, refund);
  if (userId === null || most === null) return null;
  const at = { userId, currency, day: dayOf(now) };
  const sum = amount <= most ? await addToRefundDay(tx, at, amount, most) : null;
  if (sum !== null) return { day: at.day, refunded_that_day: sum };
  const left = Math.max(0, most - (await selectRefundDay(tx, at)));
  throw new Problem('REFUND_LIMIT_REACHED', {
    detail: sayAllowance({ most, left }, currency),
    data: { limit: toDecimalNumber(most, currency), left: toDecimalNumber(left, currency), currency },
  });
}

/** Returns what a user may refund today; null without a limit or a user. Counts nothing. Throws `TOKEN_INVALID`. */
export async function findRefundAllowance(
  db: Reader,
  asked: Pick<CountedRefund, 'userId' | 'currency'>,
  now: number,
): Promise<RefundAllowance | null> {
  const { userId, currency } = asked;
  const most = await findLimit(db, asked);
  if (userId === null || most === null) return null;
  return { most, left: Math.max(0, most - (await selectRefundDay(db, { userId, currency, day: dayOf(now) }))) };
}

/** Says what a user may refund today. */
export function sayAllowance({ most, left }: RefundAllowance, currency: string): InBoth {
  return {
    en: `You may refund ${formatMoney(most, currency)} a day, and ${formatMoney(left, currency)} of it is left today.`,
    es: `Puedes devolver ${formatMoney(most, currency)} por día, y hoy te quedan ${formatMoney(left, currency)}.`,
  };
}

/** Returns the limit; null: no limit. With a limit in any currency, other currencies have 0. */
async function findLimit(
  db: Reader,
  { userId, currency }: Pick<CountedRefund, 'userId' | 'currency'>,
): Promise<number | null> {
  const user = userId === null ? null : await selectUserById(db, userId);
  if (user === null) return null;
  // A request can wait for its turn after its token was checked.
  if (user.disabled_at !== null) throw new Problem('TOKEN_INVALID');
  const limits = limitsInForce(user.role, limitsOf(await selectRefundLimits(db, user.id)));
  return limits === null ? null : (limits[currency] ?? 0);
}
