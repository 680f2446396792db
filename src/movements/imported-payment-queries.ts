import type { InsertTarget, Reader, Tx } from '../db/database.ts';
import type { ImportedPayment } from './imported-payment.ts';

const IMPORTED_PAYMENTS: InsertTarget = {
  name: 'imported_payments',
  columns: [
    'id',
    'environment_id',
    'line_key',
    'link',
    'payment_attempt_id',
    'imported_at',
    'imported_by',
    'payment_method',
    'settled_on',
    'buy_order',
    'authorization_code',
    'amount',
    'currency',
    'evidence_name',
    'evidence_sha256',
    'file_line',
  ],
};

/** Inserts an imported line. Rejects if it was imported before. */
export async function insertImported(tx: Tx, row: ImportedPayment): Promise<void> {
  await tx.insertRows(IMPORTED_PAYMENTS, [row]);
}

/** Lists the imported lines of these days, including the first and the last day. */
export function selectImportedOf(
  db: Reader,
  environmentIds: readonly number[],
  method: string,
  days: { first: string; last: string },
): Promise<ImportedPayment[]> {
  return db.query<ImportedPayment>(
    `select * from imported_payments
     where environment_id {among $1} and payment_method = $2 and settled_on >= $3 and settled_on <= $4`,
    [environmentIds, method, days.first, days.last],
  );
}

/** Lists the imported lines of a day and an amount. */
export function selectImportedAlike(
  db: Reader,
  environmentIds: readonly number[],
  method: string,
  { day, amount, currency }: { day: string; amount: number; currency: string },
): Promise<ImportedPayment[]> {
  return db.query<ImportedPayment>(
    `select * from imported_payments
     where environment_id {among $1} and payment_method = $2 and settled_on = $3 and amount = $4 and currency = $5`,
    [environmentIds, method, day, amount, currency],
  );
}

/** Lists the imported lines with one of these buy orders, of any day. */
export function selectImportedNamed(
  db: Reader,
  environmentIds: readonly number[],
  method: string,
  names: readonly string[],
): Promise<ImportedPayment[]> {
  return db.query<ImportedPayment>(
    `select * from imported_payments
     where environment_id {among $1} and payment_method = $2 and buy_order {named $3}`,
    [environmentIds, method, names],
  );
}

export async function wasImported(db: Reader, paymentMethod: string, lineKey: string): Promise<boolean> {
  const rows = await db.query('select id from imported_payments where payment_method = $1 and line_key = $2', [
    paymentMethod,
    lineKey,
  ]);
  return rows.length > 0;
}
