-- rolling: yes
-- The last contradiction of a payout that a person ended, so that a slow answer of its sender does not record it again; null: none.
alter table payouts add column contradiction_ended text;
