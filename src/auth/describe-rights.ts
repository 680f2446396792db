import type { Reader } from '../db/database.ts';
import { formatMoney } from '../lib/money.ts';
import { type Permission, permissionsOf, type Role, rightsOf } from './permission.ts';
import { type RefundLimitRow, selectRefundLimits } from './refund-limit-queries.ts';
import type { RefundLimits } from './user.ts';
import type { UserRow } from './user-queries.ts';
import { selectPermissions, selectUserPaymentServices } from './user-right-queries.ts';

/**
 * The rights of a user as commands show them. `payment_services` null: all. `refund_limits`: minor units per day; null:
 * no limit. `payouts`: whether the user may validate bank accounts.
 */
export type DescribedRights = {
  role: Role;
  permissions: Permission[];
  payouts: boolean;
  payment_services: string[] | null;
  refund_limits: RefundLimits | null;
};

/**
 * Reads the rights as the audit log records them. `granted` and `own_limits` say what is stored for the user alone,
 * which `books verify` compares, like `email`: what a role gives may change with a version.
 */
export async function saidOf(
  db: Reader,
  { id: userId, email }: Pick<UserRow, 'id' | 'email'>,
  { role, permissions, payment_services: services, refund_limits: limits }: DescribedRights,
) {
  return {
    email,
    role,
    permissions,
    granted: (await selectPermissions(db, userId)).map(({ permission }) => permission),
    payment_services: services ?? ['all'],
    refunds_a_day: sayLimits(limits),
    own_limits: (await selectRefundLimits(db, userId)).length > 0,
  };
}

/** Returns refund limits as the audit log records them. */
export function sayLimits(limits: RefundLimits | null): string[] {
  return Object.entries(limits ?? {}).map(([currency, most]) => formatMoney(most, currency));
}

type Described = Pick<UserRow, 'id' | 'role' | 'all_payment_services'>;

/** Returns the rights of these users, in the same order. */
export async function describeRights(db: Reader, users: readonly Described[]): Promise<DescribedRights[]> {
  const [only] = users.length === 1 ? users : [];
  const userId = only?.id ?? null;
  // Groups the rows by user first: searching all rows for each of thousands of users blocked the process for seconds.
  const granted = ofEach(await selectPermissions(db, userId));
  const services = ofEach(await selectUserPaymentServices(db, userId));
  const limits = ofEach(await selectRefundLimits(db, userId));
  return users.map(({ id, role, all_payment_services }) => {
    const may = permissionsOf(
      role,
      granted(id).map(({ permission }) => permission),
    );
    return {
      role,
      permissions: [...may].sort(),
      payouts: may.has('accounts:validate'),
      payment_services:
        all_payment_services === 1 ? null : services(id).map(({ payment_service_id }) => payment_service_id),
      refund_limits: limitsInForce(role, limitsOf(limits(id))),
    };
  });
}

function ofEach<Row extends { user_id: string }>(rows: readonly Row[]): (userId: string) => readonly Row[] {
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return (userId) => byUser.get(userId) ?? [];
}

/** Returns the limits of rows, by currency. */
export function limitsOf(rows: readonly RefundLimitRow[]): RefundLimits {
  return Object.fromEntries(rows.map(({ currency, most }) => [currency, most]));
}

/** Returns how much a user may refund in a day: the user's own limits, else the role's; null: no limit. */
export function limitsInForce(role: Role, own: RefundLimits): RefundLimits | null {
  return Object.keys(own).length > 0 ? own : (rightsOf(role).refundsPerDay ?? null);
}
