-- rolling: yes
-- The newest links of all payment services.
create index payment_links_newest on payment_links (created_at desc, id);
