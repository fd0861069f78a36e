-- How many tables an account has opened of late is counted, too. The new function is in functions/.

DROP FUNCTION IF EXISTS open_hosted_table(text, bigint, jsonb, text, integer, integer);
CREATE INDEX hosted_tables_of_host ON hosted_tables (host, opened);
