-- Cursors of the feed are sealed, because a place in it tells how much happened to everybody. Cursors from before say a place up to
-- this one, and are taken until version 2; ids of events of no transaction say their place up to here.
create table plain_cursors (
  commit_id bigint not null,
  position bigint not null
);
insert into plain_cursors (commit_id, position)
select coalesce(max(commit_id), 0), coalesce(max(position), 0) from events;
