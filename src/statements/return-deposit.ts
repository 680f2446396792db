import type { App } from '../app.ts';
import { requireUserOf } from '../auth/person-of.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { lockMovement, selectMovement, selectReturn } from '../movements/movement-queries.ts';
import type { MovementTarget } from '../movements/record-movement.ts';
import { bookReturn, type Returned, type ReturnWish } from '../movements/return-movement.ts';
import { requireHere } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import { selectEnvironmentId } from '../payment-services/payment-service-queries.ts';
import { lockLineOf } from './line-decision-queries.ts';
import { reopenLine } from './reopen-line.ts';
import type { KeptLine } from './statement.ts';

/**
 * `line`: the line of a bank statement that the deposit was, by a person's decision; it is in suspense again.
 * `nothing`: no deposit has this reference. `unknown`: no such payment service. `arrived`: an import matched `line`,
 * which shows that the deposit came. `refused`: the merchant paid it in and has used it; only `most`, in minor units,
 * is left.
 */
export type DepositReturn =
  | (Returned & { line?: KeptLine })
  | { kind: 'nothing' | 'unknown' }
  | { kind: 'arrived'; line: KeptLine }
  | { kind: 'refused'; most: Sum };

/**
 * Records that a deposit never came, or was recorded by mistake: all of it with its commission, only once, with its
 * entries in the same commit. Its line in a bank statement is in suspense again. Throws `Problem` PERSON_NEEDED or
 * PERMISSION_MISSING for a deposit with such a line, and PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another
 * database has the payment service. Rejects with `StorageError`.
 */
export async function returnDeposit(app: App, target: MovementTarget, wish: ReturnWish): Promise<DepositReturn> {
  const now = app.now();
  await requireHere(app, target.paymentServiceId);
  return app.db.transaction<DepositReturn>(async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return { kind: 'unknown' };
    const { reference, by, reason } = wish;
    const deposit = await selectMovement(tx, { environment_id: environmentId, kind: 'deposit', reference });
    if (deposit === null) return { kind: 'nothing' };
    // A line of a bank statement takes this lock before it matches the deposit, and concurrent returns queue here.
    await lockMovement(tx, deposit.id);
    if ((await selectReturn(tx, deposit)) !== null) return { kind: 'already', movement: deposit };
    const line = await lockLineOf(tx, 'deposit', deposit.id);
    if (line !== null && line.resolved_at === null) return { kind: 'arrived', line };
    const { available } = await lockFunds(tx, environmentId, deposit.currency);
    if (line !== null) await requireUserOf(tx, by, environmentId, 'movements:record');
    if (deposit.payment_method === null && deposit.amount > available) return { kind: 'refused', most: available };
    const returned = await bookReturn(tx, target, deposit, { ...wish, now });
    if (line === null) return returned;
    await reopenLine(tx, line, { by, reason, at: now });
    return { ...returned, line };
  });
}
