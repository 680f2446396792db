-- rolling: yes
-- Whom payouts go to: an account that was validated, kept with the verdict that it had. A row is never changed: another account of the
-- same holder, or a newer verdict, is the next version. RUT, name, account and e-mail are sealed.
create table recipients (
  id text not null,
  version bigint not null,
  owner text not null,
  created_at bigint not null,
  created_by text not null,
  validation_id text not null,
  verdict text not null,
  validated_at bigint not null,
  expires_at bigint,
  bank_code text not null,
  account_masked text not null,
  rut_hash text not null,
  account_hash text not null,
  email_hash text,
  sealed_details text not null,
  primary key (id, version)
);
create index recipients_of_owner on recipients (owner, id, version);
create index recipients_of_rut on recipients (rut_hash);
create index recipients_of_email on recipients (email_hash);
-- A validation is kept once: the same request again finds what it made.
create unique index recipients_of_validation on recipients (validation_id);
