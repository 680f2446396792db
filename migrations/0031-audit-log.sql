-- Who did what, when and from where: acts of people and programs that change something, sign-ins, and what was refused to somebody.
-- One chain for the whole store: each row is a link that carries the hash of the one before it. Nothing of a payment on its way and
-- no validation is in it. `said_before` and `said_after` are JSON text without secrets.
create table audit_log (
  link bigint primary key,
  created_at bigint not null,
  actor_kind text not null check (actor_kind in ('person', 'program', 'command line', 'stranger')),
  actor text {bytewise} not null,
  user_id text,
  origin text,
  action text {bytewise} not null,
  subject_kind text not null,
  subject text {bytewise} not null,
  said_before text,
  said_after text,
  reason text,
  hash text not null
);
create index audit_log_of_actor on audit_log (actor, link);
create index audit_log_of_user on audit_log (user_id, link);
create index audit_log_of_action on audit_log (action, link);
create index audit_log_of_subject on audit_log (subject, link);
create trigger audit_log_not_updated before update on audit_log {refuse};
create trigger audit_log_not_deleted before delete{or_truncate} on audit_log {refuse};

-- Where the chain ends: the row that those who write into it queue for, last in their commits.
create table audit_head (
  id bigint primary key check (id = 1),
  link bigint not null,
  hash text not null
);
insert into audit_head (id, link, hash) values (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
