-- rolling: yes
-- Links that show the tokens of an environment once. `proof` is keyed with MASTER_KEY and covers whose tokens, until when and
-- the secret part of the link: who writes into this table makes no link that opens.
create table token_handovers (
  id text primary key,
  environment_id bigint not null references environments (id),
  secret_id text not null references secret_tokens (id),
  proof text not null,
  made_at bigint not null,
  made_by text not null,
  ends_at bigint not null,
  opened_at bigint,
  opened_from text,
  ended_at bigint
);
create index token_handovers_of_environment on token_handovers (environment_id, made_at);
