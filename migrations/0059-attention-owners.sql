-- rolling: yes
-- Who looks after something that waits for a person. It says nothing of the thing, and counts no more when that has ended or begun anew.
create table attention_owners (
  kind text not null,
  id text not null,
  -- As `attention list` says them; a dash where what waits is everybody's.
  payment_service text not null,
  environment text not null,
  taken_at bigint not null,
  taken_by text not null,
  primary key (kind, id, payment_service, environment)
);
create index settlement_differences_open on settlement_differences (settlement_id) where accepted_at is null;
