-- rolling: yes
-- Where a user wants remittances and refunds to be told. One for each kind; what has ended stays, with its end.
create table webhook_subscriptions (
  id text primary key,
  user_id text not null references users (id),
  webhook text not null,
  url text not null,
  created_at bigint not null,
  ended_at bigint
);
create unique index webhook_subscriptions_in_use on webhook_subscriptions (user_id, webhook) where ended_at is null;
