-- rolling: yes
-- How many of the wrong signatures were made with another Secret Token of the same payment service, which nobody else has.
alter table refused_keys add column proved bigint not null default 0;
