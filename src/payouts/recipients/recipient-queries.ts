import type { InsertTarget, Reader, Tx } from '../../db/database.ts';
import type { RecipientActor, RecipientRow } from './recipient.ts';

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

/**
 * Inserts versions of recipients. Returns false if another process has made one of them or stored one of their
 * validations; the caller then rolls back.
 */
export async function insertRecipients(tx: Tx, rows: readonly RecipientRow[]): Promise<boolean> {
  if (rows.length === 0) return true;
  return (await tx.insertRows(RECIPIENTS, rows, 'on conflict do nothing returning id')).length === rows.length;
}

/** The condition for recipients that an actor sees; $1 to $3 come from `sightOf`. */
const SEEN = `($1 = 1 or (payment_service_id is null and owner = $2)
  or payment_service_id in (select payment_service_id from environments where id {among $3}))`;

/** Returns all versions of a recipient, newest first; none if the actor may not see it. */
export function selectVersions(db: Reader, id: string, actor: RecipientActor): Promise<RecipientRow[]> {
  const sql = `select * from recipients where ${SEEN} and id = $4 order by version desc`;
  return db.query<RecipientRow>(sql, [...sightOf(actor), id]);
}

/** Returns the newest version of each recipient that the actor sees, by id, after `after`. */
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

/** Returns at most two payment services that the actor sees; with an id, only that one. */
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

/** Returns the version that was stored from a validation. */
export async function selectOfValidation(db: Reader, validationId: string): Promise<RecipientRow | null> {
  const [row] = await db.query<RecipientRow>('select * from recipients where validation_id = $1', [validationId]);
  return row ?? null;
}

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

/** Returns which of these recipients have had more than one account. */
export async function selectWithOtherAccounts(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  const sql = 'select id from recipients where id {named $1} group by id having count(distinct account_hash) > 1';
  return new Set((await db.query<{ id: string }>(sql, [ids])).map(({ id }) => id));
}

/** Returns all versions of the recipients of payouts, oldest first. */
export function selectRecipientVersions(
  db: Reader,
  payouts: readonly { readonly recipient_id: string }[],
): Promise<RecipientRow[]> {
  const ids = [...new Set(payouts.map(({ recipient_id }) => recipient_id))];
  return db.query<RecipientRow>('select * from recipients where id {named $1} order by id, version', [ids]);
}

/** Returns all versions of the recipients of a RUT or an e-mail address, by its hash. */
export function selectRecipientsOf(db: Reader, hash: string): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    'select * from recipients where id in (select id from recipients where rut_hash = $1 or email_hash = $1) order by id, version',
    [hash],
  );
}

/** Deletes all versions of the recipients that have this hash in any version. Returns the number of versions. */
export async function deleteRecipientsOf(tx: Tx, hash: string): Promise<number> {
  const rows = await tx.query(
    `delete from recipients where id in (select id from recipients where rut_hash = $1 or email_hash = $1)
     returning id`,
    [hash],
  );
  return rows.length;
}
