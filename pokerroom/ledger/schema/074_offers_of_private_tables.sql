-- Operators order which private tables players may open, as they order tournaments. `offers.sql` explains it.

ALTER TABLE offer_changes DROP CONSTRAINT offer_changes_kind_check,
    ADD CONSTRAINT offer_changes_kind_check CHECK (kind IN ('sit_and_go', 'tournament', 'private_tables'));
