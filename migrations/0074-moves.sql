-- A payment service can move to another database of the installation. Each of the two keeps a row of the move: `out` where it
-- was, `in` where it goes; the last one says where it is. `environment_ids` is a JSON list; `progress` (JSON) is how far it is
-- copied, written in the commit of what was copied. While `paused_until` is to come, its signed requests are asked to wait.
create table moves (
  id text primary key,
  payment_service_id text not null,
  direction text not null check (direction in ('out', 'in')),
  state text not null check (state in ('copying', 'moved', 'undone')),
  environment_ids text not null,
  address text not null,
  began_at bigint not null,
  began_by text not null,
  changed_at bigint not null,
  paused_until bigint,
  progress text not null
);
create unique index moves_under_way on moves (payment_service_id) where state = 'copying';
create index moves_of_payment_service on moves (payment_service_id, began_at);

-- The changes of a payment service while it is copied: triggers write them, for as long as a move is under way. `row_key` names
-- the rows, such as the id of a transaction.
create table move_changes (
  number {id},
  table_name text not null,
  row_key text not null
);

-- SQLite: has a row only within a commit that copies, so that the fence around a payment service lets it through.
create table movers (
  id bigint primary key check (id = 1)
);

-- Ids of environments come from a counter, as those of transactions do: two databases can count in different stretches.
insert into id_blocks (name, next_id) select 'environment', coalesce(max(id), 0) + 1 from environments;

-- only postgres
create function refuse_moving() returns trigger language plpgsql
  as 'begin raise exception using errcode = ''RB503'', message = ''the payment service is moving''; end';
create function note_change() returns trigger language plpgsql
  as 'begin insert into move_changes (table_name, row_key) values (tg_argv[0], to_jsonb(coalesce(new, old)) ->> tg_argv[1]); return null; end';
