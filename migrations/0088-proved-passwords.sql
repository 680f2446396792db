-- Of the hash of a password and its user, with a key of the installation: a hash that somebody wrote into the store lets nobody in.
alter table users add column password_proof text;
