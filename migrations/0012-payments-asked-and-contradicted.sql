-- When a payment method was last told to take the money, written before it is told, and when it answered that. What was told and
-- not answered may have happened.
alter table payment_attempts add column commit_sent_at bigint;
alter table payment_attempts add column commit_answered_at bigint;

-- Since when a payment method contradicts what is known of an attempt, and what it said. Null again once a person has decided.
alter table payment_attempts add column contradicted_at bigint;
alter table payment_attempts add column contradiction text;
update payment_attempts set contradicted_at = created_at, contradiction = detail, detail = null
  where state in ('started', 'pending', 'unknown') and detail is not null;

-- Nobody knows it of those from before: where there was something to take, it may have been told.
update payment_attempts set commit_sent_at = created_at
  where external_id is not null and (state = 'unknown' or (state = 'pending' and asked_until is not null));
-- Those that were given up in the last days are asked about again.
update payment_attempts set commit_sent_at = settled_at, commit_answered_at = settled_at, next_lookup_at = settled_at + 60000
  where state = 'aborted' and external_id is not null
    and settled_at > (select max(created_at) from payment_attempts) - 604800000;

-- An attempt that has ended may be due as well.
drop index payment_attempts_to_look_up;
create index payment_attempts_due on payment_attempts (next_lookup_at) where next_lookup_at is not null;

-- What waits is counted with every scrape of the metrics.
create index payment_attempts_open_since on payment_attempts (created_at) where state in ('started', 'pending', 'unknown');
create index payment_attempts_contradicted on payment_attempts (contradicted_at) where contradicted_at is not null;
create index callbacks_given_up on callbacks (finished_at) where state = 'dead';
create index journal_entries_late_since on journal_entries (created_at) where kind = 'late_payment';
