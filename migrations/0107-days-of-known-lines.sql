-- A line is found again by its day and its key. Keys are random: without the day, each line of a large statement changed another page of the
-- index, more the larger the store, while every payment on SQLite waited.
drop index bank_statement_lines_once;
create unique index bank_statement_lines_once on bank_statement_lines (environment, day, line_key, owner);
