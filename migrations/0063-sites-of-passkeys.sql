-- rolling: yes
-- For which host a passkey was made (its RP ID): at another one no browser offers it. Null of an app, and of a passkey that was
-- not used since this is kept.
alter table factors add column site text;
