import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { dayOf } from '../lib/calendar-day.ts';
import { formatMoney, toDecimalNumber } from '../lib/money.ts';
import { type Role, rightsOf } from './permission.ts';
import { addToRefundDay, type RefundLimitRow, selectRefundDay, selectRefundLimits } from './refund-limit-queries.ts';
import { selectUserById } from './user-queries.ts';

/** `amount` is in minor units of `currency`. `userId` null: no user requests it. */
type CountedRefund = { userId: string | null; amount: number; currency: string };

/**
 * Counts a refund for the user who requests it, in the refund's transaction. A user's refunds of a day (Chilean time)
 * stay within the limit, even with concurrent requests. A refund that fails later stays counted. Without a limit
 * nothing is counted. Throws `Problem` `REFUND_LIMIT_REACHED` with the limit and the rest of it.
 */
export async function countRefund(tx: Tx, refund: CountedRefund, now: number): Promise<void> {
  const { userId, amount, currency } = refund;
  const user = userId === null ? null : await selectUserById(tx, userId);
  if (userId === null || user === null) return;
  const most = limitOf(user.role, await selectRefundLimits(tx, userId), currency);
  if (most === null) return;
  const at = { userId, currency, day: dayOf(now) };
  if (amount <= most && (await addToRefundDay(tx, at, amount, most))) return;
  const left = Math.max(0, most - (await selectRefundDay(tx, at)));
  throw new Problem('REFUND_LIMIT_REACHED', {
    detail: {
      en: `You may refund ${formatMoney(most, currency)} a day, and ${formatMoney(left, currency)} of it is left today.`,
      es: `Puedes devolver ${formatMoney(most, currency)} por día, y hoy te quedan ${formatMoney(left, currency)}.`,
    },
    data: { limit: toDecimalNumber(most, currency), left: toDecimalNumber(left, currency), currency },
  });
}

/**
 * Returns whether a refund exceeds the rest of its user's limit for today. Counts nothing. False without a limit or a
 * user.
 */
export async function exceedsRefundLimit(tx: Tx, refund: CountedRefund, now: number): Promise<boolean> {
  const { userId, amount, currency } = refund;
  const user = userId === null ? null : await selectUserById(tx, userId);
  if (userId === null || user === null) return false;
  const most = limitOf(user.role, await selectRefundLimits(tx, userId), currency);
  return most !== null && (await selectRefundDay(tx, { userId, currency, day: dayOf(now) })) + amount > most;
}

/**
 * Returns the limit; null: no limit. The user's own limits replace the role's. With a limit in any currency, other
 * currencies have 0.
 */
function limitOf(role: Role, own: readonly RefundLimitRow[], currency: string): number | null {
  const { refundsPerDay } = rightsOf(role);
  if (own.length > 0) return own.find((row) => row.currency === currency)?.most ?? 0;
  return refundsPerDay === undefined ? null : (refundsPerDay[currency] ?? 0);
}
