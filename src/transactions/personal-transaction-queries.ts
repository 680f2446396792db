import type { SqlRow, Tx } from '../db/database.ts';
import { type LikeOptions, selectLike, type TableWalk, type WalkedStore } from '../db/walk-queries.ts';

/** The texts of a transaction that shops or payers wrote. Times are UTC milliseconds, `amount` is in minor units. */
export type PersonalTransaction = SqlRow & {
  id: number;
  environment_id: number;
  created_at: number;
  state: string;
  amount: number;
  currency: string;
  reference: string;
  customer_email: string;
  session_id: string;
  url_callback: string;
  url_cancel: string;
  url_complete: string;
  unsigned_fields: string | null;
};

const TRANSACTIONS: TableWalk = {
  table: 'transactions',
  key: ['id'],
  columns:
    'id, environment_id, created_at, state, amount, currency, reference, customer_email, session_id, url_callback, url_cancel, url_complete, unsigned_fields',
  text: `customer_email || ' ' || reference || ' ' || session_id || ' ' || url_callback || ' ' || url_cancel
    || ' ' || url_complete || ' ' || coalesce(unsigned_fields, '')`,
};

/** Lists the transactions whose texts match `like`, in the order of their ids. Scans the whole table. */
export function selectPersonalTransactions(
  db: WalkedStore,
  like: string,
  options: LikeOptions<PersonalTransaction>,
): Promise<PersonalTransaction[]> {
  return selectLike<PersonalTransaction>(db, TRANSACTIONS, like, options);
}

/**
 * Updates the texts of a transaction that no hash of the books covers: all except its reference. Does nothing if they
 * are not as `found`: another person may have been erased from them meanwhile.
 */
export async function updatePersonalTexts(tx: Tx, found: PersonalTransaction, row: PersonalTransaction): Promise<void> {
  await tx.query(
    `update transactions set customer_email = $3, session_id = $4, url_callback = $5, url_cancel = $6, url_complete = $7,
       unsigned_fields = $8
     where id = $1 and environment_id = $2
       and session_id = $9 and url_callback = $10 and url_cancel = $11 and url_complete = $12`,
    [
      row.id,
      row.environment_id,
      row.customer_email,
      row.session_id,
      row.url_callback,
      row.url_cancel,
      row.url_complete,
      row.unsigned_fields,
      found.session_id,
      found.url_callback,
      found.url_cancel,
      found.url_complete,
    ],
  );
}
