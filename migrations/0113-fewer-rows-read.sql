-- rolling: yes
-- The payouts in a state are read newest first, without passing all others of their merchant.
create index payouts_of_state on payouts (environment_id, state, created_at desc, id);
-- What one person has approved on a day: without it an approval read every payout, while payments on SQLite waited.
create index payouts_approved_by on payouts (approved_by_id, approved_at) where approved_by_id is not null;
-- The lines of a statement that nobody has explained are counted without reading the others.
create index bank_statement_lines_in_suspense on bank_statement_lines (statement_id) where used_as = 'suspense';
-- Each line of an acquirer's file that is taken over is compared with those of its day, not with all of its method.
create index imported_payments_of_day on imported_payments (payment_method, settled_on);
