-- Money that a merchant sends to others. `reference` is the id that the client gave it. What says whom, how much and who made it
-- never changes; the state has one writer. RUT, name and account stand sealed in the version of the recipient.
create table payout_batches (
  id text not null,
  environment_id bigint not null references environments (id),
  name text not null,
  created_at bigint not null,
  proposed_by text not null,
  proposed_by_id text not null,
  -- SHA-256 of the file that it was made from: the same file again is the same batch.
  file_sha256 text,
  primary key (id, environment_id)
);
create unique index payout_batches_of_file on payout_batches (environment_id, file_sha256);
create index payout_batches_of_day on payout_batches (environment_id, created_at);

create table payouts (
  id text not null,
  environment_id bigint not null references environments (id),
  batch_id text,
  reference text {bytewise} not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  created_at bigint not null,
  proposed_by text not null,
  proposed_by_id text not null,
  proposed_kind text not null check (proposed_kind in ('person', 'program')),
  recipient_id text not null,
  recipient_version bigint not null,
  rut_hash text not null,
  account_hash text not null,
  bank_code text not null,
  account_masked text not null,
  verdict text not null,
  validated_at bigint not null,
  message text not null,
  -- Of everything that was asked for: the same id with another wish is a conflict.
  wish_hash text not null,
  callback_url text,
  -- Who kept another account than the one that was paid last; null: it is the same, or nothing was paid yet.
  account_changed_by text,
  state text not null check (state in ('draft', 'awaiting_approval', 'approved', 'rejected', 'cancelled', 'sent', 'unknown',
    'confirmed', 'failed', 'returned')),
  changed_at bigint not null,
  approved_at bigint,
  approved_by text,
  approved_by_id text,
  approval text check (approval in ('person', 'automatic')),
  reason text,
  file_id text,
  file_line bigint,
  sent_at bigint,
  settled_at bigint,
  next_look_at bigint,
  looks bigint not null default 0,
  contradiction text,
  contradicted_at bigint,
  primary key (id, environment_id),
  -- Four eyes: nobody approves what they made, nor an account that they changed.
  constraint payouts_two_people check (approved_by_id is null or approved_by_id <> proposed_by_id),
  constraint payouts_account_of_another check (approved_by_id is null or account_changed_by is null
    or approved_by_id <> account_changed_by),
  -- A person approves, or the rule for programs does, and then nobody else; money leaves only what was approved.
  constraint payouts_approved_once check ((approval is null) = (approved_at is null)
    and (approval = 'person') = (approved_by_id is not null)
    and (approval is null or approval = 'person' or proposed_kind = 'program')),
  constraint payouts_leave_approved check (approval is not null
    or state in ('draft', 'awaiting_approval', 'rejected', 'cancelled'))
);
create unique index payouts_of_reference on payouts (environment_id, reference);
create index payouts_of_day on payouts (environment_id, created_at, id);
create index payouts_open on payouts (environment_id, state, created_at)
  where state in ('awaiting_approval', 'approved', 'sent', 'unknown');
create index payouts_of_rut on payouts (environment_id, rut_hash, created_at);
create index payouts_of_batch on payouts (environment_id, batch_id);
create index payouts_of_file on payouts (environment_id, file_id);
create index payouts_approved_of_day on payouts (environment_id, approved_at);
create index payouts_due on payouts (next_look_at) where next_look_at is not null;
create index payouts_contradicted on payouts (contradicted_at) where contradicted_at is not null;
create trigger payouts_whom_not_updated before update of id, environment_id, batch_id, reference, amount, currency, created_at,
  proposed_by, proposed_by_id, proposed_kind, recipient_id, recipient_version, rut_hash, account_hash, bank_code,
  wish_hash, account_changed_by on payouts {refuse};
create trigger payouts_not_deleted before delete{or_truncate} on payouts {refuse};

-- How much may be paid out without more ado, in minor units; null: as much as there is. `automatic_*`: what a program may pay
-- without a person, nothing unless it is said.
create table payout_limits (
  environment_id bigint not null references environments (id),
  currency text not null,
  per_payout bigint check (per_payout > 0),
  per_batch bigint check (per_batch > 0),
  per_day bigint check (per_day > 0),
  automatic_per_payout bigint check (automatic_per_payout > 0),
  automatic_per_day bigint check (automatic_per_day > 0),
  automatic_count_per_hour bigint check (automatic_count_per_hour > 0),
  primary key (environment_id, currency)
);
-- What one person may approve in a day of Chile.
create table user_payout_limits (
  user_id text not null references users (id),
  currency text not null,
  per_day bigint not null check (per_day > 0),
  primary key (user_id, currency)
);

-- Each entry of a payout is of one payout, and each kind of entry comes once: money is reserved once, and leaves once.
alter table journal_entries add column payout_id text;
create unique index journal_entries_of_payout on journal_entries (payout_id, kind, environment_id) where payout_id is not null;
