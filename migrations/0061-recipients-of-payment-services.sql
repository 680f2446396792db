-- rolling: yes
-- The payment service whose payouts go to a recipient: the people of that payment service share it. Empty: it is seen by the user
-- who kept it, and by users of all payment services.
alter table recipients add column payment_service_id text;
create index recipients_of_payment_service on recipients (payment_service_id, id, version);
