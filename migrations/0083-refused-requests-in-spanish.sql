-- rolling: yes
-- The detail of a refused request in Spanish too, beside the English one; `errors` has both from here on. Null: kept before.
alter table refused_requests add column detail_es text;
