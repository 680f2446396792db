-- rolling: yes
-- Each process of the service, with the last time it said that it runs and what it finds of itself (JSON). It writes its row every
-- minute and takes it away when it stops; a row that stays is of a process that was killed.
create table processes (
  id text primary key,
  host text not null,
  pid bigint not null,
  version text not null,
  started_at bigint not null,
  seen_at bigint not null,
  findings text not null
);

-- What has to be done again and again, when it was done last, and whether it found everything right (1) or not (0).
create table upkeep (
  duty text primary key check (duty in ('backup', 'books')),
  done_at bigint not null,
  ok bigint not null
);
