-- What a person decided about a refund that its payment method did not end, with the evidence, as in payment_decisions. `retry`: the
-- method may be asked for the money again; there the evidence can be none.
create table refund_decisions (
  id text primary key,
  refund_id text not null references refunds (id),
  decided_at bigint not null,
  decided_by text not null,
  outcome text not null check (outcome in ('completed', 'failed', 'retry')),
  reason text not null,
  evidence_name text,
  evidence_sha256 text,
  evidence_bytes bigint,
  evidence_excerpt text,
  check (outcome = 'retry' or evidence_sha256 is not null)
);
create index refund_decisions_of_refund on refund_decisions (refund_id);
create trigger refund_decisions_not_updated before update on refund_decisions {refuse};
create trigger refund_decisions_not_deleted before delete{or_truncate} on refund_decisions {refuse};
