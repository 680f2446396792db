-- rolling: yes
-- Requests of shops and programs that were refused, without their secrets, for a few days: so that who integrates reads why.
-- environment_id 0: of no payment service that is known. `repeated` counts those like it that were not kept.
create table refused_requests (
  request_id text not null,
  environment_id bigint not null,
  at bigint not null,
  method text not null,
  route text not null,
  status bigint not null,
  code text not null,
  detail text not null,
  -- JSON: what was wrong with which field, and the fields as far as they are no secret.
  errors text not null,
  fields text not null,
  repeated bigint not null default 0,
  primary key (request_id, environment_id)
);
create index refused_requests_of_code on refused_requests (environment_id, code, at, request_id);
create index refused_requests_by_time on refused_requests (at, request_id);
