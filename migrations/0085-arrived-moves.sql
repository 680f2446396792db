-- rolling: yes
-- When a database knows that what left it has arrived in the other one. Without it a payment service that left may be served nowhere,
-- and a person is asked to let its move go on.
alter table moves add column arrived_at bigint;
