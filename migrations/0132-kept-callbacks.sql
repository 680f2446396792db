-- rolling: yes
-- The callbacks that were kept for an endpoint that answered 410. What waits for a person counts those of the last days.
create index callbacks_kept on callbacks (finished_at) where state = 'disabled';
