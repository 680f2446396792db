-- rolling: yes
-- The callbacks that can be sent again. A callback that is delivered at once is never in it.
create index callbacks_to_resend on callbacks (id, environment_id)
  where state in ('dead', 'disabled') or (state = 'queued' and attempts > 0);
