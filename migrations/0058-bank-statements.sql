-- rolling: yes
-- Statements of the bank (cartolas) that were imported, and what each of their lines is of. A line is kept without its text, in
-- which names and RUTs of people stand: the file says it, by its name and line.
create table bank_statements (
  id text primary key,
  environment text not null,
  -- Null: of all payment services.
  payment_service_id text references payment_services (id),
  account text not null,
  file_name text not null,
  file_sha256 text not null,
  imported_at bigint not null,
  imported_by text not null,
  first_day text not null,
  last_day text not null,
  lines bigint not null,
  -- What the file proved itself by: balance, totals or nothing.
  proof text not null
);
create index bank_statements_of_day on bank_statements (environment, last_day);

create table bank_statement_lines (
  statement_id text not null references bank_statements (id),
  number bigint not null,
  environment text not null,
  file_line bigint not null,
  day text not null,
  -- Minor units: above 0 it came, below 0 it left.
  amount bigint not null,
  currency text not null,
  -- Keyed, of account, day, amount, text and which of its like it is: a line of an overlapping file is the same line.
  line_key text not null,
  -- The only use of a line. suspense: a person has to say what it is. other: a person said that it is of nothing here.
  used_as text not null check (used_as in ('payout', 'return', 'deposit', 'suspense', 'other')),
  -- The payout, the file of payouts or the deposit.
  subject text,
  note text,
  kept_at bigint not null,
  resolved_at bigint,
  resolved_by text,
  reason text,
  primary key (statement_id, number)
);
create unique index bank_statement_lines_once on bank_statement_lines (environment, line_key);
-- Nothing is confirmed, returned or received by two lines.
create unique index bank_statement_lines_of_subject on bank_statement_lines (used_as, subject) where subject is not null;
create index bank_statement_lines_open on bank_statement_lines (kept_at) where used_as = 'suspense';
