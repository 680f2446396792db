-- rolling: yes
-- The lists of batches and of bank files find those with a payout in a state, however old they are.
create index payouts_of_batch_in_state on payouts (environment_id, state, batch_id) where batch_id is not null;
create index payouts_of_file_in_state on payouts (environment_id, state, file_id) where file_id is not null;
