import type { App } from '../app.ts';
import { hasLatePayment } from '../books/journal-queries.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import { findAttempt } from '../checkout/find-payment.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { sumWentBack } from './movement-queries.ts';

/**
 * Finds the payment whose money a chargeback took back, by its buy order. Only reads. Returns why a person must look,
 * if the books do not have the payment, or do not have so much of it any more.
 */
export async function planChargeback(
  app: App,
  method: string,
  row: SettlementRow,
): Promise<{ attemptId: string; transaction: Transaction } | string> {
  const found = row.buyOrder === null ? null : await findAttempt(app, row.buyOrder);
  if (found === null || found.attempt.payment_method !== method) return 'a chargeback of no payment of ours';
  const { attempt, transaction } = found;
  if (attempt.state !== 'approved' || transaction.state !== 'completed')
    return 'a chargeback of a payment that is not in the books';
  if (await hasLatePayment(app.db, transaction)) return 'a chargeback of an order that was paid twice';
  const { wentBack } = await sumWentBack(app.db, transaction);
  if (wentBack - row.amount > transaction.amount) return MORE_THAN_LEFT;
  return { attemptId: attempt.id, transaction };
}

export const MORE_THAN_LEFT = 'a chargeback of more than is left of the payment: bin/rubrica reconcile';
