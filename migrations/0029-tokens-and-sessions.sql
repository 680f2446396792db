-- Programs have named API tokens. `hash` is keyed, with a key that is kept sealed with MASTER_KEY, and bound to the token's user:
-- who writes into this table makes nothing that is let in. users.api_token_hash, which was not keyed, is read once, by the first
-- start of this version (src/auth/key-api-tokens.ts); it then says the user's id, and nobody reads it.
create table api_tokens (
  id text primary key,
  user_id text not null references users (id),
  name text not null,
  lookup text {bytewise} not null unique,
  proof text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  ended_at bigint
);
create index api_tokens_of_user on api_tokens (user_id);

-- What lets a user in for a while: an access token has the id of its session, and is worth nothing without the row. Access tokens
-- of before have none and are held by users.token_version alone.
create table sessions (
  id text primary key,
  user_id text not null references users (id),
  kind text not null check (kind in ('password', 'api_token', 'console')),
  api_token_id text references api_tokens (id),
  -- The network of the log-in; null where a program exchanged its API token.
  origin text,
  created_at bigint not null,
  expires_at bigint not null,
  last_used_at bigint,
  -- When the person last proved a second factor in it.
  proved_at bigint,
  ended_at bigint
);
create index sessions_of_user on sessions (user_id, created_at);
create index sessions_of_api_token on sessions (api_token_id, created_at);
create index sessions_expiring on sessions (expires_at);
