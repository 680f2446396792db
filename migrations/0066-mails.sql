-- rolling: yes
-- Receipts that are to leave by mail. What is in one is written when it is sent, from the payment as the store has it then.
create table mails (
  id text {bytewise} not null,
  environment_id bigint not null references environments (id),
  transaction_id bigint not null,
  refund_id text {bytewise},
  address text not null,
  language text not null check (language in ('es', 'en')),
  asked_by_payer bigint not null,
  state text not null check (state in ('queued', 'sent', 'dead', 'ended')),
  attempts bigint not null,
  created_at bigint not null,
  next_attempt_at bigint not null,
  finished_at bigint,
  lease text,
  failure text,
  primary key (id, environment_id)
);
create index mails_due on mails (next_attempt_at) where state = 'queued';
create index mails_ended on mails (state, finished_at) where state <> 'queued';
create index mails_of_transaction on mails (transaction_id, environment_id);
-- In which language receipts leave, or 'off'; null: the default of the program.
alter table payment_services add column receipts text;
