-- Every bank account validation: who asked, when, and what was found. Neither the RUT nor the account is here, only
-- keyed hashes by which a record is found again. Ids begin with their time, so that new rows are neighbours.
-- `findings` leaves out what just passed or was not asked; see src/bank-validation/stored-validation.ts.
create table bank_account_validations (
  id text {bytewise} primary key,
  actor text not null,
  created_at bigint not null,
  state text not null check (state in ('completed', 'pending')),
  verdict text not null check (verdict in ('invalid', 'plausible', 'confirmed', 'mismatch', 'undetermined')),
  bank_code text,
  account_masked text not null,
  findings text not null,
  directory_version text not null,
  rut_hash text {bytewise},
  account_hash text {bytewise},
  provider text,
  provider_detail text,
  answered_at bigint,
  expires_at bigint,
  next_ask_at bigint,
  asks bigint,
  sealed_question text
);
create index bank_account_validations_of_rut on bank_account_validations (rut_hash);
create index bank_account_validations_pending on bank_account_validations (next_ask_at) where state = 'pending';

-- Bank lists brought in by `banks import`; the newest serves. Without any, the list of the release does.
create table bank_directories (
  id {id},
  imported_at bigint not null,
  version text not null,
  content text not null
);

-- Token buckets for questions to an online provider, shared by all replicas: one for each user, one for each RUT.
create table provider_budgets (
  bucket text {bytewise} primary key,
  tokens bigint not null,
  refilled_at bigint not null
);

-- Whose RUTs a user has put to the provider on a day (days since 1970, UTC), and the questions refused for it.
create table provider_questions (
  actor text not null,
  day bigint not null,
  rut_hash text {bytewise} not null,
  primary key (actor, day, rut_hash)
);
create table provider_refusals (
  actor text not null,
  day bigint not null,
  first_at bigint not null,
  refusals bigint not null,
  primary key (actor, day)
);

-- Idempotency keys of the last day, each with a keyed hash of its request and the validation that answered it.
create table validation_keys (
  actor text not null,
  key text {bytewise} not null,
  request_hash text not null,
  validation_id text not null,
  created_at bigint not null,
  primary key (actor, key)
);
create index validation_keys_by_age on validation_keys (created_at);
