import { AMONG_ENVIRONMENTS, type Owner } from './owner.ts';

/**
 * How a table moves with a payment service.
 *
 * `stays`: belongs to the installation, or is created again. `whole`: few rows, compared and copied as often as needed.
 * `rows`: many rows, copied once and then after each change. `chain`: append-only, ordered within an environment.
 * `delivery` and `feed`: have separate ids in each database.
 */
export type MoveRule = Stays | Whole | Rows | Chain | Delivery | Feed;

export type Stays = { readonly how: 'stays'; readonly why: string };
export type Whole = { readonly how: 'whole' } & Moved &
  Keyed & {
    /** A row may take over a unique value of another, so changed rows are deleted and inserted again. */
    readonly exchanged?: true;
  };
export type Rows = { readonly how: 'rows' } & Moved &
  Keyed & {
    /** The column that names a changed row: `key`, or a part of it that several rows share. */
    readonly name: string;
    readonly numeric?: true;
    readonly due?: Due;
  };
export type Chain = { readonly how: 'chain' } & Moved & Keyed;
export type Delivery = { readonly how: 'delivery' } & Moved & { readonly due?: Due };
export type Feed = { readonly how: 'feed' } & Moved;

type Moved = {
  /** How its rows belong to a payment service. */
  readonly owner: Owner;
  /**
   * The columns whose change is refused in the database that does not serve the payment service. Deleting, erasing a
   * person and re-encrypting stay possible.
   */
  readonly fence: 'any' | readonly string[];
};

type Keyed = {
  /** The primary key; for `transactions` on SQLite the id alone. */
  readonly key: readonly string[];
  /** The columns that the store refuses to update. */
  readonly fixed?: 'all' | readonly string[];
};

/**
 * When the worker processes a row. It does so only in the database that serves the payment service. `lease`: the row
 * can be claimed.
 */
export type Due = { readonly column: string; readonly state?: string; readonly lease?: true };

const ROW = ['id', 'environment_id'];
const SERVICE: Owner = { column: 'payment_service_id' };

const inWhole = (key: string[], fence: 'any' | readonly string[] = 'any'): Whole => ({
  how: 'whole',
  owner: AMONG_ENVIRONMENTS,
  key,
  fence,
});
const inRows = (rest: Partial<Rows> = {}): Rows => ({
  how: 'rows',
  owner: AMONG_ENVIRONMENTS,
  key: ROW,
  name: 'id',
  fence: 'any',
  ...rest,
});
const stays = (why: string): Stays => ({ how: 'stays', why });

const PAYOUT_IS =
  `id environment_id batch_id reference amount currency created_at proposed_by proposed_by_id proposed_kind
  recipient_id recipient_version rut_hash account_hash bank_code wish_hash account_changed_by`.split(/\s+/);

const REFUND_REQUEST_IS =
  `id environment_id transaction_id amount type reason requested_by requested_by_id requested_kind requested_at`.split(
    /\s+/,
  );

const OF_USERS =
  'users belong to the installation; what they may see of the payment service moves by their e-mail address';
const ONE_STORE = 'it is about one database';
const LIMITS = 'limits begin anew';
const OF_PROVIDER = 'validations belong to the users who asked for them';

/**
 * THE TABLE, in the order in which rows are copied: referenced tables first. A test requires every table of the schema
 * here.
 */
export const MOVED_TABLES = {
  payment_services: { how: 'whole', owner: { column: 'id' }, key: ['id'], fence: 'any' },
  environments: { how: 'whole', owner: SERVICE, key: ['id'], fence: 'any' },
  looks: { how: 'whole', owner: SERVICE, key: ['payment_service_id'], fence: 'any' },
  secret_tokens: inWhole(['id'], ['closes_at']),
  payment_method_accounts: inWhole(['environment_id', 'payment_method', 'account'], ['retired_at']),
  fees: inWhole(['environment_id', 'payment_method', 'currency']),
  payout_batches: inWhole(ROW),
  payout_limits: inWhole(['environment_id', 'currency']),
  funds_rules: inWhole(['environment_id', 'currency']),
  payout_senders: inWhole(ROW, ['retired_at']),
  payout_account_types: inWhole(['environment_id', 'account_hash']),
  account_balances: inWhole(['environment_id', 'account', 'currency']),
  journal_heads: inWhole(['environment_id']),
  book_fact_heads: inWhole(['environment_id']),
  settlements: { how: 'whole', owner: SERVICE, key: ['id'], fence: 'any' },
  settlement_differences: {
    how: 'whole',
    owner: { column: 'settlement_id', of: 'settlements' },
    key: ['settlement_id', 'number'],
    fence: 'any',
  },
  bank_statements: { how: 'whole', owner: SERVICE, key: ['id'], fence: 'any' },
  bank_statement_lines: {
    how: 'whole',
    owner: { column: 'statement_id', of: 'bank_statements' },
    key: ['statement_id', 'number'],
    // A payout that was matched with the wrong line gets another one.
    exchanged: true,
    fence: 'any',
  },
  attention_owners: {
    how: 'whole',
    owner: { column: 'payment_service' },
    key: ['kind', 'id', 'payment_service', 'environment'],
    fence: 'any',
  },
  recipients: inRows({ owner: SERVICE, key: ['id', 'version'], fence: [] }),
  transactions: inRows({
    numeric: true,
    fence: ['state', 'last_sequence'],
    due: { column: 'expires_at', state: 'pending' },
  }),
  payment_attempts: inRows({ due: { column: 'next_lookup_at' } }),
  refunds: inRows({ due: { column: 'next_lookup_at' } }),
  refund_requests: inRows({ fixed: REFUND_REQUEST_IS }),
  movements: inRows({ fixed: 'all' }),
  payment_decisions: inRows({ fixed: 'all' }),
  refund_decisions: inRows({ fixed: 'all' }),
  imported_payments: inRows({ fixed: 'all' }),
  payouts: inRows({ fixed: PAYOUT_IS, due: { column: 'next_look_at' } }),
  payout_files: inRows({ fence: [] }),
  payment_links: inRows(),
  mails: inRows({ due: { column: 'next_attempt_at', state: 'queued', lease: true } }),
  endpoints: {
    how: 'delivery',
    owner: AMONG_ENVIRONMENTS,
    // Erasing a person also changes the address and the redirect target in the database that the payment service has
    // left.
    fence: ['disabled_at', 'failing_since', 'recovered_at', 'wakes', 'failed_at', 'status', 'failure'],
  },
  callbacks: {
    how: 'delivery',
    owner: AMONG_ENVIRONMENTS,
    fence: ['state', 'lease', 'next_attempt_at', 'attempts'],
    due: { column: 'next_attempt_at', state: 'queued', lease: true },
  },
  delivery_attempts: { how: 'delivery', owner: AMONG_ENVIRONMENTS, fence: [] },
  book_facts: { how: 'chain', owner: AMONG_ENVIRONMENTS, key: ['environment_id', 'link'], fixed: 'all', fence: [] },
  journal_entries: {
    how: 'chain',
    owner: AMONG_ENVIRONMENTS,
    key: ['environment_id', 'link', 'line'],
    fixed: 'all',
    fence: [],
  },
  events: { how: 'feed', owner: AMONG_ENVIRONMENTS, fence: [] },

  moves: stays('each side has a row of its own'),
  move_changes: stays(ONE_STORE),
  movers: stays(ONE_STORE),
  token_handovers: stays('a link names the address of the database that made it'),
  callback_listeners: stays('a listener is connected to one service'),
  refused_requests: stays('they help to find a fault for a few days, and are not needed to go on'),
  refused_keys: stays('they count for a few days, and begin anew'),
  search_terms: stays('made anew in the other database'),
  amount_days: stays('made anew in the other database'),
  search_progress: stays(ONE_STORE),
  closed_months: stays('a month is closed for a whole installation'),
  audit_log: stays('one chain for the whole database; the move is in both'),
  audit_head: stays(ONE_STORE),
  anchors: stays(ONE_STORE),
  anchor_posts: stays(ONE_STORE),
  book_facts_begun: stays(ONE_STORE),
  feed_links: stays(ONE_STORE),
  feed_cuts: stays(ONE_STORE),
  feed_offset: stays(ONE_STORE),
  plain_cursors: stays(ONE_STORE),
  epochs: stays(ONE_STORE),
  store_marks: stays(ONE_STORE),
  id_blocks: stays(ONE_STORE),
  kept_keys: stays(ONE_STORE),
  seals_bound: stays(ONE_STORE),
  processes: stays(ONE_STORE),
  upkeep: stays(ONE_STORE),
  books_verification: stays(ONE_STORE),
  bank_directories: stays('the list of banks belongs to the installation'),
  users: stays(OF_USERS),
  user_payment_services: stays(OF_USERS),
  user_permissions: stays(OF_USERS),
  user_payout_limits: stays(OF_USERS),
  user_refund_limits: stays(OF_USERS),
  user_refund_days: stays(OF_USERS),
  api_tokens: stays(OF_USERS),
  sessions: stays(OF_USERS),
  factors: stays(OF_USERS),
  recovery_codes: stays(OF_USERS),
  invitations: stays(OF_USERS),
  known_networks: stays(OF_USERS),
  webhook_subscriptions: stays(OF_USERS),
  limit_counts: stays(LIMITS),
  bank_account_validations: stays(OF_PROVIDER),
  validation_keys: stays(OF_PROVIDER),
  provider_questions: stays(LIMITS),
  provider_refusals: stays(LIMITS),
  provider_budgets: stays(LIMITS),
} as const satisfies Record<string, MoveRule>;

const ALL: readonly (readonly [string, MoveRule])[] = Object.entries(MOVED_TABLES);

/** Lists the tables of one kind, in order. */
export function tablesThat<How extends MoveRule['how']>(how: How): [string, Extract<MoveRule, { how: How }>][] {
  return ALL.filter((one): one is [string, Extract<MoveRule, { how: How }>] => one[1].how === how);
}

/** Lists all tables that move, in order. */
export function movingTables(): [string, Exclude<MoveRule, Stays>][] {
  return ALL.filter((one): one is [string, Exclude<MoveRule, Stays>] => one[1].how !== 'stays');
}
