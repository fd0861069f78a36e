-- When an account has logged in with its password: the last time, and the time before, which the player is told.

ALTER TABLE accounts ADD COLUMN logged_in timestamptz, ADD COLUMN logged_in_before timestamptz;
