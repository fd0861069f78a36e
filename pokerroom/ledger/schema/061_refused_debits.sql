-- Debits that the operator's wallet has refused: another one is braked after them, and old ones may go.

DROP FUNCTION IF EXISTS ask_wallet_debit(bigint, text, bigint, integer);

CREATE INDEX wallet_debits_refused ON wallet_transfers (ended, account) WHERE state = 'refused';

-- Rows are permanent, but for refused debits that are old: they have moved nothing.
CREATE FUNCTION wallet_transfer_stays() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

DROP TRIGGER wallet_transfers_stay ON wallet_transfers;
CREATE TRIGGER wallet_transfers_stay BEFORE TRUNCATE ON wallet_transfers
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER wallet_transfer_stays BEFORE DELETE ON wallet_transfers
    FOR EACH ROW EXECUTE FUNCTION wallet_transfer_stays();
