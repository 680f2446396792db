-- rolling: yes

-- From where a user has logged in, as a keyed hash: strangers who guess the password from elsewhere do not shut these out.
create table known_networks (
  user_id text not null references users (id),
  network text not null,
  last_at bigint not null,
  primary key (user_id, network)
);

-- Signed requests a minute; null: what docs/limits.md says.
alter table payment_services add column per_minute bigint check (per_minute > 0);
