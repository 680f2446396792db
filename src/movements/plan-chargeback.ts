import type { App } from '../app.ts';
import { hasLatePayment } from '../books/journal-queries.ts';
import type { BookedLine } from '../books/reconciliation-queries.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import { findAttempt } from '../checkout/find-payment.ts';
import { selectLatestAttempt } from '../checkout/payment-attempt-queries.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { selectTransactionAnywhere } from '../transactions/transaction-queries.ts';
import { compareImported, type ImportedBefore, lineKeyOf } from './imported-payment.ts';
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
  const found = row.buyOrder === null ? null : await findCharged(app, row.buyOrder);
  if (found === null || found.attempt.payment_method !== method) return 'a chargeback of no payment of ours';
  const { attempt, transaction } = found;
  if (attempt.state !== 'approved' || transaction.state !== 'completed')
    return 'a chargeback of a payment that is not in the books';
  if (await hasLatePayment(app.db, transaction)) return 'a chargeback of an order that was paid twice';
  const { wentBack } = await sumWentBack(app.db, transaction);
  if (wentBack - row.amount > transaction.amount) return MORE_THAN_LEFT;
  return { attemptId: attempt.id, transaction };
}

/** Finds the payment as a comparison does: by the id of the transaction if its method has no buy orders. */
async function findCharged(app: App, buyOrder: string) {
  const found = await findAttempt(app, buyOrder);
  if (found !== null || !/^\d{1,15}$/.test(buyOrder)) return found;
  const transaction = await selectTransactionAnywhere(app.db, Number(buyOrder));
  const attempt = transaction === null ? null : await selectLatestAttempt(app.db, transaction);
  if (transaction === null || attempt === null || 'buy_order' in JSON.parse(attempt.detail ?? '{}')) return null;
  return { attempt, transaction };
}

/**
 * Leaves out the chargebacks that earlier imports booked, and their entries, so that they do not hide another
 * chargeback of the same payment. An entry whose line is not in the file stays if the file has another chargeback of
 * the same amount, which may be the same one with the day of another export. `charged`: the imported chargebacks.
 */
export function leaveOutCharged(
  rows: readonly SettlementRow[],
  lines: readonly BookedLine[],
  charged: ImportedBefore,
): { rows: SettlementRow[]; lines: BookedLine[] } {
  const [known, others] = [new Set<SettlementRow>(), new Set<string>()];
  const explained = new Map<string, Set<string>>();
  for (const row of rows.filter(({ chargeback }) => chargeback)) {
    const key = `${row.buyOrder} ${-row.amount}`;
    if (compareImported({ ...row, amount: -row.amount }, charged) === 'same') {
      known.add(row);
      explained.getOrInsertComputed(key, () => new Set()).add(lineKeyOf('', row));
    } else others.add(key);
  }
  const unexplained = lines.filter(({ kind, imported_buy_order, imported_amount }) => {
    if (kind !== 'unasked_refund' || imported_amount === null) return true;
    const key = `${imported_buy_order} ${imported_amount}`;
    const [own] = explained.get(key) ?? [];
    if (own !== undefined) explained.get(key)?.delete(own);
    return own === undefined && others.has(key);
  });
  return { rows: rows.filter((row) => !known.has(row)), lines: unexplained };
}

export const MORE_THAN_LEFT = 'a chargeback of more than is left of the payment: bin/rubrica reconcile';
