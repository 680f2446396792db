import type { Database, InsertTarget, Tx } from '../db/database.ts';
import type { RecipientActor, RecipientRow } from './recipient.ts';

type Reader = Pick<Database, 'query'>;

const RECIPIENTS: InsertTarget = {
  name: 'recipients',
  columns: [
    'id',
    'version',
    'owner',
    'payment_service_id',
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

/** Answers false where another process has made one of these versions, or kept one of these validations: then roll back. */
export async function insertRecipients(tx: Tx, rows: readonly RecipientRow[]): Promise<boolean> {
  if (rows.length === 0) return true;
  return (await tx.insertRows(RECIPIENTS, rows, 'on conflict do nothing returning id')).length === rows.length;
}

/** The recipients that an actor sees: $1 to $3 are `sightOf` the actor. */
const SEEN = `($1 = 1 or (payment_service_id is null and owner = $2)
  or payment_service_id in (select payment_service_id from environments where id {among $3}))`;

/** Every version of a recipient, the newest first; none where the actor does not see it. */
export function selectVersions(db: Reader, id: string, actor: RecipientActor): Promise<RecipientRow[]> {
  const sql = `select * from recipients where ${SEEN} and id = $4 order by version desc`;
  return db.query<RecipientRow>(sql, [...sightOf(actor), id]);
}

/** The newest version of each recipient that the actor sees and whose id comes after `after`, in their order. */
export function selectRecipients(
  db: Reader,
  actor: RecipientActor,
  { after, limit, rutHash }: { after: string; limit: number; rutHash: string },
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    `select * from recipients as newest
     where ${SEEN} and id > $4 and $6 in ('', rut_hash) and version = (select max(version) from recipients where id = newest.id)
     order by id limit $5`,
    [...sightOf(actor), after, limit, rutHash],
  );
}

/** The payment services that the actor sees, at most two; only the one with this id, unless it is null. */
export async function selectPaymentServicesSeen(
  db: Reader,
  { environmentIds }: RecipientActor,
  id: string | null,
): Promise<string[]> {
  const rows = await db.query<{ payment_service_id: string }>(
    `select distinct payment_service_id from environments
     where ($1 = 1 or id {among $2}) and $3 in ('', payment_service_id) limit 2`,
    [environmentIds === null ? 1 : 0, [...(environmentIds ?? [])], id ?? ''],
  );
  return rows.map((row) => row.payment_service_id);
}

function sightOf({ id, environmentIds }: RecipientActor) {
  return [environmentIds === null ? 1 : 0, id, [...(environmentIds ?? [])]] as const;
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
