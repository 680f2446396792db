-- Who a user is and what is granted to it beside its role. Until now every user read and refunded payments: each becomes a
-- program that may go on with what it could do.
alter table users add column role text not null default 'integration';

create table user_permissions (
  user_id text not null references users (id),
  permission text {bytewise} not null,
  primary key (user_id, permission)
);
insert into user_permissions (user_id, permission)
  select users.id, could.permission
  from users cross join (
    select 'payments:read' as permission union all select 'refunds:create'
    union all select 'events:read' union all select 'books:read'
  ) as could;
insert into user_permissions (user_id, permission) select id, 'accounts:validate' from users where payouts = 1;
alter table users drop column payouts;

-- The word operator is a role now. What it meant here is that every payment service is the user's.
alter table users rename column operator to all_payment_services;

-- How much of a currency a user may refund in a day, and how much was. A day is one of Chile.
create table user_refund_limits (
  user_id text not null references users (id),
  currency text not null,
  most bigint not null check (most >= 0),
  primary key (user_id, currency)
);
create table user_refund_days (
  user_id text not null references users (id),
  currency text not null,
  day text not null,
  refunded bigint not null,
  primary key (user_id, currency, day)
);
