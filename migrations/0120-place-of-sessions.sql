-- rolling: yes
-- The last act of the audit log when a session began. A clock that is set back cannot make it look older than an act before it.
-- Null: an earlier version began it.
alter table sessions add column after_link bigint;
