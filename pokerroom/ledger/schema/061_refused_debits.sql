-- Debits that the operator's wallet has refused: another one is braked after them, and old ones may go.

DROP FUNCTION IF EXISTS ask_wallet_debit(bigint, text, bigint, integer);

CREATE INDEX wallet_debits_refused ON wallet_transfers (ended, account) WHERE state = 'refused';
