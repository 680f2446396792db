-- Every account that a payment method was given for an environment. What an account has collected can only be looked up
-- and given back by that same account, so none is deleted: `retired_at` says since when it collects nothing new.
create table payment_method_accounts (
  environment_id bigint not null references environments (id),
  payment_method text not null,
  account text not null,
  sealed_key text not null,
  created_at bigint not null,
  retired_at bigint,
  primary key (environment_id, payment_method, account)
);
-- One at a time collects.
create unique index payment_method_accounts_in_use on payment_method_accounts (environment_id, payment_method)
  where retired_at is null;
insert into payment_method_accounts (environment_id, payment_method, account, sealed_key, created_at)
  select environment_id, payment_method, account, sealed_key, created_at from payment_method_settings;

-- Which of them an attempt was made by.
alter table payment_attempts add column account text;
update payment_attempts set account = (
    select s.account from payment_method_settings s join transactions t on t.environment_id = s.environment_id
    where t.id = payment_attempts.transaction_id and s.payment_method = payment_attempts.payment_method)
  where payment_method in (select payment_method from payment_method_settings);

drop table payment_method_settings;
