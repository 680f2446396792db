-- rolling: yes
-- What a person proves beside the password. `sealed` is the secret of a TOTP or the public key of a passkey, bound to its row and its
-- user: who writes into this table makes nothing that is let in. `last_step` is the time step of the last code that was taken (no code of
-- it or of an earlier one works), or the counter of a passkey. `credential` is the id by which a browser names a passkey.
create table factors (
  id text primary key,
  user_id text not null references users (id),
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  sealed text not null,
  credential text {bytewise},
  last_step bigint not null,
  created_at bigint not null,
  last_used_at bigint
);
create index factors_of_user on factors (user_id, created_at);
create unique index factors_by_credential on factors (credential) where credential is not null;

-- `hash` is keyed and of its user alone.
create table recovery_codes (
  user_id text not null references users (id),
  hash text {bytewise} not null,
  created_at bigint not null,
  used_at bigint,
  primary key (user_id, hash)
);
