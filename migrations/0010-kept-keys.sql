-- Keys that outlive a change of MASTER_KEY, sealed with it: what was made with them cannot be made anew.
create table kept_keys (
  name text primary key,
  sealed text not null
);
