-- What a payment method needs to collect for an environment: the merchant's account there, and its key, sealed as Secret
-- Tokens are.
create table payment_method_settings (
  environment_id bigint not null references environments (id),
  payment_method text not null,
  account text not null,
  sealed_key text not null,
  created_at bigint not null,
  primary key (environment_id, payment_method)
);

-- Until when somebody asks the method about the attempt. Two that ask at once could each find what the other has begun.
alter table payment_attempts add column asked_until bigint;
