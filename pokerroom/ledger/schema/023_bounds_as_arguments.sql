-- Functions that take a bound as an argument which they had themselves. The new ones are in functions/.

DROP FUNCTION IF EXISTS set_limit(bigint, text, text, bigint, integer);
DROP FUNCTION IF EXISTS limits_of(bigint);
DROP FUNCTION IF EXISTS end_sessions(bigint, bigint, bigint, acting);
DROP FUNCTION IF EXISTS exclude_account(bigint, integer, acting);
DROP FUNCTION IF EXISTS delete_account(bigint, text, acting);
