-- A restored store is a new epoch: what was given out after the backup was made cannot be known, so ids go on far above it.
-- Before the first restore there is no row, and the epoch is 0.
create table epochs (
  -- UTC seconds at which it began, so that the same backup restored twice begins two.
  epoch bigint primary key,
  began_at bigint not null,
  -- When the newest event that was there had happened; null where there was none. What happened later is lost.
  known_until bigint,
  -- The end of the feed as it was restored, and where ids go on.
  last_commit_id bigint not null,
  last_position bigint not null,
  first_position bigint not null,
  first_transaction_id bigint not null,
  -- Until then nothing leaves that moves money or tells merchants.
  released_at bigint,
  released_by text
);

-- Which store this is, from its first service on, and a count that rises once a second while anything changes. A service
-- keeps both in a file too, and knows by them a store that is older than the one it has seen.
create table store_marks (
  store_id text,
  beat bigint not null
);
insert into store_marks (store_id, beat) values (null, 0);
