-- When a payment method was last asked for the money, written before it is asked. Nobody knows it of those that are under way
-- now; that they were asked for when they were accepted is what was believed until here.
alter table refunds add column asked_at bigint;
update refunds set asked_at = created_at where state = 'processing' and lookups > 0;
