-- Refunds above the limit of the person who asks. They reserve nothing: another person approves one, and a refund is made then. What
-- says which payment, how much, why and who asked never changes; the state has one writer.
create table refund_requests (
  id text {bytewise} not null,
  environment_id bigint not null references environments (id),
  transaction_id bigint not null,
  amount bigint not null check (amount > 0),
  type text not null check (type in ('total', 'parcial')),
  reason text not null check (reason <> ''),
  requested_by text not null,
  requested_by_id text not null,
  requested_kind text not null check (requested_kind in ('person', 'program')),
  requested_at bigint not null,
  state text not null check (state in ('waiting', 'approved', 'rejected')),
  decided_by text,
  decided_by_id text,
  decided_at bigint,
  decision_reason text,
  refund_id text,
  primary key (id, environment_id),
  -- Four eyes: nobody approves what they asked for, nor in another database, where the same person has another id.
  constraint refund_requests_two_people check (state <> 'approved'
    or (decided_by_id <> requested_by_id and decided_by <> requested_by)),
  constraint refund_requests_decided check ((state = 'waiting') = (decided_by is null)
    and (state = 'waiting') = (decided_by_id is null) and (state = 'waiting') = (decided_at is null)),
  constraint refund_requests_made_refund check ((state = 'approved') = (refund_id is not null)),
  constraint refund_requests_rejected_why check (state <> 'rejected' or decision_reason is not null)
);
create index refund_requests_of_transaction on refund_requests (transaction_id, environment_id);
create index refund_requests_waiting on refund_requests (requested_at) where state = 'waiting';
create unique index refund_requests_once on refund_requests (transaction_id, requested_by_id, amount, environment_id)
  where state = 'waiting';
create trigger refund_requests_what_not_updated before update of id, environment_id, transaction_id, amount, type, reason,
  requested_by, requested_by_id, requested_kind, requested_at on refund_requests {refuse};
create trigger refund_requests_not_deleted before delete{or_truncate} on refund_requests {refuse};
