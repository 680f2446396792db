-- Who may ask for what. An operator sees every payment service of the installation, whatever the second table says, so
-- that nobody becomes one by losing his last row there.
create table users (
  id text primary key,
  email text {bytewise} not null unique,
  password_hash text not null,
  api_token_hash text {bytewise} not null unique,
  operator bigint not null check (operator in (0, 1)),
  payouts bigint not null check (payouts in (0, 1)),
  -- Written into every access token; raising it revokes them all.
  token_version bigint not null,
  created_at bigint not null,
  disabled_at bigint
);

create table user_payment_services (
  user_id text not null references users (id),
  payment_service_id text not null references payment_services (id),
  primary key (user_id, payment_service_id)
);

-- How often something limited has happened, shared by all replicas. The key is a keyed hash: no address, no e-mail.
create table limit_counts (
  key text {bytewise} primary key,
  used bigint not null,
  ends_at bigint not null
);
create index limit_counts_ended on limit_counts (ends_at);
