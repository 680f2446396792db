-- rolling: yes
-- In whose name an API token was made: the name of the actor, as the audit log has it. Null of tokens that were made before.
alter table api_tokens add column created_by text;
