-- rolling: yes
-- The files in which payouts leave, each made once and kept: sealed, because RUTs and accounts stand in them.
create table payout_files (
  id text not null,
  environment_id bigint not null references environments (id),
  format text not null,
  name text not null,
  created_at bigint not null,
  made_by text not null,
  payouts bigint not null,
  total bigint not null,
  sha256 text not null,
  sealed_content text not null,
  primary key (id, environment_id)
);
create index payout_files_of_day on payout_files (environment_id, created_at);

-- What kind of account it is, where a bank's file asks and nobody has said it with the account.
create table payout_account_types (
  environment_id bigint not null references environments (id),
  account_hash text not null,
  account_type text not null check (account_type in ('checking', 'savings', 'sight')),
  set_at bigint not null,
  set_by text not null,
  primary key (environment_id, account_hash)
);
