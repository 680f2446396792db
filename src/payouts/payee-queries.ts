import type { Database } from '../db/database.ts';
import type { RecipientRow } from './recipient.ts';

type Reader = Pick<Database, 'query'>;

/** Returns the newest version of each recipient of a payment service with one of these RUTs. */
export function selectPayees(
  db: Reader,
  paymentServiceId: string,
  rutHashes: readonly string[],
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    `select * from recipients as newest
     where rut_hash {named $1} and payment_service_id = $2
       and version = (select max(version) from recipients where id = newest.id)
     order by created_at desc, id`,
    [rutHashes, paymentServiceId],
  );
}

/** Returns all versions of these recipients. */
export function selectVersionsOf(db: Reader, ids: readonly string[]): Promise<RecipientRow[]> {
  return db.query<RecipientRow>('select * from recipients where id {named $1} order by id, version', [ids]);
}
