import type { Database, InsertTarget, Tx } from '../db/database.ts';
import type { RecipientRow } from './recipient.ts';

type Reader = Pick<Database, 'query'>;

const RECIPIENTS: InsertTarget = {
  name: 'recipients',
  columns: [
    'id',
    'version',
    'owner',
    'created_at',
    'created_by',
    'validation_id',
    'verdict',
    'validated_at',
    'expires_at',
    'bank_code',
    'account_masked',
    'rut_hash',
    'account_hash',
    'email_hash',
    'sealed_details',
  ],
};

export async function insertRecipient(tx: Tx, row: RecipientRow): Promise<void> {
  await tx.insertRows(RECIPIENTS, [row]);
}

/** Every version of a recipient, the newest first; none where it is not of this owner. Null: of any owner. */
export function selectVersions(db: Reader, id: string, owner: string | null): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    'select * from recipients where id = $1 and (cast($2 as text) is null or owner = $2) order by version desc',
    [id, owner],
  );
}

/** The newest version of each recipient whose id comes after `after`, in their order. */
export function selectRecipients(
  db: Reader,
  { owner, after, limit }: { owner: string | null; after: string; limit: number },
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    `select * from recipients as newest
     where id > $2 and (cast($1 as text) is null or owner = $1)
       and version = (select max(version) from recipients where id = newest.id)
     order by id limit $3`,
    [owner, after, limit],
  );
}

/** The version that a validation was kept as. */
export async function selectOfValidation(db: Reader, validationId: string): Promise<RecipientRow | null> {
  const [row] = await db.query<RecipientRow>('select * from recipients where validation_id = $1', [validationId]);
  return row ?? null;
}

/** Of a RUT or an e-mail address, by the hash of either. */
export function selectRecipientsOf(db: Reader, hash: string): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    'select * from recipients where id in (select id from recipients where rut_hash = $1 or email_hash = $1) order by id, version',
    [hash],
  );
}

/** Removes the recipients that have this hash in any version, whole, and answers how many versions those had. */
export async function deleteRecipientsOf(tx: Tx, hash: string): Promise<number> {
  const rows = await tx.query(
    `delete from recipients where id in (select id from recipients where rut_hash = $1 or email_hash = $1)
     returning id`,
    [hash],
  );
  return rows.length;
}
