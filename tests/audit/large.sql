-- Copies of a room that was played, without the hands. Each has its own accounts, tables and keys. Triggers are off. The parameters:
-- the first copy and the last one. A copy is a minute younger than the one before.

INSERT INTO accounts (id, name, password_hash, created, opening) OVERRIDING SYSTEM VALUE
    SELECT n * size.accounts + id, name || '-' || n, password_hash, created + n * interval '1 minute', opening
    FROM played.accounts, played.size, generate_series({first}, {last}) AS n;

INSERT INTO ledger_accounts (id, kind, owner, table_id, balance, code) OVERRIDING SYSTEM VALUE
    SELECT n * size.ledger_accounts + id,
           CASE WHEN starts_with(kind, 'rake:') THEN kind || '-' || n ELSE kind END,
           n * size.accounts + owner, table_id || '-' || n, balance,
           ledger_code(CASE WHEN starts_with(kind, 'rake:') THEN kind || '-' || n ELSE kind END,
                       n * size.accounts + owner, table_id || '-' || n)
    FROM played.ledger_accounts, played.size, generate_series({first}, {last}) AS n;

INSERT INTO table_owners (table_id, epoch, node, over)
    SELECT table_id || '-' || n, epoch, node, over
    FROM played.table_owners, generate_series({first}, {last}) AS n;

INSERT INTO transfers (id, key, kind, created) OVERRIDING SYSTEM VALUE
    SELECT n * size.transfers + id,
           CASE WHEN kind = 'opening' THEN 'opening:' || n * size.accounts + substr(key, 9)::bigint
                WHEN kind = 'hand' THEN key || '-' || n
                WHEN key ~ '^[a-z]+:[0-9a-f]{{32}}$' THEN split_part(key, ':', 1) || ':' || md5(key || n)
                ELSE format('topup:%s-%s:%s:%s', split_part(key, ':', 2), n,
                            n * size.accounts + split_part(key, ':', 3)::bigint, split_part(key, ':', 4)) END,
           kind, created + n * interval '1 minute'
    FROM played.transfers, played.size, generate_series({first}, {last}) AS n;

INSERT INTO legs (transfer, ledger_account, amount)
    SELECT n * size.transfers + transfer,
           CASE WHEN ledger_account <= size.of_room THEN ledger_account ELSE n * size.ledger_accounts + ledger_account END,
           amount
    FROM played.legs, played.size, generate_series({first}, {last}) AS n;

INSERT INTO account_transfers (account, transfer)
    SELECT n * size.accounts + account, n * size.transfers + transfer
    FROM played.account_transfers, played.size, generate_series({first}, {last}) AS n;

INSERT INTO hand_players (account, hand, delta)
    SELECT n * size.accounts + account, n * size.transfers + hand, delta
    FROM played.hand_players, played.size, generate_series({first}, {last}) AS n;

INSERT INTO timeout_all_ins (ended, hand, account)
    SELECT ended, n * size.transfers + hand, n * size.accounts + account
    FROM played.timeout_all_ins, played.size, generate_series({first}, {last}) AS n;

INSERT INTO seats (table_id, seat, account, place, bought)
    SELECT table_id || '-' || n, seat, n * size.accounts + account, place, bought
    FROM played.seats, played.size, generate_series({first}, {last}) AS n
