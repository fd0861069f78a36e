"""The state of a running tournament, rebuilt from the ledger and the journal.

The ledger is right about players, seats, chips, places and pauses. The journal knows the button, the clock and the
players that are away. A table may have settled one more hand than the journal knows, and players may have moved. If
the journal disagrees with the ledger in any other way, or is lost, the state is built from the ledger alone. Pure: a
row and a state in, a state out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any, Final

import structlog

from pokerroom.chips import Chips
from pokerroom.ledger.tournament_entries import EntryRow, seat_number, table_and_seat
from pokerroom.ledger.tournaments import DealRow, PlaceGiven, SeatChange, TournamentRow
from pokerroom.rules.button import Owes
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_from_data
from pokerroom.rules.tournament.deal_making import made
from pokerroom.rules.tournament.deal_stages import AgreedDeal
from pokerroom.rules.tournament.deals import DealKind
from pokerroom.rules.tournament.hourly_break import level_ms, next_change
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.schedule import LengthUnit, LevelClock
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentPhase,
    TournamentPlayer,
    TournamentTerms,
)
from pokerroom.rules.tournament.step import at_final_table
from pokerroom.rules.tournament.tables import SeatMove

_log = structlog.get_logger()

_UNREADABLE: Final = (InvariantBroken, LookupError, TypeError, ValueError)


def journalled(data: Any, terms: TournamentTerms, row: TournamentRow) -> Tournament | None:
    """Return the state in the journal; None if there is none, or if it is not this tournament as in the ledger."""
    if data is None:
        return None
    try:
        stored = tournament_from_data(data, terms)
    except _UNREADABLE as error:
        _log.error("tournament.unreadable", tournament=row.opening.tournament, error=repr(error))
        return None
    seated = row.seated.last.keys()
    known = {player.account for player in stored.players}
    if not known <= seated or (terms.entries is None and known != seated):
        _log.error("tournament.unreadable", tournament=row.opening.tournament, error="other players")
        return None
    return stored


def restored(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, *, now_ms: int
) -> Tournament:
    """Return the present state of the tournament.

    A hand that the journal has in progress is so still, unless the ledger has it: its table will tell.
    """
    if stored is not None and row.deal is not None:  # before the hands that came after it
        stored = replace(stored, deal=deal_of(row))
    found, deal = replace(_running(stored, terms, row, now_ms), paused=row.paused), deal_of(row)
    found = replace(found, deciding=_deciding(found, row))
    return found if deal is None else made(found, deal)


def _running(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, now_ms: int
) -> Tournament:
    if stored is not None and stored.phase in {TournamentPhase.running, TournamentPhase.finished}:
        # a hand or a move may be missing, or both: whatever comes first, the chips tell
        found = _with_last_hands(stored, row) or _with_last_hands(_seated_as(stored, row), row)
        if found is not None:
            return found
        _log.warning("tournament.differs", tournament=row.opening.tournament, message="the ledger counts")
    return _of_ledger(stored, terms, row, now_ms)


def _with_last_hands(tournament: Tournament, row: TournamentRow) -> Tournament | None:
    """Return the tournament with the hands and the seats of the ledger; None if other chips or places come of it."""
    placed = {place.account: place.number for place in row.places}

    def last_place(table: TablePlay) -> int:
        numbers = [placed.get(player.account, 0) for player in tournament.left_at(table.number)]
        return max(numbers, default=0)

    try:
        found = tournament
        # who has the lowest place already went out first (I2)
        for table in sorted(tournament.tables, key=last_place, reverse=True):
            found = _caught_up(found, table, row)
        found = _seated_as(_with_chips(_with_entries(found, row), row), row)
        if row.fixed_prizes:
            found = _with_prizes(tournament, found, row)
        same = {player.account: player.chips for player in found.players} == chips_of(row)
        same = same and placed.items() <= {one.account: one.number for one in found.standings}.items()
    except (InvariantBroken, LookupError, TournamentRefusal) as error:
        _log.error("tournament.differs", tournament=row.opening.tournament, error=repr(error))
        return None
    return found if same else None


def _with_entries(tournament: Tournament, row: TournamentRow) -> Tournament:
    """Return the tournament with late players and re-entries that got their seats since the journal was written."""
    places = places_in(row)
    for account in places:
        player = tournament.player(account)
        bought = len(row.seated.of(account))
        if player is None or player.entries < bought:
            tournament = rules.enter_late(tournament, account, *places[account])
    return tournament


def _with_chips(tournament: Tournament, row: TournamentRow) -> Tournament:
    """Return the tournament with the chips of rebuys and add-ons that came since the journal was written."""
    for account, kinds in _purchases_of(row).items():
        player = tournament.player(account)
        if player is None:
            raise LookupError(f"account {account} has bought chips, and does not play")
        for _ in range(kinds["rebuy"] - player.rebuys):
            tournament = rules.buy_chips(tournament, account, add_on=False)
        for _ in range(kinds["add_on"] - player.add_ons):
            tournament = rules.buy_chips(tournament, account, add_on=True)
    return tournament


def _purchases_of(row: TournamentRow) -> dict[int, Counter[str]]:
    """Return how many rebuys and add-ons came to each account that has any."""
    found: dict[int, Counter[str]] = {}
    for one in row.purchases:
        if one.given:
            found.setdefault(one.purchase.account, Counter())[one.purchase.kind] += 1
    return found


def _deciding(tournament: Tournament, row: TournamentRow) -> tuple[int, ...]:
    """Return the players that have a rebuy left, and were not let out."""
    terms = tournament.terms.entries
    if terms is None or tournament.entries_closed:
        return ()
    out = {entry.account for entry in row.entries if entry.counts and entry.chips == 0 and not entry.gone}
    players = [tournament.player(account) for group in tournament.unplaced for account in group]
    return tuple(
        player.account
        for player in players
        if player is not None and player.account in out and player.rebuys < terms.rebuys_max
    )


def _with_prizes(before: Tournament, found: Tournament, row: TournamentRow) -> Tournament:
    """Return the tournament with the prizes of the ledger, and with places that were given since entries closed."""
    if before.fixed_prizes:
        return found
    return rules.close_entries(found, row.fixed_prizes)


def _caught_up(tournament: Tournament, table: TablePlay, row: TournamentRow) -> Tournament:
    """Return the tournament with a hand of this table that the ledger has and the journal has not."""
    hands = hands_of(row, table.number)
    if hands == table.hands:
        return tournament
    if hands != table.hands + 1:
        raise LookupError(f"table {table.number} has played {hands} hands, not {table.hands}")
    return _finished(tournament, table, row)


def _seated_as(tournament: Tournament, row: TournamentRow) -> Tournament:
    """Return the tournament with the seats of the ledger: players may have moved since the journal was written."""
    places, left = places_in(row), _open_tables(row)

    def seated(player: TournamentPlayer) -> TournamentPlayer:
        table, seat = places[player.account]
        if (table, seat) == (player.table, player.seat) or not player.chips:
            return player
        owes = Owes.balanced if player.table in left else Owes.moved
        return replace(player, table=table, seat=seat, owes=owes)

    found = replace(
        tournament,
        players=tuple(
            sorted(map(seated, tournament.players), key=lambda player: (player.table, player.seat))
        ),
        tables=tuple(table for table in tournament.tables if table.number in left),
    )
    return _of_final_table(tournament, found)


def _of_final_table(before: Tournament, found: Tournament) -> Tournament:
    """Return the tournament at its final table if that was drawn since.

    Once entries are closed the last two tables become no other one. If they were open before, the last table may be
    what others were broken into: its players kept their seats, where a final table draws all seats again [D].
    """
    combined = len(before.tables) > len(found.tables) == 1
    drawn = combined and (before.entries_closed or _drawn_again(before, found))
    return at_final_table(found) if drawn else found


def _drawn_again(before: Tournament, found: Tournament) -> bool:
    """Return whether a player has another seat at the same table, and not by another entry."""
    (table,) = found.tables
    return any(
        (was.table, was.entries) == (table.number, player.entries) and was.seat != player.seat
        for player in found.left_at(table.number)
        if (was := before.player(player.account)) is not None
    )


def _finished(tournament: Tournament, table: TablePlay, row: TournamentRow) -> Tournament:
    """Return the tournament after the next hand of a table; the ledger has its result."""
    hand = table.hand or rules.hand_at(tournament, table.number, tournament.clock.level)
    dealt = tournament.with_hand(table.number, hand)
    left = tournament.left_at(table.number)

    def stack(player: TournamentPlayer) -> int:
        """Return the chips after the hand: those that were bought since are in the ledger's, too."""
        since = bought_by(row, player.account) - tournament.chips_bought(player)
        return (row.seated.of(player.account)[player.entries - 1].chips or 0) - since

    stacks = {player.seat: stack(player) for player in left if player.seat in hand.plan.order}
    return rules.finish_hand(dealt, table.number, stacks)


def ended(terms: TournamentTerms, row: TournamentRow) -> Tournament:
    """Return a tournament that is over, as it is still shown.

    The level at which it ended follows from start and end, as for a running tournament without a journal [D].
    """
    chips, hands = chips_of(row), max((table.hands for table in row.tables), default=0)
    if row.phase == "finished" and (row.deal is None or row.deal.for_the_winner):
        hands -= 1  # no level follows the last hand
    return Tournament(
        terms=terms,
        phase=TournamentPhase(row.phase),
        players=_players(row, chips),
        clock=_clock(terms, row, hands, row.ended_ms or 0),
        tables=tuple(TablePlay(number=number) for number in _open_tables(row)),
        standings=standings_of(row),
        fixed_prizes=row.fixed_prizes,
        deal=deal_of(row),
    )


def prize_is_due(row: TournamentRow) -> bool:
    """Return whether a player without a place has won a prize: a bust player, the only player left, or by a deal."""
    placed = {place.account for place in row.places}
    chips = chips_of(row)
    left = sum(held > 0 for held in chips.values())
    out = any(not held and account not in placed for account, held in chips.items())
    return row.deal is not None or (out and (left == 1 or left < len(row.prizes)))


def places_of(standings: Sequence[PlacedPlayer]) -> list[PlaceGiven]:
    """Return the places in the form of the ledger."""
    return [PlaceGiven(place=one.place, account=one.account, prize=one.prize) for one in standings]


def seat_changes_of(moves: Sequence[SeatMove]) -> list[SeatChange]:
    """Return moves in the form of the ledger."""
    return [
        SeatChange(
            account=move.account,
            seat=seat_number(move.from_table, move.from_seat),
            to=seat_number(move.to_table, move.to_seat),
        )
        for move in moves
    ]


def deal_of(row: TournamentRow) -> AgreedDeal | None:
    """Return the deal that the ledger has."""
    if row.deal is None:
        return None
    return AgreedDeal(**asdict(row.deal) | {"kind": DealKind(row.deal.kind)})


def deal_row_of(deal: AgreedDeal) -> DealRow:
    """Return a deal in the form of the ledger."""
    return DealRow(**asdict(deal) | {"kind": deal.kind.value})


def hands_of(row: TournamentRow, table: int) -> int:
    """Return how many hands the ledger has of the table with this number."""
    return next((one.hands for one in row.tables if one.number == table), 0)


def is_closed(row: TournamentRow, table: int) -> bool:
    """Return whether nothing more is played at this table: its players have moved away, or the tournament is over."""
    return row.phase != "running" or table not in _open_tables(row)


def places_in(row: TournamentRow) -> dict[int, tuple[int, int]]:
    """Return the table and the seat of each account that has been drawn; those of players that are out are the last."""
    return {account: table_and_seat(entry.seat or 0) for account, entry in row.seated.last.items()}


def _open_tables(row: TournamentRow) -> list[int]:
    return [table.number for table in row.tables if not table.closed]


def bought_by(row: TournamentRow, account: int) -> int:
    """Return the chips of rebuys and add-ons that came to an account, to each of its entries."""
    return sum(entry.bought for entry in row.seated.of(account))


def chips_of(row: TournamentRow) -> dict[int, int]:
    """Return the chips of each account that has been drawn, 0 for players that are out."""
    return {account: entry.chips or 0 for account, entry in row.seated.last.items()}


def _of_ledger(
    stored: Tournament | None, terms: TournamentTerms, row: TournamentRow, now_ms: int
) -> Tournament:
    """Return the state when the journal is lost: button and blinds start again (B1); the level follows from the start
    [D].

    Players that went out may not have their places yet: they are placed by their chips before their last hand (I2).
    """
    known = {} if stored is None else {table.number: table for table in stored.tables}
    before = {} if stored is None else {player.account: player for player in stored.players}
    tables = tuple(
        TablePlay(
            number=number,
            positions=known[number].positions if number in known else None,
            hands=hands_of(row, number),
        )
        for number in _open_tables(row)
    )
    played = max((table.hands for table in tables), default=0)
    players = [
        player
        if (was := before.get(player.account)) is None
        else replace(player, away=was.away, owes=_owes(was, player))
        for player in _players(row, chips_of(row))
    ]
    tournament = Tournament(
        terms=terms,
        phase=TournamentPhase.running,
        players=tuple(players),
        clock=stored.clock if stored is not None else _clock(terms, row, played, now_ms),
        tables=tables,
        standings=standings_of(row),
        fixed_prizes=row.fixed_prizes,
        deal=deal_of(row),
    )
    if stored is not None:
        tournament = _of_final_table(stored, tournament)
    placed = {place.account for place in row.places}
    out = [entry for entry in row.seated.last.values() if not entry.chips and entry.account not in placed]
    if not out:
        return tournament
    if terms.entries is not None:
        groups = _out_in_order(out)
        return (
            rules.placed_out(tournament, groups)
            if tournament.entries_closed
            else replace(tournament, unplaced=groups)
        )
    return rules.without_chips(tournament, {entry.account: entry.chips_before or 0 for entry in out})


def _out_in_order(out: Sequence[EntryRow]) -> tuple[tuple[int, ...], ...]:
    """Return the accounts of players that are out, the last one first; those of one hand by their stacks (I2)."""

    def rank(entry: EntryRow) -> tuple[int, int]:
        return -(entry.out_in or 0), -(entry.chips_before or 0)

    return tuple(
        tuple(entry.account for entry in together)
        for _, together in groupby(sorted(out, key=lambda entry: (rank(entry), entry.seat)), key=rank)
    )


def _owes(before: TournamentPlayer, now: TournamentPlayer) -> Owes:
    return before.owes if (before.table, before.seat) == (now.table, now.seat) else Owes.moved


def _players(row: TournamentRow, chips: Mapping[int, int]) -> tuple[TournamentPlayer, ...]:
    purchases = _purchases_of(row)
    return tuple(
        TournamentPlayer(
            account=account,
            table=table,
            seat=seat,
            chips=Chips(chips[account]),
            entries=len(row.seated.of(account)),
            rebuys=purchases.get(account, Counter())["rebuy"],
            add_ons=purchases.get(account, Counter())["add_on"],
        )
        for account, (table, seat) in sorted(places_in(row).items(), key=lambda found: (found[1], found[0]))
    )


def standings_of(row: TournamentRow) -> tuple[PlacedPlayer, ...]:
    """Return the places that the ledger has given."""
    return tuple(
        PlacedPlayer(number=place.number, place=place.place, account=place.account, prize=place.prize)
        for place in row.places
    )


def _clock(terms: TournamentTerms, row: TournamentRow, hands: int, now_ms: int) -> LevelClock:
    """Return the clock of the schedule as if it had never stood still."""
    schedule = terms.schedule
    clock, started_ms = LevelClock(), row.started_ms or now_ms
    if schedule.unit is LengthUnit.hands:
        for _ in range(hands):
            clock = replace(schedule.played(replace(clock, break_left_ms=0), 1), break_left_ms=0)
        return clock
    at_ms = started_ms
    while at_ms < now_ms:
        step = min(now_ms, next_change(at_ms) if terms.hourly_breaks else now_ms) - at_ms
        if clock.break_left_ms:
            step = min(step, clock.break_left_ms)
            clock = schedule.rested(clock, step)
        elif not terms.hourly_breaks or level_ms(at_ms, at_ms + step, start_ms=started_ms):
            until = schedule.left(clock)
            step = step if until is None else min(step, until)
            clock = schedule.played(clock, step)
        at_ms += step
    return clock
