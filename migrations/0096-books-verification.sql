-- rolling: yes
-- The verification of the books that a person asked for, and what the last one found: one row at most. `asked_at` is null when none waits or
-- runs. The process that carries it out holds it until `held_until`; `report` (JSON) is of the last one that ended, whoever ran it.
create table books_verification (
  id bigint primary key check (id = 1),
  asked_at bigint,
  asked_by text,
  begun_at bigint,
  tries bigint not null default 0,
  holder text,
  held_until bigint,
  progress text,
  failed_at bigint,
  ended_at bigint,
  report text
);
