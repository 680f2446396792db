-- The list of payments of a merchant has days of its own in the index: it read the rows of all merchants. The worker makes the terms
-- anew from the feed; until it is through, a search says that it is not complete.
update search_progress set commit_id = 0, position = 0;
