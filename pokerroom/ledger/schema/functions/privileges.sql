-- What the role of the rooms may do: the one list. The role owns nothing, so it cannot alter a table, switch a trigger off
-- or truncate. The owner of the tables calls this after each change of the schema.

-- Tables that are not named here may be read and written: a trigger that keeps rows needs its line here, too.
CREATE OR REPLACE FUNCTION grant_to_room(room text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    permanent  text := 'transfers, legs, account_transfers, hands, hand_players, timeout_all_ins, rounds, round_stakes, round_ends, round_players,'
                       ' account_history, play_results, exclusions, operator_log, chain_links, checkpoints, tournament_moves,'
                       ' tournament_bounties, tournament_deals,'
                       ' hosted_gifts, club_moves, offer_changes';
    kept       text := 'accounts, ledger_accounts, table_owners, tournaments, tournament_entries, tournament_tables,'
                       ' tournament_places, tournament_sales, tournament_purchases, tickets, announcements, cash_sources, cash_requests, adjustments, operators, operator_log_head, hosted_tables,'
                       ' clubs';
    of_owner   text := 'schema_migrations, schema_functions, retention, archives, tournament_heads';
    room_name  text := quote_ident(room);
    place      text := quote_ident(current_schema());
BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %s FROM %s', place, room_name);
    EXECUTE format('REVOKE CREATE ON SCHEMA %s FROM PUBLIC, %s', place, room_name);
    -- A trigger on a temporary table of the room's own would pass for one of ours (`balance_follows_legs`).
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC, %s', current_database(), room_name);
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO %s', place, room_name);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO %s', place, room_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s', place, room_name);
    EXECUTE format('REVOKE UPDATE, DELETE ON %s FROM %s', permanent, room_name);
    EXECUTE format('REVOKE DELETE ON %s FROM %s', kept, room_name);
    EXECUTE format('REVOKE UPDATE ON ledger_accounts FROM %s', room_name);
    EXECUTE format('GRANT UPDATE (balance) ON ledger_accounts TO %s', room_name);
    -- Numbers and times of transfers are the database's own: a made-up number would be beyond each later checkpoint.
    EXECUTE format('REVOKE INSERT ON transfers FROM %s', room_name);
    EXECUTE format('GRANT INSERT (key, kind) ON transfers TO %s', room_name);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %s FROM %s', of_owner, room_name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION erase_cards(integer, acting), hold_hand(bigint, text) TO %s', room_name);
END $$;
