-- rolling: yes
-- The method that a client asked for, which is said back to it. Events are posted whatever it is.
alter table webhook_subscriptions add column method text not null default 'POST';
