-- rolling: yes
-- On which days of UTC an amount was asked for: a search by an amount alone then looks at these days and at no other.
create table amount_days (
  amount bigint not null,
  currency text not null,
  day bigint not null,
  primary key (amount, currency, day)
){clustered};

-- From which day on `amount_days` has them all; null: no process has said it yet. Days before it are asked one by one.
alter table search_progress add column amount_days_from bigint;
