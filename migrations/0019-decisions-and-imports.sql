-- What a person decided about a payment attempt that its payment method did not end, with the evidence: the name of a file, its
-- SHA-256, its size, and its first bytes in base64. `taken` is what was booked by it, null where nothing was taken.
create table payment_decisions (
  id text primary key,
  payment_attempt_id text not null references payment_attempts (id),
  decided_at bigint not null,
  decided_by text not null,
  outcome text not null check (outcome in ('approved', 'declined', 'aborted')),
  taken bigint check (taken > 0),
  reason text not null,
  evidence_name text not null,
  evidence_sha256 text not null,
  evidence_bytes bigint not null,
  evidence_excerpt text not null
);
create index payment_decisions_of_attempt on payment_decisions (payment_attempt_id);
-- What an attempt took is booked once.
create unique index payment_decisions_taken on payment_decisions (payment_attempt_id) where taken is not null;
create trigger payment_decisions_not_updated before update on payment_decisions {refuse};
create trigger payment_decisions_not_deleted before delete{or_truncate} on payment_decisions {refuse};

-- Lines of an acquirer's file that were taken over because the books did not know their money: each once, under `line_key`. Either
-- it was of an attempt, which a decision ended, or it is in suspense as a link of the books of its environment.
create table imported_payments (
  id text primary key,
  environment_id bigint not null references environments (id),
  line_key text {bytewise} not null,
  link bigint,
  imported_at bigint not null,
  imported_by text not null,
  payment_method text not null,
  settled_on text not null,
  buy_order text,
  authorization_code text,
  amount bigint not null check (amount > 0),
  currency text not null,
  payment_attempt_id text references payment_attempts (id),
  evidence_name text not null,
  evidence_sha256 text not null,
  file_line bigint not null,
  unique (payment_method, line_key),
  check ((link is null) <> (payment_attempt_id is null))
);
create index imported_payments_of_link on imported_payments (environment_id, link);
create trigger imported_payments_not_updated before update on imported_payments {refuse};
create trigger imported_payments_not_deleted before delete{or_truncate} on imported_payments {refuse};
