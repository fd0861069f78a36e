-- Results of a club are read by table and time: hands of other clubs cost nothing.

DROP INDEX hands_at_private_tables;
CREATE INDEX hands_at_private_tables ON hands (table_id, ended) WHERE table_id LIKE 'host:%';

DROP FUNCTION IF EXISTS club_results(text, bigint, timestamptz);  -- it takes milliseconds
