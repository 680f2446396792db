-- rolling: yes
-- What payments are found by: a term is a hash of `reference`, `email` … with its text, see src/search/search-term.ts.
create table search_terms (
  term bigint not null,
  transaction_id bigint not null,
  environment_id bigint not null,
  primary key (term, transaction_id, environment_id)
){clustered};

-- The place in the feed up to which payments have their terms.
create table search_progress (
  commit_id bigint not null,
  position bigint not null
);
insert into search_progress (commit_id, position) values (0, 0);
