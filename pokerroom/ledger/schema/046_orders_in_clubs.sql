-- Who ordered a movement of club chips; null before this migration. A member that is to be removed sits down no more.

ALTER TABLE club_moves ADD COLUMN ordered_by bigint REFERENCES accounts;
ALTER TABLE club_members ADD COLUMN leaving boolean NOT NULL DEFAULT false;

DROP FUNCTION IF EXISTS set_club_role(text, bigint, text, text);
DROP FUNCTION IF EXISTS book_club_chips(text, text, bigint, bigint);
DROP FUNCTION IF EXISTS return_club_chips(text, bigint);
DROP FUNCTION IF EXISTS end_membership(text, bigint);
DROP FUNCTION IF EXISTS remove_member(text, bigint, text);
