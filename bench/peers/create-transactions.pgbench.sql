-- The two rows of a create in one statement. Ids and references come in order, as the load generator sends them.
with created as (
  insert into transactions (id, environment_id, amount, created_at, expires_at, last_sequence, state, reference, currency,
    customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret)
  select id, 1, 12990, 1767225600000, 1767229200000, 1, 'pending', '0123456789-' || id, 'CLP', 'compradora@example.cl',
    'session-000001', 'CL', 'https://shop.example/callback', 'https://shop.example/cancel', 'https://shop.example/complete',
    'AAAAAAAAAAAAAAAAAAAAAA'
  from nextval('pgbench_ids') as id
  returning id, created_at
)
insert into events (environment_id, transaction_id, sequence, created_at, type)
select 1, id, 1, created_at, 'transaction.created' from created;
