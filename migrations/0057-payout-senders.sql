-- rolling: yes
-- By which program the payouts of a merchant leave. One at a time; what left by a retired one is looked up there, so it stays.
create table payout_senders (
  id text not null,
  environment_id bigint not null references environments (id),
  kind text not null check (kind in ('simulated', 'http')),
  url text,
  sealed_key text,
  set_at bigint not null,
  set_by text not null,
  retired_at bigint,
  primary key (id, environment_id)
);
create unique index payout_senders_in_use on payout_senders (environment_id) where retired_at is null;

-- By which of them a payout left; empty: in a file of a bank, or not yet.
alter table payouts add column sender_id text;
