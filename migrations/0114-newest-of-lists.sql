-- rolling: yes
-- Lists of the newest rows read only these, and not the whole table, while payments on SQLite wait.
create index payment_links_newest on payment_links (created_at desc, id);
create index refunds_newest on refunds (created_at desc, id);
create index refund_requests_newest on refund_requests (requested_at desc, id);
-- A line of an acquirer's file without a buy order is compared with the attempts of its day.
create index payment_attempts_of_day on payment_attempts (created_at);
