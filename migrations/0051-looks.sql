-- rolling: yes
-- How the pages of a payment look and whose they are. The logo is base64 of a file that was checked; its name is its hash.
create table looks (
  payment_service_id text primary key references payment_services (id),
  changed_at bigint not null,
  colour text,
  site text,
  contact text,
  legal_name text,
  rut text,
  terms text,
  logo_sha256 text,
  logo_type text,
  logo_width bigint,
  logo_height bigint,
  logo text
);
create index looks_by_logo on looks (logo_sha256) where logo_sha256 is not null;
