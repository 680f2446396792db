import type { Reader, SqlRow } from '../../db/database.ts';
import type { RecipientRow } from '../../payouts/recipients/recipient.ts';

/** A version of a recipient. */
export type RecipientPlace = Pick<RecipientRow, 'id' | 'version'>;

/** Lists the next versions of recipients. */
export function selectRecipientsAfter(
  db: Reader,
  { id, version }: RecipientPlace,
  limit: number,
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(
    `select * from recipients where id > $1 or (id = $1 and version > $2) order by id, version limit $3`,
    [id, version, limit],
  );
}

/**
 * An act of a person about a recipient: `said` has the version. `is_older`: of 0.1.0, which lacks the migration 0062.
 */
export type RecipientAct = SqlRow & {
  subject: string;
  created_at: number;
  user_id: string | null;
  said: string | null;
  is_older: 0 | 1;
};

/** Returns the acts that stored versions of these recipients. A proposed payout stores some without an act. */
export function selectRecipientActs(db: Reader, ids: readonly string[]): Promise<RecipientAct[]> {
  return db.query<RecipientAct>(
    `select a.subject, a.created_at, a.user_id, a.said_after as said,
       case when exists (select 1 from audit_log v where v.action = 'store.migrated' and v.link > a.link
         and v.said_after like '%"0062-%') then 1 else 0 end as is_older
     from audit_log a
     where a.subject {named $1} and {filter_by}a.action in ('recipient.created', 'recipient.changed')`,
    [ids],
  );
}

/** Lists payouts whose bank, account, RUT or verdict is not their recipient's. */
export function selectPayoutsOfOthers(
  db: Reader,
  limit: number,
): Promise<{ id: string; environment_id: number; created_at: number }[]> {
  return db.query(
    `select p.id, p.environment_id, p.created_at from payouts p
     join recipients r on r.id = p.recipient_id and r.version = p.recipient_version
     where r.account_hash <> p.account_hash or r.bank_code <> p.bank_code or r.rut_hash <> p.rut_hash
       or r.account_masked <> p.account_masked or r.verdict <> p.verdict or r.validated_at <> p.validated_at
     order by p.created_at, p.id limit $1`,
    [limit],
  );
}
