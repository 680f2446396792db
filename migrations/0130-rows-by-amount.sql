-- rolling: yes
-- The lines of a bank statement are compared with the payouts of their amounts, not with all of 75 days, while payments on SQLite wait.
create index payouts_of_amount on payouts (environment_id, amount, sent_at) where sent_at is not null;
create index movements_of_amount on movements (environment_id, amount, created_at);
-- The newest deposits and payouts to merchants are read without reading all others.
create index movements_newest on movements (created_at desc, id);
-- A validation that its provider asks to ask later for is deleted without reading the idempotency keys of a day.
create index validation_keys_of_validation on validation_keys (validation_id);
