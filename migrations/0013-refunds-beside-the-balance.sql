-- What of the payment had gone back at its payment method when the refund was first asked for, as the method said then. Null:
-- the method does not say, or nobody has asked.
alter table refunds add column refunded_before bigint;
-- Whether the worker may ask for the money. `due`: once, when the method says of the payment what our books say. `held`: not
-- any more, because it was asked for or because the two differ. `ordered`: a person has said that it may be asked for again.
alter table refunds add column asking text not null default 'due' check (asking in ('due', 'held', 'ordered'));
update refunds set asking = 'held' where state <> 'processing' or lookups > 0;
-- How often it was taken up by a program that writes down that it asks. Another number than `lookups`: an older one may have.
alter table refunds add column noted_lookups bigint not null default 0;
update refunds set noted_lookups = lookups;
-- Since when the method contradicts what is known of the payment, and what it said. Null again once that is settled.
alter table refunds add column contradicted_at bigint;
alter table refunds add column contradiction text;

-- A refund that has ended is looked at again for a day.
drop index refunds_to_look_up;
create index refunds_due on refunds (next_lookup_at) where next_lookup_at is not null;
create index refunds_open_of_transaction on refunds (transaction_id) where state = 'processing';
create index refunds_contradicted on refunds (contradicted_at) where contradicted_at is not null;
drop index journal_entries_late;
drop index journal_entries_late_since;
create index journal_entries_in_suspense on journal_entries (created_at) where kind in ('late_payment', 'unasked_refund');
