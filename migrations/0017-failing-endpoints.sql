-- Two more ends of a callback. `redirected`: the shop answered 302 or 303, so it has handled the post and is not sent it
-- again. `superseded`: it refused what the payer's browser had brought to it already.
-- SQLite changes no constraint of a column, so the column is made anew.
drop index callbacks_due;
drop index callbacks_given_up;
alter table callbacks rename column state to former_state;
alter table callbacks add column state text not null default 'queued'
  check (state in ('queued', 'delivered', 'redirected', 'superseded', 'dead', 'disabled'));
update callbacks set state = former_state where former_state <> 'queued';
alter table callbacks drop column former_state;
create index callbacks_due on callbacks (next_attempt_at) where state = 'queued';
create index callbacks_given_up on callbacks (finished_at) where state = 'dead';

-- When the page that carries the same signed result to the shop was handed to the payer's browser.
alter table callbacks add column returned_at bigint;
-- Before this time the shop has asked for no further attempt (Retry-After).
alter table callbacks add column not_before bigint;
-- When its schedule has the next attempt, for one that is tried once before it because its endpoint has answered again.
alter table callbacks add column scheduled_at bigint;
-- Nothing that is delivered at the first attempt is ever in these two.
create index callbacks_waiting on callbacks (endpoint_id, scheduled_at, id) where state = 'queued' and attempts > 0;
create index callbacks_undelivered on callbacks (state, id)
  where state in ('redirected', 'superseded', 'dead', 'disabled');

-- Where a redirect leads.
alter table delivery_attempts add column location text;

-- Since when an endpoint fails, and how it failed last. `wakes`: something may wait that its next success makes due.
alter table endpoints add column failing_since bigint;
alter table endpoints add column recovered_at bigint;
alter table endpoints add column wakes bigint not null default 0;
alter table endpoints add column failed_at bigint;
alter table endpoints add column status bigint;
alter table endpoints add column failure text;
alter table endpoints add column location text;
create index endpoints_failing on endpoints (failing_since) where failing_since is not null;
create index endpoints_disabled on endpoints (disabled_at) where disabled_at is not null;

-- What waits already.
update endpoints set wakes = 1,
  failing_since = (select min(c.created_at) from callbacks c
    where c.endpoint_id = endpoints.id and c.state = 'queued' and c.attempts > 0)
where id in (select endpoint_id from callbacks where state = 'queued' and attempts > 0);
update endpoints set failed_at = failing_since where failing_since is not null;
