-- Up to where the feed was deleted because it was older than RETENTION_EVENTS: all events of the links up to `link`, which ends at
-- `commit_id` and `position`. `until` is when that link was made. `mac` is an HMAC with a key that is kept sealed with MASTER_KEY:
-- src/outbox/feed-cut.ts. What stands behind the last cut is deleted by nobody.
create table feed_cuts (
  number bigint primary key,
  made_at bigint not null,
  link bigint not null,
  until bigint not null,
  commit_id bigint not null,
  position bigint not null,
  hash text not null,
  mac text not null
);
create trigger feed_cuts_not_updated before update on feed_cuts {refuse};
create trigger feed_cuts_not_deleted before delete{or_truncate} on feed_cuts {refuse};
create index feed_links_made on feed_links (made_at, link);

-- only sqlite
drop trigger events_not_deleted;
create trigger events_not_deleted before delete on events
  when old.position > (select coalesce(max(position), 0) from feed_cuts) {refuse};

-- only postgres
drop trigger events_not_deleted on events;
create function refuse_kept_events() returns trigger language plpgsql
  as 'begin if ((old.commit_id, old.position) <= (select commit_id, position from feed_cuts order by number desc limit 1)) is not true then raise exception ''the books are append-only''; end if; return old; end';
create trigger events_not_deleted before delete on events for each row execute function refuse_kept_events();
create trigger events_not_truncated before truncate on events for each statement execute function refuse_change();
