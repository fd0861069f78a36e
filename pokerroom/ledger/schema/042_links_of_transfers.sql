-- A link of the chain is of a transfer that there is. Without this a false link of a far one stopped the checkpoints: the
-- place in the stream after it had no number.

CREATE FUNCTION links_written() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
ALTER TABLE chain_links ADD CONSTRAINT stream_is_no_longer_than_the_chain CHECK (n <= transfer) NOT VALID;
CREATE TRIGGER links_are_of_transfers AFTER INSERT ON chain_links
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION links_written();
