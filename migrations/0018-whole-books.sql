-- Whose the books were when an entry was written, and what stood behind it: references, authorisation codes, details of refunds.
-- Hashed with the entry. Null in links from before there were these columns.
alter table journal_entries add column owner_hash text;
alter table journal_entries add column record_hash text;

-- What the books stand on and no entry says: whose they are, the fees, what is reserved for refunds. Each change is one link of
-- a chain of its environment, in the commit of the change. `content` is JSON text: what is so since then.
create table book_facts (
  environment_id bigint not null references environments (id),
  link bigint not null,
  created_at bigint not null,
  kind text not null,
  subject text {bytewise} not null,
  content text not null,
  recorded_by text not null,
  hash text not null,
  primary key (environment_id, link)
);
create index book_facts_of_subject on book_facts (kind, subject, environment_id, link);
create table book_fact_heads (
  environment_id bigint primary key references environments (id),
  link bigint not null,
  hash text not null
);
create trigger book_facts_not_updated before update on book_facts {refuse};
create trigger book_facts_not_deleted before delete{or_truncate} on book_facts {refuse};

-- Since when there are facts: those of an older store are written down once.
create table book_facts_begun (
  id bigint primary key check (id = 1),
  begun_at bigint not null
);
