-- Who gave the orders that move chips of others: by the books a host, or an owner or manager, at that moment. A transaction may
-- wait, so the moment is one of two minutes. Orders from before a table or club has such lines in the books are not compared.

SELECT 'difference', format('account %s has given %s to account %s at %s, and was not its host', giver, amount, taker, table_id), 0
FROM hosted_gifts AS gift JOIN transfers AS moved ON moved.key = format('gift:%s:%s:%s', table_id, giver, gift.key)
WHERE EXISTS (SELECT FROM hosting WHERE hosting.table_id = gift.table_id AND id < moved.id)
  AND NOT EXISTS (
    SELECT FROM hosting
    WHERE hosting.table_id = gift.table_id AND account = giver AND since <= created + interval '1 minute'
      AND coalesce(until >= created - interval '1 minute', true))

UNION ALL
SELECT 'difference', format('the host of %s is account %s, and by the books account %s', table_id,
    coalesce(host::text, 'of no table'), coalesce(account::text, 'of no table')), 0
FROM hosted_tables FULL JOIN (SELECT table_id, account FROM hosting WHERE until IS NULL) AS noted USING (table_id)
WHERE host IS DISTINCT FROM account

-- Those who have entered a private sit-and-go are its host and its guests, as long as its guests are known. One that has left the
-- club since is no guest any more.
UNION ALL
SELECT 'difference', format('account %s has entered %s, and was not invited', account, entry.tournament), 0
FROM tournament_entries AS entry
WHERE is_private(entry.tournament) AND NOT EXISTS (
    SELECT FROM hosted_tables AS hosted WHERE hosted.tournament = entry.tournament AND (
        closed IS NOT NULL OR host = entry.account
        OR EXISTS (SELECT FROM hosted_guests AS guest WHERE guest.table_id = hosted.table_id AND guest.account = entry.account)
        OR EXISTS (SELECT FROM club_roles AS gone
                   WHERE gone.club = hosted.club AND gone.account = entry.account AND role = 'none' AND gone.id > (
                       SELECT paid.id FROM transfers AS paid
                       WHERE paid.key = format('sng:%s:entry:%s:%s', entry.tournament, entry.account, entry.number)))))

-- Those who have entered one of a club were members then.
UNION ALL
SELECT 'difference', format('account %s has entered %s, and was no member of club %s', entry.account, entry.tournament, hosted.club), 0
FROM tournament_entries AS entry JOIN hosted_tables AS hosted ON hosted.tournament = entry.tournament
JOIN transfers AS paid ON paid.key = format('sng:%s:entry:%s:%s', entry.tournament, entry.account, entry.number)
WHERE hosted.club IS NOT NULL AND NOT EXISTS (
    SELECT FROM club_roles AS own
    WHERE own.club = hosted.club AND own.account = entry.account AND role <> 'none'
      AND since <= paid.created + interval '1 minute' AND coalesce(until >= paid.created - interval '1 minute', true))

-- A manager issues chips to others, and takes those of members and its own. A member that leaves takes its own back.
UNION ALL
SELECT 'difference', format('account %s has ordered a movement of %s for account %s in club %s, which its role does not allow',
    coalesce(ordered_by::text, 'unknown'), amount, account, club), 0
FROM club_moves AS move JOIN transfers AS moved ON moved.key = format('club:%s:%s', club, move.key)
WHERE EXISTS (SELECT FROM club_roles WHERE club_roles.club = move.club AND id < moved.id)
  AND NOT EXISTS (
    SELECT FROM club_roles AS own
    WHERE own.club = move.club AND own.account = ordered_by AND since <= created + interval '1 minute'
      AND coalesce(until >= created - interval '1 minute', true)
      AND (role = 'owner' OR role = 'manager' AND CASE
          WHEN amount > 0 THEN move.account <> ordered_by
          ELSE move.account = ordered_by OR EXISTS (
              SELECT FROM club_roles AS other
              WHERE other.club = move.club AND other.account = move.account AND role = 'member'
                AND since <= created + interval '1 minute' AND coalesce(until >= created - interval '1 minute', true)) END))
  AND NOT (amount < 0 AND ordered_by IS NOT DISTINCT FROM account AND EXISTS (
    SELECT FROM club_roles AS gone
    WHERE gone.club = move.club AND gone.account = move.account AND role = 'none' AND since = created))

UNION ALL
SELECT 'difference', format('account %s is %s of club %s, and by the books %s', account, coalesce(member.role, 'none'), club,
    coalesce(noted.role, 'none')), 0
FROM club_members AS member
FULL JOIN (SELECT club, account, role FROM club_roles WHERE until IS NULL AND role <> 'none') AS noted USING (club, account)
WHERE member.role IS DISTINCT FROM noted.role
