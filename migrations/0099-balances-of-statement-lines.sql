-- rolling: yes
-- Right after the line, in its file. Two files of a day whose equal lines have other balances may be of two payments.
alter table bank_statement_lines add column balance bigint;
