-- rolling: yes
-- The statement and the line of its file that contradict a payout, such as st_1/12; null: something else does.
alter table payouts add column contradicted_by text;
