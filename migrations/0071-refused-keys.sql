-- rolling: yes
-- How often requests in the name of a payment service were signed wrongly, run by run: its own service may have a wrong Secret Token.
-- No request is kept here, so production is counted too. `since` and `refusals` are of the run that goes on.
create table refused_keys (
  environment_id bigint not null primary key,
  since bigint not null,
  last_at bigint not null,
  refusals bigint not null
);
create index refused_keys_by_time on refused_keys (last_at);
