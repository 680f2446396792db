-- rolling: yes
-- When a person last signed in; empty for those who did not since there is this column.
alter table users add column signed_in_at bigint;
