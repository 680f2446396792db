-- rolling: yes
-- Links that let a person in once: the first sign-in of somebody who was invited, and of who looks at a demo. `hash` is keyed.
create table invitations (
  id text primary key,
  user_id text not null references users (id),
  kind text not null check (kind in ('invitation', 'sign_in')),
  hash text {bytewise} not null,
  created_at bigint not null,
  created_by text not null,
  expires_at bigint not null,
  used_at bigint,
  ended_at bigint
);
create unique index invitations_by_hash on invitations (hash);
create index invitations_of_user on invitations (user_id, created_at);
