-- The operator's wallet: who has an account there, and what moves between it and the room. `operator_wallet.sql` explains it.

CREATE TABLE wallet_links (
    account bigint PRIMARY KEY REFERENCES accounts,
    player  text NOT NULL CHECK (player ~ '^[!-~]{1,64}$'),  -- the operator's id of the player
    linked  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT wallet_player_has_one_account UNIQUE (player)
);

-- A row is written before the call of the operator's server. Rows are permanent.
CREATE TABLE wallet_transfers (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id      uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,  -- the server carries each id out once
    account bigint NOT NULL REFERENCES accounts,
    kind    text NOT NULL CHECK (kind IN ('debit', 'credit', 'rollback')),
    amount  bigint NOT NULL CHECK (amount > 0),
    undoes  bigint UNIQUE REFERENCES wallet_transfers,       -- of a rollback: the debit
    state   text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'done', 'refused', 'undone')),
    asked   timestamptz NOT NULL DEFAULT now(),
    ended   timestamptz,
    due     timestamptz NOT NULL DEFAULT now(),  -- a debit: it is undone then; all others: they are tried next then
    tries   integer NOT NULL DEFAULT 0,
    failure text NOT NULL DEFAULT '' CHECK (length(failure) <= 200),
    CONSTRAINT rollback_undoes_a_debit CHECK ((undoes IS NOT NULL) = (kind = 'rollback')),
    CONSTRAINT wallet_transfer_ends CHECK ((ended IS NULL) = (state = 'asked')),
    CONSTRAINT only_a_debit_is_refused CHECK (kind = 'debit' OR state IN ('asked', 'done'))
);
CREATE INDEX wallet_transfers_that_wait ON wallet_transfers (due, number) WHERE state = 'asked';
CREATE INDEX wallet_transfers_of_account ON wallet_transfers (account, number);
CREATE UNIQUE INDEX wallet_debit_is_alone ON wallet_transfers (account) WHERE kind = 'debit' AND state = 'asked';

CREATE FUNCTION wallet_transfer_goes_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

CREATE TRIGGER wallet_transfers_stay BEFORE DELETE OR TRUNCATE ON wallet_transfers
    EXECUTE FUNCTION refuse_change('what was written stays');
CREATE TRIGGER wallet_transfer_goes_on BEFORE UPDATE ON wallet_transfers
    FOR EACH ROW EXECUTE FUNCTION wallet_transfer_goes_on();

-- The ledger account `external`, which may be negative, and its transfers, beside the kinds that are there already.
DO $$
DECLARE
    changed record;
BEGIN
    FOR changed IN
        SELECT conrelid::regclass AS of_table, conname, pg_get_expr(conbin, conrelid) AS before, also
        FROM (VALUES ('ledger_accounts', 'ledger_accounts_kind_check', 'kind = ''external'''),
                     ('ledger_accounts', 'balance_is_not_negative', 'kind = ''external'''),
                     ('transfers', 'transfers_kind_check', 'kind IN (''wallet_debit'', ''wallet_credit'')')
             ) AS wanted (of_table, named, also)
        JOIN pg_constraint ON conrelid = of_table::regclass AND conname = named
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I CHECK (%s OR %s)',
                       changed.of_table, changed.conname, changed.before, changed.also);
    END LOOP;
END $$;
