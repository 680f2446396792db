-- A worker changes each callback twice, and PostgreSQL writes every index of a row that changes. One index finds the
-- callbacks of a transaction and keeps each event unique: a webhook_id names its transaction. The key that was only unique goes.
-- An attempt is inserted only by the commit that changes its callback, and is deleted before its callback, so the check
-- of its foreign key finds nothing and costs a locked row for each attempt.
-- SQLite writes only the indexes of changed columns, and would have to copy both tables.

-- only postgres
drop index callbacks_of_transaction;
create unique index callbacks_of_transaction on callbacks (transaction_id, environment_id, webhook_id);
alter table callbacks drop constraint callbacks_webhook_id_environment_id_key;
alter table delivery_attempts drop constraint delivery_attempts_callback_id_environment_id_fkey;
