import type { App } from '../app.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { lockMovement, selectMovement, selectReturn } from '../movements/movement-queries.ts';
import type { MovementTarget } from '../movements/record-movement.ts';
import { bookReturn, type Returned, type ReturnWish } from '../movements/return-movement.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import { selectEnvironmentId } from '../payment-services/payment-service-queries.ts';
import { selectLineOf } from './bank-statement-queries.ts';
import type { KeptLine } from './statement.ts';

/**
 * `nothing`: no deposit has this reference. `unknown`: no such payment service. `arrived`: `line` of a bank statement
 * shows that the deposit came. `refused`: the merchant paid it in and has used it; only `most`, in minor units, is left.
 */
export type DepositReturn =
  | Returned
  | { kind: 'nothing' | 'unknown' }
  | { kind: 'arrived'; line: KeptLine }
  | { kind: 'refused'; most: Sum };

/**
 * Records that a deposit never came, or was recorded by mistake: all of it with its commission, only once, with its
 * entries in the same commit. Rejects with `StorageError`.
 */
export function returnDeposit(app: App, target: MovementTarget, wish: ReturnWish): Promise<DepositReturn> {
  const now = app.now();
  return app.db.transaction<DepositReturn>(async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return { kind: 'unknown' };
    const { reference } = wish;
    const deposit = await selectMovement(tx, { environment_id: environmentId, kind: 'deposit', reference });
    if (deposit === null) return { kind: 'nothing' };
    // A line of a bank statement takes this lock before it matches the deposit, and concurrent returns queue here.
    await lockMovement(tx, deposit.id);
    if ((await selectReturn(tx, deposit)) !== null) return { kind: 'already', movement: deposit };
    const line = await selectLineOf(tx, 'deposit', [deposit.id]);
    if (line !== null) return { kind: 'arrived', line };
    const { available } = await lockFunds(tx, environmentId, deposit.currency);
    if (deposit.payment_method === null && deposit.amount > available) return { kind: 'refused', most: available };
    return bookReturn(tx, target, deposit, { ...wish, now });
  });
}
