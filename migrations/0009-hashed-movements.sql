-- What a person recorded is hashed with its entries, so that the chain vouches for all of it: its reference, its reason and
-- who recorded it too. Null where an entry has no movement, and in links from before there was this column.
alter table journal_entries add column movement_hash text;
