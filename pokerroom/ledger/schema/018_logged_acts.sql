-- Functions that write a line of the operators' log get the actor as an argument. The new ones are in functions/.

DROP FUNCTION IF EXISTS open_source(text);
DROP FUNCTION IF EXISTS close_source(text);
DROP FUNCTION IF EXISTS fund_source(text, text, bigint);
DROP FUNCTION IF EXISTS request_cash(bigint, text, text, bigint, text, integer);
DROP FUNCTION IF EXISTS decide_cash(bigint, boolean, text);
DROP FUNCTION IF EXISTS change_password(bigint, text, bigint);
DROP FUNCTION IF EXISTS replace_recovery_codes(bigint, bytea[]);
DROP FUNCTION IF EXISTS add_recovery_code(bigint, bytea, bigint);
DROP FUNCTION IF EXISTS recover_account(bigint, bytea, text);
