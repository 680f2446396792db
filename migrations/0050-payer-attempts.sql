-- rolling: yes
-- How many declined attempts end a transaction; null: the default of the program. The version before ends it at the first.
alter table payment_services add column payer_attempts bigint;
