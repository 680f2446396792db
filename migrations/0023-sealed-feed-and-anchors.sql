-- What was told stays told.
create trigger events_not_updated before update on events {refuse};
create trigger events_not_deleted before delete{or_truncate} on events {refuse};

-- A chain over the feed. The worker adds a link for the events that were committed since the last one, so that nothing is
-- hashed while a transaction is created. `commit_id` and `position` are the place of the last event of the link.
create table feed_links (
  link bigint primary key,
  made_at bigint not null,
  commit_id bigint not null,
  position bigint not null,
  events bigint not null,
  hash text not null
);
create trigger feed_links_not_updated before update on feed_links {refuse};
create trigger feed_links_not_deleted before delete{or_truncate} on feed_links {refuse};

-- The ends of all chains as they were at a moment: JSON text, and its HMAC with a key derived from MASTER_KEY.
create table anchors (
  number bigint primary key,
  day text not null,
  made_at bigint not null,
  content text not null,
  mac text not null
);
create trigger anchors_not_updated before update on anchors {refuse};
create trigger anchors_not_deleted before delete{or_truncate} on anchors {refuse};

-- Up to which of them were posted to ANCHOR_URL, and when the next is to be.
create table anchor_posts (
  id bigint primary key check (id = 1),
  number bigint not null,
  attempts bigint not null,
  next_attempt_at bigint not null
);
insert into anchor_posts (id, number, attempts, next_attempt_at) values (1, 0, 0, 0);
