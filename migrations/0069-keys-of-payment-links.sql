-- The Idempotency-Key that a program made a link with; null: a person made it, or a program without one.
alter table payment_links add column idempotency_key text {bytewise};
create unique index payment_links_of_key on payment_links (environment_id, idempotency_key);
