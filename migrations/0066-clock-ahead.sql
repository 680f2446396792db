-- rolling: yes
-- How far the clock of a development installation is ahead of the world's, in milliseconds: bin/rubrica clock advance.
alter table store_marks add column clock_ahead_ms bigint not null default 0;
