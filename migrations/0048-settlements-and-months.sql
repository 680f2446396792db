-- rolling: yes
-- What an acquirer settled, held against the books: the file by its hash, and each difference until a person accepts it.
create table settlements (
  id text primary key,
  environment text not null,
  -- Null: of all payment services.
  payment_service_id text references payment_services (id),
  payment_method text not null,
  file_name text not null,
  file_sha256 text not null,
  first_day text not null,
  last_day text not null,
  kept_at bigint not null,
  kept_by text not null,
  matched bigint not null,
  -- JSON: for each currency what was settled and what is booked, in minor units.
  totals text not null,
  -- When the same file was compared again.
  replaced_at bigint
);
create index settlements_of_day on settlements (environment, last_day);

create table settlement_differences (
  settlement_id text not null references settlements (id),
  number bigint not null,
  cause text not null,
  file_line bigint,
  day text not null,
  buy_order text,
  -- Such as 7/12.0; null where the books have nothing.
  entry text,
  transaction_id bigint,
  -- In minor units.
  settled bigint,
  booked bigint,
  currency text not null,
  accepted_at bigint,
  accepted_by text,
  reason text,
  primary key (settlement_id, number)
);

-- A month of Chile that a person has closed, with what each merchant was owed at its end.
create table closed_months (
  month text not null,
  environment text not null,
  closed_at bigint not null,
  closed_by text not null,
  -- JSON: payment service, currency and what was owed, in minor units.
  owed text not null,
  primary key (month, environment)
);
