-- The hashes that payments are found by have a key now, sealed with MASTER_KEY: with the table alone nobody tries e-mail addresses
-- against them. The worker makes them anew from the feed; until it is through, a search says that it is not complete.
drop table search_terms;
create table search_terms (
  term bigint not null,
  transaction_id bigint not null,
  environment_id bigint not null,
  primary key (term, transaction_id, environment_id)
){clustered};
update search_progress set commit_id = 0, position = 0;
