-- A checkpoint is JSON text with its number. What is none would stop the ones after it. Rows from before stay.

ALTER TABLE checkpoints ADD CONSTRAINT checkpoint_has_its_number
    CHECK (coalesce((body::json ->> 'number')::bigint = number, false)) NOT VALID;
