-- Every large table falls apart by environment: its primary, unique and foreign keys are the id first, then the environment. On
-- SQLite what is a rowid stays one alone. An event that belongs to no environment says 0.
-- PostgreSQL changes its tables where they are. SQLite changes no key of a table, so there they are made anew and filled.

-- only postgres
alter table transactions drop constraint transactions_pkey cascade;
alter table payment_attempts drop constraint payment_attempts_pkey cascade;
alter table refunds drop constraint refunds_pkey cascade;
alter table endpoints drop constraint endpoints_pkey cascade;
alter table callbacks drop constraint callbacks_pkey cascade;
alter table delivery_attempts drop constraint delivery_attempts_pkey;
alter table movements drop constraint movements_pkey cascade;
alter table payment_decisions drop constraint payment_decisions_pkey;
alter table refund_decisions drop constraint refund_decisions_pkey;
alter table imported_payments drop constraint imported_payments_pkey;
alter table refunds drop constraint refunds_transaction_id_sequence_key,
  drop constraint refunds_transaction_id_idempotency_key_key;
alter table callbacks drop constraint callbacks_webhook_id_key;
alter table events drop constraint events_pkey, drop constraint events_transaction_id_sequence_key;

drop index payment_attempts_of_transaction;
drop index payment_attempts_open;
drop index refunds_open_of_transaction;
drop index callbacks_of_transaction;
drop index delivery_attempts_of_callback;
drop index journal_entries_of_transaction;
drop index journal_entries_of_attempt;
drop index journal_entries_of_refund;
drop index journal_entries_of_movement;
drop index payment_decisions_of_attempt;
drop index payment_decisions_taken;
drop index refund_decisions_of_refund;

alter table transactions add primary key (id, environment_id);
alter table endpoints add primary key (id, environment_id);
alter table callbacks add primary key (id, environment_id), add unique (webhook_id, environment_id),
  add foreign key (endpoint_id, environment_id) references endpoints (id, environment_id);
alter table movements add primary key (id, environment_id),
  add foreign key (transaction_id, environment_id) references transactions (id, environment_id);

alter table payment_attempts add column environment_id bigint;
update payment_attempts set environment_id = coalesce(
  (select t.environment_id from transactions t where t.id = payment_attempts.transaction_id), 0);
alter table payment_attempts alter column environment_id set not null, add primary key (id, environment_id);

alter table refunds add column environment_id bigint;
update refunds set environment_id = (select t.environment_id from transactions t where t.id = refunds.transaction_id);
alter table refunds alter column environment_id set not null, add primary key (id, environment_id),
  add unique (transaction_id, sequence, environment_id), add unique (transaction_id, idempotency_key, environment_id),
  add foreign key (transaction_id, environment_id) references transactions (id, environment_id);

alter table delivery_attempts add column environment_id bigint;
update delivery_attempts set environment_id = (
  select c.environment_id from callbacks c where c.id = delivery_attempts.callback_id);
alter table delivery_attempts alter column environment_id set not null, add primary key (id, environment_id),
  add foreign key (callback_id, environment_id) references callbacks (id, environment_id);

alter table payment_decisions disable trigger user;
alter table payment_decisions add column environment_id bigint;
update payment_decisions set environment_id = (
  select a.environment_id from payment_attempts a where a.id = payment_decisions.payment_attempt_id);
alter table payment_decisions alter column environment_id set not null, add primary key (id, environment_id),
  add foreign key (payment_attempt_id, environment_id) references payment_attempts (id, environment_id);
alter table payment_decisions enable trigger user;

alter table refund_decisions disable trigger user;
alter table refund_decisions add column environment_id bigint;
update refund_decisions set environment_id = (select r.environment_id from refunds r where r.id = refund_decisions.refund_id);
alter table refund_decisions alter column environment_id set not null, add primary key (id, environment_id),
  add foreign key (refund_id, environment_id) references refunds (id, environment_id);
alter table refund_decisions enable trigger user;

alter table imported_payments add primary key (id, environment_id),
  add foreign key (payment_attempt_id, environment_id) references payment_attempts (id, environment_id);

alter table journal_entries
  add foreign key (transaction_id, environment_id) references transactions (id, environment_id),
  add foreign key (payment_attempt_id, environment_id) references payment_attempts (id, environment_id),
  add foreign key (refund_id, environment_id) references refunds (id, environment_id),
  add foreign key (movement_id, environment_id) references movements (id, environment_id);

alter table events disable trigger user;
update events set environment_id = 0 where environment_id is null;
alter table events alter column environment_id set not null, add primary key (commit_id, position, environment_id),
  add unique (transaction_id, sequence, environment_id);
alter table events enable trigger user;

-- only sqlite
create table new_transactions (
  id integer primary key,
  environment_id bigint not null,
  amount bigint not null check (amount > 0),
  created_at bigint not null,
  expires_at bigint not null,
  settled_at bigint,
  last_sequence bigint not null,
  state text not null check (state in ('pending', 'completed', 'failed', 'cancelled', 'expired')),
  reference text not null,
  currency text not null,
  customer_email text not null,
  session_id text not null,
  shop_country text not null,
  url_callback text not null,
  url_cancel text not null,
  url_complete text not null,
  pay_secret text not null,
  payment_method text,
  unsigned_fields text,
  fee bigint not null default 0
);
insert into new_transactions (id, environment_id, amount, created_at, expires_at, settled_at, last_sequence, state, reference,
    currency, customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret, payment_method,
    unsigned_fields, fee)
  select id, environment_id, amount, created_at, expires_at, settled_at, last_sequence, state, reference, currency,
    customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret, payment_method,
    unsigned_fields, fee from transactions;

create table new_events (
  position integer primary key autoincrement,
  commit_id bigint not null default 0,
  environment_id bigint not null,
  transaction_id bigint,
  sequence bigint,
  created_at bigint not null,
  type text not null,
  user_id text,
  data text,
  unique (transaction_id, sequence, environment_id)
);
insert into new_events (position, commit_id, environment_id, transaction_id, sequence, created_at, type, user_id, data)
  select position, commit_id, coalesce(environment_id, 0), transaction_id, sequence, created_at, type, user_id, data
  from events;

create table new_payment_attempts (
  id text not null,
  environment_id bigint not null,
  transaction_id bigint not null,
  created_at bigint not null,
  settled_at bigint,
  next_lookup_at bigint,
  asked_until bigint,
  lookups bigint not null,
  state text not null check (state in ('started', 'pending', 'unknown', 'approved', 'declined', 'aborted')),
  payment_method text not null,
  account text,
  external_id text,
  detail text,
  commit_sent_at bigint,
  commit_answered_at bigint,
  contradicted_at bigint,
  contradiction text,
  primary key (id, environment_id)
);
insert into new_payment_attempts (id, environment_id, transaction_id, created_at, settled_at, next_lookup_at, asked_until, lookups,
    state, payment_method, account, external_id, detail, commit_sent_at, commit_answered_at, contradicted_at, contradiction)
  select a.id, coalesce(t.environment_id, 0), a.transaction_id, a.created_at, a.settled_at, a.next_lookup_at, a.asked_until,
    a.lookups, a.state, a.payment_method, a.account, a.external_id, a.detail, a.commit_sent_at, a.commit_answered_at,
    a.contradicted_at, a.contradiction
  from payment_attempts a left join new_transactions t on t.id = a.transaction_id order by a.rowid;

create table new_refunds (
  id text not null,
  environment_id bigint not null,
  transaction_id bigint not null references new_transactions (id),
  sequence bigint not null,
  amount bigint not null check (amount > 0),
  created_at bigint not null,
  settled_at bigint,
  next_lookup_at bigint,
  lookups bigint not null,
  state text not null check (state in ('processing', 'completed', 'failed')),
  type text not null check (type in ('total', 'parcial')),
  requested_by text not null,
  idempotency_key text,
  detail text,
  asked_at bigint,
  refunded_before bigint,
  asking text not null default 'due' check (asking in ('due', 'held', 'ordered')),
  noted_lookups bigint not null default 0,
  contradicted_at bigint,
  contradiction text,
  primary key (id, environment_id),
  unique (transaction_id, sequence, environment_id),
  unique (transaction_id, idempotency_key, environment_id)
);
insert into new_refunds (id, environment_id, transaction_id, sequence, amount, created_at, settled_at, next_lookup_at, lookups,
    state, type, requested_by, idempotency_key, detail, asked_at, refunded_before, asking, noted_lookups, contradicted_at,
    contradiction)
  select r.id, t.environment_id, r.transaction_id, r.sequence, r.amount, r.created_at, r.settled_at, r.next_lookup_at, r.lookups,
    r.state, r.type, r.requested_by, r.idempotency_key, r.detail, r.asked_at, r.refunded_before, r.asking, r.noted_lookups,
    r.contradicted_at, r.contradiction
  from refunds r left join new_transactions t on t.id = r.transaction_id order by r.rowid;

create table new_callbacks (
  id integer primary key autoincrement,
  transaction_id bigint not null,
  environment_id bigint not null,
  endpoint_id bigint not null references endpoints (id),
  sequence bigint not null,
  created_at bigint not null,
  next_attempt_at bigint not null,
  not_before bigint,
  scheduled_at bigint,
  finished_at bigint,
  returned_at bigint,
  attempts bigint not null,
  state text not null default 'queued'
    check (state in ('queued', 'delivered', 'redirected', 'superseded', 'dead', 'disabled')),
  lease text,
  webhook_id text not null,
  url text not null,
  content_type text not null default 'application/x-www-form-urlencoded',
  body text not null,
  unique (webhook_id, environment_id)
);
insert into new_callbacks (id, transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at, not_before,
    scheduled_at, finished_at, returned_at, attempts, state, lease, webhook_id, url, content_type, body)
  select id, transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at, not_before, scheduled_at,
    finished_at, returned_at, attempts, state, lease, webhook_id, url, content_type, body from callbacks;

create table new_delivery_attempts (
  id integer primary key autoincrement,
  environment_id bigint not null,
  callback_id bigint not null references new_callbacks (id),
  started_at bigint not null,
  duration_ms bigint not null,
  status bigint,
  failure text,
  location text,
  excerpt text
);
insert into new_delivery_attempts (id, environment_id, callback_id, started_at, duration_ms, status, failure, location, excerpt)
  select d.id, c.environment_id, d.callback_id, d.started_at, d.duration_ms, d.status, d.failure, d.location, d.excerpt
  from delivery_attempts d left join new_callbacks c on c.id = d.callback_id order by d.id;

create table new_movements (
  id text not null,
  environment_id bigint not null references environments (id),
  kind text not null check (kind in ('payout', 'deposit', 'resolution')),
  reference text not null,
  amount bigint not null check (amount > 0),
  commission bigint not null check (commission >= 0),
  currency text not null,
  created_at bigint not null,
  recorded_by text not null,
  payment_method text,
  transaction_id bigint references new_transactions (id),
  decision text check (decision in ('returned', 'kept')),
  reason text,
  primary key (id, environment_id),
  unique (environment_id, kind, reference)
);
insert into new_movements (id, environment_id, kind, reference, amount, commission, currency, created_at, recorded_by,
    payment_method, transaction_id, decision, reason)
  select id, environment_id, kind, reference, amount, commission, currency, created_at, recorded_by, payment_method,
    transaction_id, decision, reason from movements;

create table new_journal_entries (
  environment_id bigint not null references environments (id),
  link bigint not null,
  line bigint not null,
  created_at bigint not null,
  kind text not null,
  debit_account text not null,
  credit_account text not null check (credit_account <> debit_account),
  amount bigint not null check (amount > 0),
  currency text not null,
  transaction_id bigint references new_transactions (id),
  payment_attempt_id text,
  refund_id text,
  hash text not null,
  movement_id text,
  movement_hash text,
  owner_hash text,
  record_hash text,
  primary key (environment_id, link, line),
  foreign key (payment_attempt_id, environment_id) references new_payment_attempts (id, environment_id),
  foreign key (refund_id, environment_id) references new_refunds (id, environment_id),
  foreign key (movement_id, environment_id) references new_movements (id, environment_id)
);
insert into new_journal_entries (environment_id, link, line, created_at, kind, debit_account, credit_account, amount, currency,
    transaction_id, payment_attempt_id, refund_id, hash, movement_id, movement_hash, owner_hash, record_hash)
  select environment_id, link, line, created_at, kind, debit_account, credit_account, amount, currency, transaction_id,
    payment_attempt_id, refund_id, hash, movement_id, movement_hash, owner_hash, record_hash from journal_entries;

create table new_payment_decisions (
  id text not null,
  environment_id bigint not null,
  payment_attempt_id text not null,
  decided_at bigint not null,
  decided_by text not null,
  outcome text not null check (outcome in ('approved', 'declined', 'aborted')),
  taken bigint check (taken > 0),
  reason text not null,
  evidence_name text not null,
  evidence_sha256 text not null,
  evidence_bytes bigint not null,
  evidence_excerpt text not null,
  primary key (id, environment_id),
  foreign key (payment_attempt_id, environment_id) references new_payment_attempts (id, environment_id)
);
insert into new_payment_decisions (id, environment_id, payment_attempt_id, decided_at, decided_by, outcome, taken, reason,
    evidence_name, evidence_sha256, evidence_bytes, evidence_excerpt)
  select d.id, a.environment_id, d.payment_attempt_id, d.decided_at, d.decided_by, d.outcome, d.taken, d.reason,
    d.evidence_name, d.evidence_sha256, d.evidence_bytes, d.evidence_excerpt
  from payment_decisions d left join new_payment_attempts a on a.id = d.payment_attempt_id order by d.rowid;

create table new_refund_decisions (
  id text not null,
  environment_id bigint not null,
  refund_id text not null,
  decided_at bigint not null,
  decided_by text not null,
  outcome text not null check (outcome in ('completed', 'failed', 'retry')),
  reason text not null,
  evidence_name text,
  evidence_sha256 text,
  evidence_bytes bigint,
  evidence_excerpt text,
  primary key (id, environment_id),
  foreign key (refund_id, environment_id) references new_refunds (id, environment_id),
  check (outcome = 'retry' or evidence_sha256 is not null)
);
insert into new_refund_decisions (id, environment_id, refund_id, decided_at, decided_by, outcome, reason, evidence_name,
    evidence_sha256, evidence_bytes, evidence_excerpt)
  select d.id, r.environment_id, d.refund_id, d.decided_at, d.decided_by, d.outcome, d.reason, d.evidence_name,
    d.evidence_sha256, d.evidence_bytes, d.evidence_excerpt
  from refund_decisions d left join new_refunds r on r.id = d.refund_id order by d.rowid;

create table new_imported_payments (
  id text not null,
  environment_id bigint not null references environments (id),
  line_key text not null,
  link bigint,
  imported_at bigint not null,
  imported_by text not null,
  payment_method text not null,
  settled_on text not null,
  buy_order text,
  authorization_code text,
  amount bigint not null check (amount > 0),
  currency text not null,
  payment_attempt_id text,
  evidence_name text not null,
  evidence_sha256 text not null,
  file_line bigint not null,
  primary key (id, environment_id),
  unique (payment_method, line_key),
  foreign key (payment_attempt_id, environment_id) references new_payment_attempts (id, environment_id),
  check ((link is null) <> (payment_attempt_id is null))
);
insert into new_imported_payments (id, environment_id, line_key, link, imported_at, imported_by, payment_method, settled_on,
    buy_order, authorization_code, amount, currency, payment_attempt_id, evidence_name, evidence_sha256, file_line)
  select id, environment_id, line_key, link, imported_at, imported_by, payment_method, settled_on, buy_order,
    authorization_code, amount, currency, payment_attempt_id, evidence_name, evidence_sha256, file_line from imported_payments;

-- The counters go on where they were, also where they are ahead of the rows: before the old tables are dropped, which takes theirs.
delete from sqlite_sequence where name in ('new_events', 'new_callbacks', 'new_delivery_attempts');
update sqlite_sequence set name = 'new_' || name where name in ('events', 'callbacks', 'delivery_attempts');

-- What refers to others first.
drop table imported_payments;
drop table refund_decisions;
drop table payment_decisions;
drop table journal_entries;
drop table movements;
drop table delivery_attempts;
drop table callbacks;
drop table refunds;
drop table payment_attempts;
drop table events;
drop table transactions;
alter table new_transactions rename to transactions;
alter table new_events rename to events;
alter table new_payment_attempts rename to payment_attempts;
alter table new_refunds rename to refunds;
alter table new_callbacks rename to callbacks;
alter table new_delivery_attempts rename to delivery_attempts;
alter table new_movements rename to movements;
alter table new_journal_entries rename to journal_entries;
alter table new_payment_decisions rename to payment_decisions;
alter table new_refund_decisions rename to refund_decisions;
alter table new_imported_payments rename to imported_payments;

create unique index transactions_reference on transactions (environment_id, reference);
create index transactions_to_expire on transactions (expires_at) where state = 'pending';
create index transactions_completed on transactions (settled_at) where state = 'completed';
create index payment_attempts_due on payment_attempts (next_lookup_at) where next_lookup_at is not null;
create index payment_attempts_open_since on payment_attempts (created_at) where state in ('started', 'pending', 'unknown');
create index payment_attempts_contradicted on payment_attempts (contradicted_at) where contradicted_at is not null;
create index refunds_completed on refunds (settled_at) where state = 'completed';
create index refunds_due on refunds (next_lookup_at) where next_lookup_at is not null;
create index refunds_contradicted on refunds (contradicted_at) where contradicted_at is not null;
create index callbacks_due on callbacks (next_attempt_at) where state = 'queued';
create index callbacks_given_up on callbacks (finished_at) where state = 'dead';
create index callbacks_waiting on callbacks (endpoint_id, scheduled_at, id) where state = 'queued' and attempts > 0;
create index journal_entries_of_day on journal_entries (environment_id, created_at);
create index journal_entries_in_suspense on journal_entries (created_at) where kind in ('late_payment', 'unasked_refund');
create index imported_payments_of_link on imported_payments (environment_id, link);

create trigger events_not_updated before update on events {refuse};
create trigger events_not_deleted before delete on events {refuse};
create trigger movements_not_updated before update on movements {refuse};
create trigger movements_not_deleted before delete on movements {refuse};
create trigger journal_entries_not_updated before update on journal_entries {refuse};
create trigger journal_entries_not_deleted before delete on journal_entries {refuse};
create trigger payment_decisions_not_updated before update on payment_decisions {refuse};
create trigger payment_decisions_not_deleted before delete on payment_decisions {refuse};
create trigger refund_decisions_not_updated before update on refund_decisions {refuse};
create trigger refund_decisions_not_deleted before delete on refund_decisions {refuse};
create trigger imported_payments_not_updated before update on imported_payments {refuse};
create trigger imported_payments_not_deleted before delete on imported_payments {refuse};

-- both
create index payment_attempts_of_transaction on payment_attempts (transaction_id, environment_id);
create unique index payment_attempts_open on payment_attempts (transaction_id, environment_id)
  where state in ('started', 'pending', 'unknown', 'approved');
create index refunds_open_of_transaction on refunds (transaction_id, environment_id) where state = 'processing';
create index callbacks_of_transaction on callbacks (transaction_id, environment_id);
create index delivery_attempts_of_callback on delivery_attempts (callback_id, environment_id);
create index journal_entries_of_transaction on journal_entries (transaction_id, environment_id);
create unique index journal_entries_of_attempt on journal_entries (payment_attempt_id, environment_id) where line = 0;
create unique index journal_entries_of_refund on journal_entries (refund_id, environment_id) where line = 0;
create unique index journal_entries_of_movement on journal_entries (movement_id, environment_id) where line = 0;
create index payment_decisions_of_attempt on payment_decisions (payment_attempt_id, environment_id);
create unique index payment_decisions_taken on payment_decisions (payment_attempt_id, environment_id) where taken is not null;
create index refund_decisions_of_refund on refund_decisions (refund_id, environment_id);
