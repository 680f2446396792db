-- Lists ask for one state by name, which this index of several cannot answer; every delivery paid for it.
drop index callbacks_undelivered;
