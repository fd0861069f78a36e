-- Which transfers changed the wallet or the tickets of an account, so that its page needs no index of all legs: nearly all
-- legs are of stacks. `legs_written` adds the rows, with the legs.

CREATE TABLE account_transfers (
    account  bigint NOT NULL,
    transfer bigint NOT NULL,
    PRIMARY KEY (account, transfer)
);
INSERT INTO account_transfers
    SELECT DISTINCT owner, transfer FROM legs JOIN ledger_accounts ON id = ledger_account WHERE kind IN ('wallet', 'tickets');
CREATE TRIGGER account_transfers_are_for_ever BEFORE UPDATE OR DELETE OR TRUNCATE ON account_transfers
    EXECUTE FUNCTION refuse_change('what was written stays');

-- Notes of operators about an account are lines of their log.
CREATE INDEX operator_notes ON operator_log (subject, n) WHERE verb = 'account.note';
