-- rolling: yes
-- Links that can be paid without a shop. The id is in the address; `opened` is the number of the last transaction that it made, whose
-- reference is the id, a hyphen and that number.
create table payment_links (
  id text {bytewise} not null,
  environment_id bigint not null references environments (id),
  amount bigint not null,
  currency text not null,
  subject text not null,
  uses text not null check (uses in ('one', 'many')),
  url_callback text,
  created_at bigint not null,
  created_by text not null,
  expires_at bigint,
  ended_at bigint,
  opened bigint not null,
  primary key (id, environment_id)
);
create index payment_links_of_environment on payment_links (environment_id, created_at);
