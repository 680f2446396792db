import type { Database, SqlRow } from '../db/database.ts';
import type { KeptReason } from './kept.ts';

/** A text that is kept although it holds a person, and what names its row. */
export type KeptText = SqlRow & { name: string; text: string };

type KeptPlace = { readonly kind: string; readonly reason: KeptReason; readonly sql: string };

const PAID_OUT = "reference || ' ' || message || ' ' || coalesce(reason, '') || ' ' || coalesce(callback_url, '')";

const DECIDED = "reason || ' ' || coalesce(evidence_name, '') || ' ' || decided_by";

const DIFFERENCE = "settlement_id || '/' || number";

const LINE = "statement_id || '/' || number";

/**
 * Where a text stays, with the reason: what is sealed cannot be taken out without breaking the proof, and people who work here are
 * ended with their own command. Each statement has `like` as $1.
 */
export const KEPT_PLACES: readonly KeptPlace[] = [
  place('references', 'sealed', 'transactions', 'id', 'reference'),
  place('events', 'sealed', 'events', 'position', "coalesce(data, '')"),
  place('payment_attempts', 'sealed', 'payment_attempts', 'id', "coalesce(detail, '')"),
  place('refunds', 'sealed', 'refunds', 'id', "coalesce(detail, '') || ' ' || requested_by"),
  place('movements', 'sealed', 'movements', 'id', "reference || ' ' || coalesce(reason, '')"),
  place('payout_texts', 'paid_why', 'payouts', 'id', PAID_OUT),
  place('payout_batches', 'paid_out', 'payout_batches', 'id', 'name'),
  place('facts', 'sealed', 'book_facts', 'link', "content || ' ' || recorded_by"),
  place('payment_decisions', 'sealed', 'payment_decisions', 'id', DECIDED),
  place('refund_decisions', 'sealed', 'refund_decisions', 'id', DECIDED),
  place('imported_payments', 'sealed', 'imported_payments', 'id', "evidence_name || ' ' || imported_by"),
  place('payment_links', 'asked_for', 'payment_links', 'id', "subject || ' ' || coalesce(url_callback, '')"),
  place('settlements', 'held_against', 'settlements', 'id', 'file_name'),
  place('settlement_differences', 'held_against', 'settlement_differences', DIFFERENCE, "coalesce(reason, '')"),
  place('bank_statements', 'held_against', 'bank_statements', 'id', 'file_name'),
  place(
    'statement_lines',
    'held_against',
    'bank_statement_lines',
    LINE,
    "coalesce(note, '') || ' ' || coalesce(reason, '')",
  ),
  place('anchors', 'sealed', 'anchors', 'number', 'content'),
  place(
    'audit_log',
    'audit',
    'audit_log',
    'link',
    "actor || ' ' || subject || ' ' || coalesce(said_before, '') || ' ' || coalesce(said_after, '')",
  ),
  place('users', 'works_here', 'users', 'id', 'email'),
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

function place(kind: string, reason: KeptReason, table: string, name: string, text: string): KeptPlace {
  const sql = `select cast(${name} as text) as name, ${text} as text from ${table}
    where lower(${text}) like $1 escape '!' order by ${name} limit $2`;
  return { kind, reason, sql };
}
