-- rolling: yes
-- A line of an acquirer's file is compared with the imported lines of its payment, not with all lines of its method.
create index imported_payments_of_name on imported_payments (payment_method, buy_order);
