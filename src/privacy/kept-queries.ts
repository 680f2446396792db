import type { Database, SqlRow } from '../db/database.ts';
import { selectLike, type TableWalk } from '../db/walk-queries.ts';
import type { KeptReason } from './kept.ts';

/** A text that is kept although it holds a person, and what names its row. */
export type KeptText = SqlRow & { name: string; text: string };

type KeptPlace = { readonly kind: string; readonly reason: KeptReason; readonly walk: TableWalk };

/** The keys of most tables. */
const BY_ID = ['id', 'environment_id'] as const;

const PAID_OUT = "reference || ' ' || message || ' ' || coalesce(reason, '') || ' ' || coalesce(callback_url, '')";

const DECIDED = "reason || ' ' || coalesce(evidence_name, '') || ' ' || decided_by";

const DIFFERENCE = "settlement_id || '/' || number";

const LINE = "statement_id || '/' || number";

/**
 * Where a text stays, with the reason: what is sealed cannot be taken out without breaking the proof, and people who work here are
 * ended with their own command.
 */
export const KEPT_PLACES: readonly KeptPlace[] = [
  place('references', 'sealed', 'transactions', ['id'], 'id', 'reference'),
  place(
    'events',
    'sealed',
    'events',
    ['transaction_id', 'sequence', 'environment_id'],
    'position',
    "coalesce(data, '')",
  ),
  place('payment_attempts', 'sealed', 'payment_attempts', BY_ID, 'id', "coalesce(detail, '')"),
  place('refunds', 'sealed', 'refunds', BY_ID, 'id', "coalesce(detail, '') || ' ' || requested_by"),
  place('movements', 'sealed', 'movements', BY_ID, 'id', "reference || ' ' || coalesce(reason, '')"),
  place('payout_texts', 'paid_why', 'payouts', BY_ID, 'id', PAID_OUT),
  place('payout_batches', 'paid_out', 'payout_batches', BY_ID, 'id', 'name'),
  place('facts', 'sealed', 'book_facts', ['environment_id', 'link'], 'link', "content || ' ' || recorded_by"),
  place('payment_decisions', 'sealed', 'payment_decisions', BY_ID, 'id', DECIDED),
  place('refund_decisions', 'sealed', 'refund_decisions', BY_ID, 'id', DECIDED),
  place('imported_payments', 'sealed', 'imported_payments', BY_ID, 'id', "evidence_name || ' ' || imported_by"),
  place('payment_links', 'asked_for', 'payment_links', BY_ID, 'id', "subject || ' ' || coalesce(url_callback, '')"),
  place('settlements', 'held_against', 'settlements', ['id'], 'id', 'file_name'),
  place(
    'settlement_differences',
    'held_against',
    'settlement_differences',
    ['settlement_id', 'number'],
    DIFFERENCE,
    "coalesce(reason, '')",
  ),
  place('bank_statements', 'held_against', 'bank_statements', ['id'], 'id', 'file_name'),
  place(
    'statement_lines',
    'held_against',
    'bank_statement_lines',
    ['statement_id', 'number'],
    LINE,
    "coalesce(note, '') || ' ' || coalesce(reason, '')",
  ),
  place('anchors', 'sealed', 'anchors', ['number'], 'number', 'content'),
  place(
    'audit_log',
    'audit',
    'audit_log',
    ['link'],
    'link',
    "actor || ' ' || subject || ' ' || coalesce(said_before, '') || ' ' || coalesce(said_after, '')",
  ),
  place('users', 'works_here', 'users', ['id'], 'id', 'email'),
];

/** At most `limit` of them. Looks through the whole table. */
export function selectKeptTexts(
  db: Pick<Database, 'query'>,
  { walk }: KeptPlace,
  like: string,
  limit: number,
): Promise<KeptText[]> {
  return selectLike<KeptText>(db, walk, like, limit);
}

function place(
  kind: string,
  reason: KeptReason,
  table: string,
  key: TableWalk['key'],
  name: string,
  text: string,
): KeptPlace {
  return { kind, reason, walk: { table, key, columns: `cast(${name} as text) as name, ${text} as text`, text } };
}
