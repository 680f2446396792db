import type { Database, SqlRow } from '../db/database.ts';

/** A text that is kept although it holds a person, and what names its row. */
export type KeptText = SqlRow & { name: string; text: string };

type KeptPlace = { readonly kind: string; readonly why: string; readonly sql: string };

const SEALED = 'it is sealed in a chain that proves where money is';

const PAID_OUT = "reference || ' ' || message || ' ' || coalesce(reason, '') || ' ' || coalesce(callback_url, '')";

const DECIDED = "reason || ' ' || coalesce(evidence_name, '') || ' ' || decided_by";

/**
 * Where a text stays, with the reason: what is sealed cannot be taken out without breaking the proof, and people who work here are
 * ended with their own command. Each statement has `like` as $1.
 */
export const KEPT_PLACES: readonly KeptPlace[] = [
  place('references', SEALED, 'transactions', 'id', 'reference'),
  place('events', SEALED, 'events', 'position', "coalesce(data, '')"),
  place('payment_attempts', SEALED, 'payment_attempts', 'id', "coalesce(detail, '')"),
  place('refunds', SEALED, 'refunds', 'id', "coalesce(detail, '') || ' ' || requested_by"),
  place('movements', SEALED, 'movements', 'id', "reference || ' ' || coalesce(reason, '')"),
  place('payout_texts', 'it says what was paid out, and why', 'payouts', 'id', PAID_OUT),
  place('payout_batches', 'it says what was paid out', 'payout_batches', 'id', 'name'),
  place('facts', SEALED, 'book_facts', 'link', "content || ' ' || recorded_by"),
  place('payment_decisions', SEALED, 'payment_decisions', 'id', DECIDED),
  place('refund_decisions', SEALED, 'refund_decisions', 'id', DECIDED),
  place('imported_payments', SEALED, 'imported_payments', 'id', "evidence_name || ' ' || imported_by"),
  place('anchors', SEALED, 'anchors', 'number', 'content'),
  place(
    'audit_log',
    'it says who did what, and is sealed',
    'audit_log',
    'link',
    "actor || ' ' || subject || ' ' || coalesce(said_before, '') || ' ' || coalesce(said_after, '')",
  ),
  place('users', 'this person works here: bin/rubrica user disable', 'users', 'id', 'email'),
];

/** At most `limit` of them. Looks through the whole table. */
export function selectKeptTexts(
  db: Pick<Database, 'query'>,
  { sql }: KeptPlace,
  like: string,
  limit: number,
): Promise<KeptText[]> {
  return db.query<KeptText>(sql, [like, limit]);
}

function place(kind: string, why: string, table: string, name: string, text: string): KeptPlace {
  const sql = `select cast(${name} as text) as name, ${text} as text from ${table}
    where lower(${text}) like $1 escape '!' order by ${name} limit $2`;
  return { kind, why, sql };
}
