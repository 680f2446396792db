-- rolling: yes
-- What of a merchant's money no payout takes, so that refunds stay covered, and how far refunds may go below what the merchant has. In minor
-- units.
create table funds_rules (
  environment_id bigint not null references environments (id),
  currency text not null,
  kept_back bigint not null check (kept_back >= 0),
  overdraft bigint not null check (overdraft >= 0),
  set_at bigint not null,
  set_by text not null,
  primary key (environment_id, currency)
);
