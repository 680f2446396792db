import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { Recall } from '../lib/recall.ts';
import type { Verdict } from './check.ts';

export type ValidationState = 'completed' | 'pending';

export type ValidationRow = SqlRow & {
  id: string;
  actor: string;
  created_at: number;
  state: ValidationState;
  verdict: Verdict;
  bank_code: string | null;
  account_masked: string;
  findings: string;
  directory_version: string;
  rut_hash: string | null;
  account_hash: string | null;
  provider: string | null;
  provider_detail: string | null;
  answered_at: number | null;
  expires_at: number | null;
  next_ask_at: number | null;
  asks: number | null;
  sealed_question: string | null;
};

const VALIDATIONS: InsertTarget = {
  name: 'bank_account_validations',
  columns: [
    'id',
    'actor',
    'created_at',
    'state',
    'verdict',
    'bank_code',
    'account_masked',
    'findings',
    'directory_version',
    'rut_hash',
    'account_hash',
    'provider',
    'provider_detail',
    'answered_at',
    'expires_at',
    'next_ask_at',
    'asks',
    'sealed_question',
  ],
};

export async function insertValidations(tx: Tx, rows: readonly ValidationRow[]): Promise<void> {
  await tx.insertRows(VALIDATIONS, rows);
}

/** Returns a validation of this actor; null if it does not exist or belongs to another actor. */
export async function selectValidation(db: Reader, actor: string, id: string): Promise<ValidationRow | null> {
  const [row] = await db.query<ValidationRow>('select * from bank_account_validations where id = $1 and actor = $2', [
    id,
    actor,
  ]);
  return row ?? null;
}

/** Returns a validation of any actor, for the command line and for users who see all payment services. */
export async function selectAnyValidation(db: Reader, id: string): Promise<ValidationRow | null> {
  const [row] = await db.query<ValidationRow>('select * from bank_account_validations where id = $1', [id]);
  return row ?? null;
}

/** Locks a validation until the commit. Returns false if it does not exist. */
export async function lockValidation(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('select id from bank_account_validations where id = $1 {for_update}', [id])).length === 1;
}

export function selectDueValidations(db: Reader, now: number, limit: number): Promise<ValidationRow[]> {
  return db.query<ValidationRow>(
    `select * from bank_account_validations where state = 'pending' and next_ask_at <= $1 order by next_ask_at limit $2`,
    [now, limit],
  );
}

/** Claims a due validation until `nextAskAt`. Returns false if another replica claimed it first. */
export async function claimValidation(
  tx: Tx,
  claim: { id: string; dueAt: number; nextAskAt: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update bank_account_validations set next_ask_at = $3, asks = asks + 1
     where id = $1 and next_ask_at = $2 and state = 'pending' returning id`,
    [claim.id, claim.dueAt, claim.nextAskAt],
  );
  return rows.length === 1;
}

/** Makes pending validations due at `now` that would be asked about after `furthest`. */
export async function recallValidations(tx: Tx, { now, furthest }: Recall): Promise<void> {
  await tx.query(`update bank_account_validations set next_ask_at = $1 where state = 'pending' and next_ask_at > $2`, [
    now,
    furthest,
  ]);
}

/** Sets when a pending validation is asked about again. */
export async function postponeValidation(tx: Tx, id: string, nextAskAt: number): Promise<void> {
  await tx.query(`update bank_account_validations set next_ask_at = $2 where id = $1 and state = 'pending'`, [
    id,
    nextAskAt,
  ]);
}

/** Completes a pending validation and deletes the question. Returns false if it is already completed. */
export async function completeValidation(
  tx: Tx,
  row: Pick<ValidationRow, 'id' | 'verdict' | 'findings' | 'provider_detail' | 'answered_at' | 'expires_at'>,
): Promise<boolean> {
  const rows = await tx.query(
    `update bank_account_validations
     set state = 'completed', verdict = $2, findings = $3, provider_detail = $4, answered_at = $5, expires_at = $6,
       next_ask_at = null, sealed_question = null
     where id = $1 and state = 'pending' returning id`,
    [row.id, row.verdict, row.findings, row.provider_detail, row.answered_at, row.expires_at],
  );
  return rows.length === 1;
}

/** Scans the whole table: an index is not worth its cost for rare requests of a person. */
export function selectValidationsOfRut(db: Reader, rutHash: string): Promise<ValidationRow[]> {
  return db.query<ValidationRow>('select * from bank_account_validations where rut_hash = $1 order by id', [rutHash]);
}

/** Deletes a validation and its idempotency keys. Returns false if it was already deleted. */
export async function deleteValidation(tx: Tx, id: string): Promise<boolean> {
  await tx.query('delete from validation_keys where validation_id = $1', [id]);
  const deleted = await tx.query('delete from bank_account_validations where id = $1 returning id', [id]);
  return deleted.length === 1;
}

/** Deletes at most `limit` validations whose ids sort before `id`, so older ones. Returns how many. */
export async function deleteValidationsBefore(tx: Tx, id: string, limit: number): Promise<number> {
  const deleted = await tx.query(
    `delete from bank_account_validations
     where id in (select id from bank_account_validations where id < $1 order by id limit $2) returning id`,
    [id, limit],
  );
  return deleted.length;
}

export type KeyRow = { actor: string; key: string; request_hash: string; validation_id: string; created_at: number };

export async function selectKey(db: Reader, actor: string, key: string, since: number): Promise<KeyRow | null> {
  const [row] = await db.query<KeyRow>(
    'select * from validation_keys where actor = $1 and key = $2 and created_at > $3',
    [actor, key, since],
  );
  return row ?? null;
}

/** Inserts a key, or replaces one from before `since`. Returns false if a newer one exists. */
export async function insertKey(tx: Tx, row: KeyRow, since: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into validation_keys (actor, key, request_hash, validation_id, created_at) values ($1, $2, $3, $4, $5)
     on conflict (actor, key) do update
       set request_hash = excluded.request_hash, validation_id = excluded.validation_id, created_at = excluded.created_at
       where validation_keys.created_at <= $6 returning key`,
    [row.actor, row.key, row.request_hash, row.validation_id, row.created_at, since],
  );
  return rows.length === 1;
}

export async function deleteKeysBefore(tx: Tx, time: number): Promise<void> {
  await tx.query('delete from validation_keys where created_at <= $1', [time]);
}
