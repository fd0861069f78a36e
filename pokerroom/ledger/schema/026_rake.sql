-- The rake of hands at cash tables: a leg of the hand's own transfer, to the account `rake:<table>`.

-- One account for each table: an account of the room would be locked by the batches of all nodes.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check, ADD CONSTRAINT ledger_accounts_kind_check CHECK (
    kind IN ('issuer', 'bank', 'house', 'fees', 'wallet', 'stack', 'escrow')
    OR kind = 'tronc'
    OR coalesce(kind = 'stakes:' || table_id OR kind = 'house:' || table_id OR kind = 'meter:' || table_id, false)
    OR coalesce(kind = 'rake:' || table_id, false)
    OR kind = 'held'
    OR coalesce(kind = 'source:' || table_id, false));

ALTER TABLE hands ADD COLUMN rake bigint NOT NULL DEFAULT 0 CONSTRAINT rake_is_not_negative CHECK (rake >= 0);
CREATE INDEX hands_with_rake ON hands (ended) WHERE rake > 0;

-- Settling takes the rake of each hand. The new functions are in functions/.
DROP FUNCTION IF EXISTS settle_hands(
    text[], text[], bigint[], bigint[], bigint[], bytea[], integer[], bigint[], bigint[], boolean[]);
DROP FUNCTION IF EXISTS compare_settled(text[], text[], bigint[], bigint[], integer[], bigint[], bigint[]);
