-- A tournament says that it has a deal: else no audit could tell that one was removed before its places are given.

ALTER TABLE tournaments ADD COLUMN has_deal boolean NOT NULL DEFAULT false;
