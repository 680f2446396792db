import type { SqlRow } from '../db/database.ts';
import { type LikeOptions, selectLike, type TableWalk, type WalkedStore } from '../db/walk-queries.ts';
import type { KeptReason } from './kept.ts';

/** A text that mentions a person and is kept, and the name of its row. */
export type KeptText = SqlRow & { name: string; text: string };

type KeptPlace = { readonly kind: string; readonly reason: KeptReason; readonly walk: TableWalk };

/** The key of most tables. */
const BY_ID = ['id', 'environment_id'] as const;

const PAID_OUT = texts(
  'reference',
  'message',
  'reason',
  'callback_url',
  'contradiction',
  'contradiction_ended',
  'proposed_by',
  'approved_by',
  'account_changed_by',
);

const DECIDED = texts('reason', 'evidence_name', 'evidence_excerpt', 'decided_by');

const LOOK = texts('site', 'contact', 'legal_name', 'rut', 'terms');

const DIFFERENCE = "settlement_id || '/' || number";

const LINE = "statement_id || '/' || number";

/** Tables that name an actor, besides the tables whose texts are searched: their key, and the column. */
const ACTS: readonly [table: string, key: TableWalk['key'], by: string][] = [
  ['attention_owners', ['kind', 'id', 'payment_service', 'environment'], 'taken_by'],
  ['callback_listeners', ['environment_id'], 'started_by'],
  ['closed_months', ['month', 'environment'], 'closed_by'],
  ['epochs', ['epoch'], 'released_by'],
  ['funds_rules', ['environment_id', 'currency'], 'set_by'],
  ['invitations', ['id'], 'created_by'],
  ['moves', ['id'], 'began_by'],
  ['payout_account_types', ['environment_id', 'account_hash'], 'set_by'],
  ['payout_files', BY_ID, 'made_by'],
  ['recipients', ['id', 'version'], 'created_by'],
  ['token_handovers', ['id'], 'made_by'],
];

/**
 * The places where a text stays, each with the reason: a sealed text cannot be removed without breaking the proof, and
 * staff accounts have their own command.
 */
export const KEPT_PLACES: readonly KeptPlace[] = [
  place('references', 'sealed', 'transactions', ['id'], 'id', 'reference'),
  // Events of payouts, movements and users belong to no transaction.
  place('events', 'sealed', 'events', ['{feed_order}'], 'position', texts('data')),
  place(
    'payment_attempts',
    'sealed',
    'payment_attempts',
    BY_ID,
    'id',
    texts('detail', 'contradiction', 'external_id', 'account'),
  ),
  place(
    'refunds',
    'sealed',
    'refunds',
    BY_ID,
    'id',
    texts('detail', 'contradiction', 'requested_by', 'idempotency_key'),
  ),
  place(
    'refund_requests',
    'refund_why',
    'refund_requests',
    BY_ID,
    'id',
    texts('reason', 'requested_by', 'decided_by', 'decision_reason'),
  ),
  place('movements', 'sealed', 'movements', BY_ID, 'id', texts('reference', 'reason', 'recorded_by')),
  place('payout_texts', 'paid_why', 'payouts', BY_ID, 'id', PAID_OUT),
  place('payout_batches', 'paid_out', 'payout_batches', BY_ID, 'id', texts('name', 'proposed_by')),
  place(
    'facts',
    'sealed',
    'book_facts',
    ['environment_id', 'link'],
    'link',
    texts('subject', 'content', 'recorded_by'),
  ),
  place('payment_decisions', 'sealed', 'payment_decisions', BY_ID, 'id', DECIDED),
  place('refund_decisions', 'sealed', 'refund_decisions', BY_ID, 'id', DECIDED),
  place(
    'imported_payments',
    'sealed',
    'imported_payments',
    BY_ID,
    'id',
    texts('evidence_name', 'imported_by', 'line_key', 'buy_order', 'authorization_code'),
  ),
  place(
    'payment_links',
    'asked_for',
    'payment_links',
    BY_ID,
    'id',
    texts('subject', 'url_callback', 'idempotency_key', 'created_by'),
  ),
  place('settlements', 'held_against', 'settlements', ['id'], 'id', texts('file_name', 'kept_by')),
  place(
    'settlement_differences',
    'held_against',
    'settlement_differences',
    ['settlement_id', 'number'],
    DIFFERENCE,
    texts('reason', 'accepted_by', 'buy_order', 'entry'),
  ),
  place('bank_statements', 'held_against', 'bank_statements', ['id'], 'id', texts('file_name', 'imported_by')),
  place(
    'statement_lines',
    'held_against',
    'bank_statement_lines',
    ['statement_id', 'number'],
    LINE,
    texts('note', 'reason', 'subject', 'resolved_by'),
  ),
  place('verifications', 'verified', 'books_verification', ['id'], 'id', texts('asked_by', 'report')),
  place('anchors', 'sealed', 'anchors', ['number'], 'number', 'content'),
  place(
    'audit_log',
    'audit',
    'audit_log',
    ['link'],
    'link',
    texts('actor', 'subject', 'said_before', 'said_after', 'reason'),
  ),
  place('users', 'works_here', 'users', ['id'], 'id', 'email'),
  place('merchants', 'merchant', 'looks', ['payment_service_id'], 'payment_service_id', LOOK),
  place('merchants', 'merchant', 'payment_services', ['id'], 'id', 'name'),
  place('merchants', 'merchant', 'environments', ['id'], 'payment_service_id', texts('events_url')),
  place('merchants', 'merchant', 'payout_senders', BY_ID, "'payout_senders/' || id", texts('url', 'set_by')),
  place('merchants', 'merchant', 'webhook_subscriptions', ['id'], "'webhook_subscriptions/' || id", 'url'),
  place('staff_names', 'works_here', 'api_tokens', ['id'], "'api_tokens/' || id", texts('name', 'created_by')),
  place('staff_names', 'works_here', 'factors', ['id'], "'factors/' || id", 'name'),
  place('validation_keys', 'once', 'validation_keys', ['actor', 'key'], 'validation_id', 'key'),
  ...ACTS.map(([table, key, by]) =>
    place('acts', 'done_by', table, key, `'${table}/' || ${key.join(" || '/' || ")}`, texts(by)),
  ),
];

/** Lists at most `limit` of these texts. Searches the whole table. */
export function selectKeptTexts(
  db: WalkedStore,
  { walk }: KeptPlace,
  like: string,
  options: LikeOptions<KeptText>,
): Promise<KeptText[]> {
  return selectLike<KeptText>(db, walk, like, options);
}

/** Concatenates columns, with or without a value. */
function texts(...columns: readonly string[]): string {
  return columns.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ");
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
