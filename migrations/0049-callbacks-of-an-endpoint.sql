-- rolling: yes
-- The last callbacks of an endpoint that were not delivered at once, for the doctor. What is delivered is never in it.
create index callbacks_ended_of_endpoint on callbacks (endpoint_id, id)
  where state in ('redirected', 'superseded', 'dead', 'disabled');
