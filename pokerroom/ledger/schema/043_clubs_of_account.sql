-- `create_club` and `join_club` bound the clubs of an account.

DROP FUNCTION IF EXISTS create_club(text, bigint, text, text, integer);
DROP FUNCTION IF EXISTS join_club(text, bigint, integer);
