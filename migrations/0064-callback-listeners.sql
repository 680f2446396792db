-- rolling: yes
-- Who takes the callbacks of development to a computer of their own. While `ends_at` is to come the service leaves those of the
-- environment to this listener. A newer listener takes the place of the one before.
create table callback_listeners (
  environment_id bigint primary key references environments (id),
  id text not null,
  started_by text not null,
  started_at bigint not null,
  ends_at bigint not null
);
