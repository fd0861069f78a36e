-- Archives: their rows are those of the operators' log, and the hash of each is that of what is left of its records, with the
-- players of its hands. A part of the ledger does not tell: of it the rows alone are compared.

SELECT 'difference', format('archive %s is not as the operators'' log says', coalesce(present.subject, said.subject)), 0
FROM (SELECT 'archive:' || number AS subject, jsonb_build_object('file', file, 'sha256', encode(sha256, 'hex'), 'last', last,
          'hands', hands, 'rounds', rounds, 'players', encode(players, 'hex')) AS args FROM archives) AS present
FULL JOIN (SELECT DISTINCT ON (subject) subject, args::jsonb AS args FROM operator_log
           WHERE verb IN ('archive.write', 'archive.again') ORDER BY subject, n DESC) AS said USING (subject)
WHERE present.args IS DISTINCT FROM said.args

UNION ALL
SELECT 'difference', format('archive %s has %s hands and %s rounds, %s and %s are marked as its own%s', coalesce(number::text, named),
    coalesce(kept.hands, 0), coalesce(kept.rounds, 0), coalesce(marked.hands, 0), coalesce(marked.rounds, 0),
    CASE WHEN (kept.hands, kept.rounds) = (marked.hands, marked.rounds) THEN ', with other players or marks' ELSE '' END), 0
FROM archives AS kept
FULL JOIN (
    SELECT named, count(*) FILTER (WHERE what = 'record' AND NOT is_round) AS hands,
        count(*) FILTER (WHERE what = 'record' AND is_round) AS rounds,
        sha256(convert_to(string_agg(line, ',' ORDER BY hand, what COLLATE "C", account), 'UTF8')) AS players
    FROM (
        SELECT record ->> 'archive' AS named, transfer AS hand, 'record' AS what, 0 AS account, false AS is_round,
            archive_line(transfer, 'record', 0, record::text) AS line
        FROM hands WHERE is_archived(record)
        UNION ALL
        SELECT record ->> 'archive', transfer, 'record', 0, true, archive_line(transfer, 'record', 0, record::text)
        FROM round_ends WHERE is_archived(record)
        UNION ALL
        SELECT record ->> 'archive', hand, 'player', account, false, archive_line(hand, 'player', account, delta::text)
        FROM hands JOIN hand_players ON hand = transfer WHERE is_archived(record)
        UNION ALL
        SELECT record ->> 'archive', hand, 'late', account, false, archive_line(hand, 'late', account, '')
        FROM hands JOIN timeout_all_ins AS late ON late.hand = transfer WHERE is_archived(record)
    ) AS lines GROUP BY named
) AS marked ON named = number::text
WHERE (kept.hands, kept.rounds, kept.players) IS DISTINCT FROM (marked.hands, marked.rounds, marked.players) AND :after < 0
