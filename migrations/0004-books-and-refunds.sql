-- What is given back of a payment. One row for each wish that was accepted, whatever became of it.
-- `sequence` is that of the event that told of it, so it is the order within the transaction.
create table refunds (
  id text primary key,
  transaction_id bigint not null references transactions (id),
  sequence bigint not null,
  amount bigint not null check (amount > 0),
  created_at bigint not null,
  settled_at bigint,
  next_lookup_at bigint,
  lookups bigint not null,
  state text not null check (state in ('processing', 'completed', 'failed')),
  type text not null check (type in ('total', 'parcial')),
  requested_by text not null,
  idempotency_key text {bytewise},
  detail text,
  unique (transaction_id, sequence),
  unique (transaction_id, idempotency_key)
);
create index refunds_to_look_up on refunds (next_lookup_at) where state = 'processing';
create index refunds_completed on refunds (settled_at) where state = 'completed';
-- Reconciliation asks for the payments of a day. Nothing of a pending transaction is in it, so a create pays nothing.
create index transactions_completed on transactions (settled_at) where state = 'completed';

-- The books. A row moves an amount from one account to another, so that no commit can ever be out of balance.
-- The entries of one posting are one link of the chain of their environment, and carry its hash.
create table journal_entries (
  environment_id bigint not null references environments (id),
  link bigint not null,
  line bigint not null,
  created_at bigint not null,
  kind text not null,
  debit_account text not null,
  credit_account text not null check (credit_account <> debit_account),
  amount bigint not null check (amount > 0),
  currency text not null,
  transaction_id bigint references transactions (id),
  payment_attempt_id text references payment_attempts (id),
  refund_id text references refunds (id),
  hash text not null,
  primary key (environment_id, link, line)
);
create index journal_entries_of_day on journal_entries (environment_id, created_at);
create index journal_entries_of_transaction on journal_entries (transaction_id);
-- What an attempt collected and what a refund gave back is booked once, whoever tells of it and however often.
create unique index journal_entries_of_attempt on journal_entries (payment_attempt_id) where line = 0;
create unique index journal_entries_of_refund on journal_entries (refund_id) where line = 0;

-- Where each chain ends: the row that the postings of one environment queue for.
create table journal_heads (
  environment_id bigint primary key references environments (id),
  link bigint not null,
  hash text not null
);

{refusal};
create trigger journal_entries_not_updated before update on journal_entries {refuse};
create trigger journal_entries_not_deleted before delete{or_truncate} on journal_entries {refuse};

-- What a callback's body is. Refunds are told as JSON, to an address of the environment, if it has one.
alter table callbacks add column content_type text not null default 'application/x-www-form-urlencoded';
alter table environments add column events_url text;
