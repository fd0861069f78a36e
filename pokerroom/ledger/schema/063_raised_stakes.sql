-- The stakes of a private table rise slowly while others sit there. `hosted_tables.sql` explains it.
ALTER TABLE hosted_tables ADD COLUMN raised timestamptz;  -- when the stakes rose last

DROP FUNCTION IF EXISTS change_hosted_terms(text, bigint, jsonb);
