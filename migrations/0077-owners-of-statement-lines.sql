-- A line of a statement is the same line in another file of the same owner: one merchant's file does not make the lines of another's
-- known. Empty: the account of all payment services.
alter table bank_statement_lines add column owner text not null default '';
update bank_statement_lines set owner = coalesce(
  (select payment_service_id from bank_statements where bank_statements.id = bank_statement_lines.statement_id), '');
drop index bank_statement_lines_once;
create unique index bank_statement_lines_once on bank_statement_lines (environment, line_key, owner);

-- The lines of a statement ask for payouts that left since a moment.
create index payouts_left on payouts (environment_id, sent_at) where sent_at is not null;

-- A list of payouts is in the order of its index, of one environment and of all.
drop index payouts_of_day;
create index payouts_of_day on payouts (environment_id, created_at desc, id);
create index payouts_newest on payouts (created_at desc, id);
