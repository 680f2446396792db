-- One text for both engines; a word in braces is in src/db/dialect.ts.
-- Times are UTC milliseconds, amounts are minor units, structures are JSON text, booleans are 0 and 1.

create table payment_services (
  id text primary key,
  name text not null,
  created_at bigint not null,
  disabled_at bigint
);

-- A payment service has one pair of tokens in each environment.
create table environments (
  id {id},
  payment_service_id text not null references payment_services (id),
  environment text not null check (environment in ('development', 'production')),
  service_token text {bytewise} not null unique,
  unique (payment_service_id, environment)
);

-- Sealed with a key derived from MASTER_KEY. During a rotation the old one has the time at which it closes.
create table secret_tokens (
  id text primary key,
  environment_id bigint not null references environments (id),
  sealed text not null,
  created_at bigint not null,
  closes_at bigint,
  last_used_at bigint
);
create index secret_tokens_of_environment on secret_tokens (environment_id);

-- Blocks of ids handed to a process at once, so that a transaction has its id before it is stored.
create table id_blocks (
  name text primary key,
  next_id bigint not null
);
insert into id_blocks (name, next_id) values ('transaction', 1001);

-- No foreign keys on the next two: they would add a look-up and a lock per row to the busiest path, and both rows are
-- only ever written together, by code that has just read their environment.
create table transactions (
  id bigint primary key,
  environment_id bigint not null,
  amount bigint not null check (amount > 0),
  created_at bigint not null,
  expires_at bigint not null,
  settled_at bigint,
  last_sequence bigint not null,
  state text not null check (state in ('pending', 'completed', 'failed', 'cancelled', 'expired')),
  reference text {bytewise} not null,
  currency text not null,
  customer_email text not null,
  session_id text not null,
  shop_country text not null,
  url_callback text not null,
  url_cancel text not null,
  url_complete text not null,
  pay_secret text not null,
  payment_method text,
  unsigned_fields text
);
create unique index transactions_reference on transactions (environment_id, reference);
create index transactions_to_expire on transactions (expires_at) where state = 'pending';

-- The feed, and what every callback tells. `position` is in commit order, see src/db/dialect.ts.
-- An event belongs to a transaction (then `sequence` is gapless within it) or to a user.
create table events (
  position {feed_id},
  commit_id bigint not null default {commit_id},
  environment_id bigint,
  transaction_id bigint,
  sequence bigint,
  created_at bigint not null,
  type text not null,
  user_id text,
  data text,
  {feed_key}
  unique (transaction_id, sequence)
);

-- What is added to PostgreSQL's transaction ids. Restored into a new server, whose ids begin anew, the feed goes on above
-- what it holds: src/outbox/continue-feed.ts.
create table feed_offset (
  before bigint not null
);
insert into feed_offset (before) values (0);

create table payment_attempts (
  id text primary key,
  transaction_id bigint not null,
  created_at bigint not null,
  settled_at bigint,
  next_lookup_at bigint,
  lookups bigint not null,
  state text not null check (state in ('started', 'pending', 'unknown', 'approved', 'declined', 'aborted')),
  payment_method text not null,
  external_id text,
  detail text
);
create index payment_attempts_of_transaction on payment_attempts (transaction_id);
-- Two tabs cannot pay twice: one attempt at a time may be open, and none beside an approved one.
create unique index payment_attempts_open on payment_attempts (transaction_id)
  where state in ('started', 'pending', 'unknown', 'approved');
create index payment_attempts_to_look_up on payment_attempts (next_lookup_at)
  where state in ('started', 'pending', 'unknown');

-- Where callbacks go: the address without its query, per environment. A 410 disables it.
create table endpoints (
  id {id},
  environment_id bigint not null,
  address text not null,
  disabled_at bigint,
  unique (environment_id, address)
);

create table callbacks (
  id {id},
  transaction_id bigint not null,
  environment_id bigint not null,
  endpoint_id bigint not null references endpoints (id),
  sequence bigint not null,
  created_at bigint not null,
  next_attempt_at bigint not null,
  finished_at bigint,
  attempts bigint not null,
  state text not null check (state in ('queued', 'delivered', 'dead', 'disabled')),
  lease text,
  webhook_id text not null unique,
  url text not null,
  body text not null
);
create index callbacks_due on callbacks (next_attempt_at) where state = 'queued';
create index callbacks_of_transaction on callbacks (transaction_id);

-- Every attempt there was, also one of a worker that had lost its lease and could change nothing any more.
create table delivery_attempts (
  id {id},
  callback_id bigint not null references callbacks (id),
  started_at bigint not null,
  duration_ms bigint not null,
  status bigint,
  failure text,
  excerpt text
);
create index delivery_attempts_of_callback on delivery_attempts (callback_id);
