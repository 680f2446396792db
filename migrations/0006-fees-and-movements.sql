-- What the service keeps of a payment, by payment method and currency. Of each million of the amount, and for each payment.
create table fees (
  environment_id bigint not null references environments (id),
  payment_method text not null,
  currency text not null,
  rate_ppm bigint not null check (rate_ppm between 0 and 1000000),
  fixed bigint not null check (fixed >= 0),
  created_at bigint not null,
  primary key (environment_id, payment_method, currency)
);

-- What it kept of this one, whatever the fee becomes later. Its entry says the same.
alter table transactions add column fee bigint not null default 0;

-- What a person in finance says that money did outside of the service. Each is told once, under its reference.
create table movements (
  id text primary key,
  environment_id bigint not null references environments (id),
  kind text not null check (kind in ('payout', 'deposit', 'resolution')),
  reference text {bytewise} not null,
  amount bigint not null check (amount > 0),
  commission bigint not null check (commission >= 0),
  currency text not null,
  created_at bigint not null,
  recorded_by text not null,
  payment_method text,
  transaction_id bigint references transactions (id),
  decision text check (decision in ('returned', 'kept')),
  reason text,
  unique (environment_id, kind, reference)
);
create trigger movements_not_updated before update on movements {refuse};
create trigger movements_not_deleted before delete{or_truncate} on movements {refuse};

alter table journal_entries add column movement_id text references movements (id);
create unique index journal_entries_of_movement on journal_entries (movement_id) where line = 0;
create index journal_entries_late on journal_entries (transaction_id) where kind = 'late_payment';

-- The sums of the books, moved with every posting: what is available is asked for under a lock, and books only grow.
create table account_balances (
  environment_id bigint not null references environments (id),
  account text not null,
  currency text not null,
  debits bigint not null,
  credits bigint not null,
  primary key (environment_id, account, currency)
);
insert into account_balances (environment_id, account, currency, debits, credits)
select environment_id, account, currency, sum(debit), sum(credit)
from (
  select environment_id, debit_account as account, currency, amount as debit, 0 as credit from journal_entries
  union all
  select environment_id, credit_account, currency, 0, amount from journal_entries
) as l
group by environment_id, account, currency;
