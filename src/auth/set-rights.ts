import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { invalidParameter, notFound, type Problem } from '../error-catalogue.ts';
import { type DescribedRights, describeRights, saidOf } from './describe-rights.ts';
import { requireManager, requireWithin } from './manage-rule.ts';
import { type Permission, type Role, rightsOf } from './permission.ts';
import { deleteRefundLimits, insertRefundLimit } from './refund-limit-queries.ts';
import { normalizeEmail, type PaymentServiceScope, type RefundLimits } from './user.ts';
import { lockUser, selectUserById, selectUserByIdOrEmail, type UserRow } from './user-queries.ts';
import {
  deletePermission,
  deleteUserPaymentServices,
  insertPermission,
  insertUserPaymentService,
  updateAllPaymentServices,
  updateRole,
} from './user-right-queries.ts';

/** The requested changes; omitted members stay. Lists replace earlier ones. */
export type RightsWish = {
  role?: Role;
  grant?: readonly Permission[];
  revoke?: readonly Permission[];
  paymentServices?: PaymentServiceScope;
  /** Empty: removes the user's own limits, so that the role's apply. */
  refundLimits?: RefundLimits;
};

/**
 * Changes the rights of a user (an id or an e-mail address), within a second in every process. `managerId`: the user
 * who must be allowed to manage this user, before and after the change; null: the command line. Returns the new rights,
 * and the earlier ones as `before`; null if there is no such user. Throws `Problem` `NOT_FOUND` for an unknown payment
 * service, `INVALID_PARAMETER` for revoking a permission of the role, and `MORE_THAN_YOURS`.
 */
export function setRights(
  app: App,
  user: string,
  wish: RightsWish,
  by: Actor,
  managerId: string | null = null,
): Promise<({ id: string; email: string; before: DescribedRights } & DescribedRights) | null> {
  const name = normalizeEmail(user);
  return app.db.transaction(async (tx) => {
    const found = await selectUserByIdOrEmail(tx, name);
    if (found !== null && managerId !== null) await requireManager(tx, managerId, found.id);
    const row = await lockUser(tx, name);
    if (row === null) return null;
    const before = (await describeRights(tx, [row]))[0] as DescribedRights;
    const saidBefore = await saidOf(tx, row, before);
    if (wish.role !== undefined) await updateRole(tx, row.id, wish.role);
    for (const permission of wish.grant ?? []) await insertPermission(tx, row.id, permission);
    for (const permission of wish.revoke ?? []) {
      if (rightsOf(wish.role ?? row.role).may.includes(permission)) throw ofRole(permission);
      await deletePermission(tx, row.id, permission);
    }
    if (wish.paymentServices !== undefined) await storePaymentServices(tx, row.id, wish.paymentServices);
    if (wish.refundLimits !== undefined) await storeRefundLimits(tx, row.id, wish.refundLimits);
    if (managerId !== null) await requireWithin(tx, managerId, row.id);
    const changed = (await selectUserById(tx, row.id)) as UserRow;
    const rights = (await describeRights(tx, [changed]))[0] as DescribedRights;
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'user.role_set',
      subject: { kind: 'user', id: row.id },
      before: saidBefore,
      after: await saidOf(tx, row, rights),
    });
    return { id: row.id, email: row.email, ...rights, before };
  });
}

function ofRole(permission: Permission): Problem {
  return invalidParameter(
    `${permission} is what the role of this user says: give it another role.`,
    `${permission} lo da el rol de este usuario: dale otro rol.`,
  );
}

/** Sets the payment services that a user sees. Throws `Problem` `NOT_FOUND` for an unknown one. */
export async function storePaymentServices(tx: Tx, userId: string, scope: PaymentServiceScope): Promise<void> {
  await updateAllPaymentServices(tx, userId, scope === 'all');
  await deleteUserPaymentServices(tx, userId);
  for (const paymentServiceId of new Set(scope === 'all' ? [] : scope)) {
    if (await insertUserPaymentService(tx, userId, paymentServiceId)) continue;
    throw notFound(
      `There is no payment service ${paymentServiceId}: bin/rubrica payment-service list`,
      `No existe el servicio de pago ${paymentServiceId}: bin/rubrica payment-service list`,
    );
  }
}

/** Sets a user's own refund limits per day. */
export async function storeRefundLimits(tx: Tx, userId: string, limits: RefundLimits): Promise<void> {
  await deleteRefundLimits(tx, userId);
  for (const [currency, most] of Object.entries(limits)) {
    await insertRefundLimit(tx, { user_id: userId, currency, most });
  }
}
