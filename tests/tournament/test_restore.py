"""`pokerroom.tournament.restore`: what the ledger and the journal say of a tournament, put together."""

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from pokerroom.chips import Money
from pokerroom.ledger.tournament_entries import EntryRow
from pokerroom.ledger.tournaments import PlaceRow, TableRow, TournamentRow
from pokerroom.rules.button import Owes
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_to_data
from pokerroom.rules.tournament.state import TablePlay, Tournament, TournamentPhase
from pokerroom.tournament.lobby_rows import standings_of
from pokerroom.tournament.offers import opening_of, scheduled_opening_of, terms_of
from pokerroom.tournament.restore import ended, journalled, places_of, prize_is_due, restored
from pokerroom_protocol import messages as wire
from tests.tournament.playing import level, offer, scheduled_offer

THREE = offer(seats=3, prizes=(500, 220), levels=(level(10, break_s=5), level(20), level(40)))
TERMS = terms_of(THREE)
ACCOUNTS = (7, 8, 9)
NOW = 1_700_000_000_000


def started():
    """Accounts 7, 8, 9 in seats 1 to 3, with their first hand dealt."""
    full = Tournament(terms=TERMS, registered=ACCOUNTS)
    running = rules.start(full, lambda count: bytes(range(count)))
    players = tuple(
        replace(player, account=account) for player, account in zip(running.players, ACCOUNTS, strict=True)
    )
    return rules.deal(replace(running, players=players), 1)


def row(chips, *, before=(1_500,) * 3, hands=(0, 0, 0), places=(), phase="running"):
    """As the ledger has it."""
    return TournamentRow(
        opening=opening_of(THREE, 1),
        phase=phase,
        entries=tuple(
            EntryRow(
                account=account,
                number=1,
                returned=False,
                seat=seat,
                chips=chips[seat - 1],
                chips_before=before[seat - 1],
                hands=hands[seat - 1],
            )
            for seat, account in enumerate(ACCOUNTS, 1)
        ),
        places=places,
        tables=(TableRow(number=1, hands=max(hands)),),
        started_ms=NOW,
        ended_ms=None if phase == "running" else NOW + 70_000,
    )


def test_a_row_tells_who_sits_at_a_table_or_sat_there():
    """Of an account that entered again the last entry counts; the seat of the first one is another player's since."""

    def entry(account, number, seat):
        return EntryRow(account=account, number=number, returned=False, seat=seat, chips=100)

    entries = (entry(7, 1, 2), entry(8, 1, 1), entry(9, 1, None), entry(7, 2, 12), entry(10, 1, 2))
    found = replace(row((1_500,) * 3), entries=entries).seated
    assert list(found.last) == [8, 10, 7]  # by seat
    assert [one.account for one in found.at(1)] == [8, 10]
    assert sorted((one.account, one.number) for one in found.ever_at(1)) == [(7, 1), (8, 1), (10, 1)]
    assert ([one.seat for one in found.of(7)], [one.seat for one in found.of(8)]) == ([2, 12], [1])
    assert (found.of(9), found.at(3)) == ([], [])


def again(said, found, *, later_ms=0):
    return restored(said, TERMS, found, now_ms=NOW + later_ms)


def test_standings_are_in_the_order_of_seats():
    """The ledger has entries in the order in which they came, also those whose buy-in was given back."""
    found = row((1_500,) * 3)
    one, two, three = found.entries
    gone = replace(one, account=6, returned=True, seat=None, chips=None)
    asked = wire.GetStandings(id=5, tournament="six.1")
    told = standings_of(replace(found, entries=(three, gone, one, two)), {7: "a", 8: "b", 9: "c"}, asked)

    assert [(player.seat, player.name) for player in told.players] == [(1, "a"), (2, "b"), (3, "c")]


def test_a_hand_in_progress_is_as_it_was():
    """Nothing has changed since the journal was written: its table says whether it is void (I4)."""
    said = started()
    assert again(said, row((1_500,) * 3)) == said


def test_a_hand_that_is_settled_is_over():
    """The journal has only its start: the ledger has the chips, and a bust player's place is still to be given."""
    after = row((3_000, 0, 1_500), hands=(1, 1, 1))
    found = again(started(), after)
    assert [player.chips for player in found.players] == [3_000, 0, 1_500]
    assert found.tables == (TablePlay(number=1, hands=1, positions=started().table(1).hand.plan.positions),)
    given = found.standings
    assert [(one.number, one.account, one.prize) for one in given] == [(3, 8, 0)]
    assert [(one.place, one.account) for one in places_of(given)] == [(3, 8)]


@pytest.mark.parametrize("said", [None, "other"])
def test_i2_without_a_journal_who_went_out_last_is_placed_by_the_chips_before(said):
    """I2: the ledger has what each had at the start of the last hand. So too where the journal is of another hand."""
    after = row((0, 4_500, 0), before=(600, 3_000, 900), hands=(4, 4, 4))
    known = None if said is None else rules.void_hand(started(), 1)
    found = again(known, after)
    assert found.phase is TournamentPhase.finished
    assert [one.account for one in found.standings] == [8, 9, 7]
    assert [one.prize for one in found.standings] == [500, 220, 0]
    assert found.table(1).hands == 4


def test_without_a_journal_who_is_left_plays_on():
    """With the places that are given, and the button as at the start."""
    third = PlaceRow(number=3, place=3, account=8, prize=0, paid=False)
    after = row((2_000, 0, 2_500), before=(2_100, 1_500, 2_400), hands=(9, 5, 9), places=(third,))
    found = again(None, after)
    assert (found.phase, found.tables) == (TournamentPhase.running, (TablePlay(number=1, hands=9),))
    assert [standing.number for standing in found.standings] == [3]
    assert rules.deal(found, 1).table(1).hand is not None


@pytest.mark.parametrize("counted", [False, True])
def test_l9_a_final_table_that_was_drawn_since_begins_anew(counted):
    """L9: nobody owes anything, and the first seat has the button, also where the ledger counts."""
    terms = replace(TERMS, table_seats=2)
    drawn = rules.start(Tournament(terms=terms, registered=ACCOUNTS), lambda count: bytes(range(count)))
    first = rules.deal(drawn, 1)
    both = first.table(1).hand.plan.order
    played = rules.finish_hand(first, 1, dict.fromkeys(both, 1_500))
    assert (len(played.tables), played.table(1).positions is None) == (2, False)
    waiting = tuple(replace(player, owes=Owes.balanced) for player in played.players)
    chips = (1_400, 1_600, 1_500) if counted else (1_500,) * 3
    after = row(chips, hands=(1, 1, 1))
    tables = (TableRow(number=1, hands=1), TableRow(number=2, hands=0, closed=True))
    found = restored(replace(played, players=waiting), terms, replace(after, tables=tables), now_ms=NOW)
    assert [player.chips for player in found.players] == list(chips)
    assert {player.owes for player in found.players} == {Owes.nothing}
    assert found.tables == (TablePlay(number=1, hands=1),)
    plan = rules.deal(found, 1).table(1).hand.plan
    assert (plan.positions.button, sorted(plan.order)) == (1, [1, 2, 3])


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("counted", [False, True])
def test_l9_a_table_that_was_broken_while_entries_were_open_makes_no_final_table(counted, drawn):
    """L9: the button moves on at the table that is left, unless a player sits elsewhere at it: then all were drawn."""
    opening = scheduled_opening_of(scheduled_offer(), 1, NOW)
    terms = replace(terms_of(scheduled_offer()), table_seats=2)
    begun = rules.start(Tournament(terms=terms, registered=ACCOUNTS), lambda count: bytes(range(count)))
    first = rules.deal(begun, 1)
    one, two = (player.account for player in first.left_at(1))
    (other,) = (player.account for player in first.left_at(2))
    played = rules.finish_hand(first, 1, {1: 1_500, 2: 1_500})
    seats = {one: 2, two: 1, other: 3} if drawn else {one: 1, two: 2, other: 3}
    seats = seats if first.player(one).seat == 1 else {one: seats[two], two: seats[one], other: 3}
    chips = {one: 1_400, two: 1_600, other: 1_500} if counted else dict.fromkeys(ACCOUNTS, 1_500)
    after = TournamentRow(
        opening=opening,
        phase="running",
        entries=tuple(
            EntryRow(account=account, number=1, returned=False, seat=seat, chips=chips[account], hands=1)
            for account, seat in seats.items()
        ),
        places=(),
        tables=(TableRow(number=1, hands=1), TableRow(number=2, hands=0, closed=True)),
        started_ms=NOW,
        fixed_prizes=(Money(720),),
    )
    found = restored(played, terms, after, now_ms=NOW)
    assert found.entries_closed
    positions = None if drawn else played.table(1).positions
    assert found.tables == (TablePlay(number=1, hands=1, positions=positions),)
    owes = Owes.nothing if drawn else Owes.moved
    assert found.player(other).owes is owes


def test_the_hand_that_ends_it_may_be_missing_in_the_journal():
    """Its entries were closed before: the rest is as in the journal, and all have their places."""
    opening, terms = scheduled_opening_of(scheduled_offer(), 1, NOW), terms_of(scheduled_offer())
    said = replace(started(), terms=terms)
    said = replace(said, fixed_prizes=(Money(720),), clock=replace(said.clock, used=3_000))
    after = replace(row((4_500, 0, 0), hands=(1, 1, 1)), opening=opening, fixed_prizes=(Money(720),))
    with capture_logs() as logs:
        found = restored(said, terms, after, now_ms=NOW + 60_000)
    assert (found.phase, found.clock.used) == (TournamentPhase.finished, 3_000)
    assert [(one.account, one.prize) for one in found.standings if one.prize] == [(7, 720)]
    assert logs == []


def test_one_that_is_over_shows_the_level_at_which_it_ended():
    """It follows from start and end [D]."""
    over = row((0, 0, 4_500), hands=(1, 1, 1), phase="finished")
    clock = ended(TERMS, over).clock
    assert (clock.level, clock.used) == (1, 5_000)


@pytest.mark.parametrize(
    ("phase", "hands", "level_of_the_end"), [("finished", 4, 0), ("finished", 5, 1), ("rolled_back", 4, 1)]
)
def test_without_a_journal_levels_of_hands_are_counted(phase, hands, level_of_the_end):
    """No level follows the hand that ends it."""
    by_hands = offer(seats=3, prizes=(500, 220), levels_timed=False, levels=(level(10, length=4), level(20)))
    over = row((0, 0, 4_500), hands=(2, 3, hands), phase=phase)
    assert ended(terms_of(by_hands), over).clock.level == level_of_the_end


@pytest.mark.parametrize(
    ("later_s", "expected"),
    [(59, (0, 59_000, 0)), (62, (1, 0, 3_000)), (65, (1, 0, 0)), (70, (1, 5_000, 0)), (130, (2, 5_000, 0))],
)
def test_without_a_journal_the_level_follows_from_the_time_since_the_start(later_s, expected):
    """[D] With its breaks, as if nothing had ever stood still."""
    found = again(None, row((1_500,) * 3), later_ms=later_s * 1_000)
    assert (found.clock.level, found.clock.used, found.clock.break_left_ms) == expected


def test_without_a_journal_a_level_by_hands_follows_from_their_number():
    """Each entry knows how many it has played."""
    by_hands = terms_of(replace(THREE, levels_timed=False, levels=(level(10, length=4), level(20, length=4))))
    found = restored(None, by_hands, row((1_400, 1_500, 1_600), hands=(6, 6, 6)), now_ms=NOW)
    assert (found.clock.level, found.clock.used) == (1, 2)


def test_a_state_that_is_none_is_none():
    """Of other players, of another shape, or with chips that are not there: the ledger counts."""
    found = row((1_500,) * 3)
    data = tournament_to_data(started())
    assert journalled(data, TERMS, found) == started()
    assert journalled(None, TERMS, found) is None
    assert journalled({"phase": "running"}, TERMS, found) is None
    players = [[account + 1, *others] for account, *others in data["players"]]
    assert journalled({**data, "players": players}, TERMS, found) is None
    poorer = [
        [account, table, seat, chips - 1, away] for account, table, seat, chips, away in data["players"]
    ]
    assert journalled({**data, "players": poorer}, TERMS, found) is None


def test_i2_without_a_journal_a_player_that_went_out_before_stays_out():
    """I2: only those of the last hand have the chips that they had before it."""
    third = PlaceRow(number=3, place=3, account=8, prize=0, paid=False)
    after = row((0, 0, 4_500), before=(2_000, 1_500, 2_500), hands=(4, 2, 4), places=(third,))
    found = again(None, after)
    assert found.phase is TournamentPhase.finished
    assert [(one.number, one.account) for one in found.standings] == [(1, 9), (2, 7), (3, 8)]


def test_h5_who_is_away_stays_so_where_the_ledger_counts():
    """H5: the journal is of another hand, and still knows the players that are away, and no others."""
    known = rules.go_away(rules.void_hand(started(), 1), 8)
    found = again(known, row((1_400, 1_500, 1_600), hands=(3, 3, 3)))
    assert found.table(1).hands == 3
    assert [player.account for player in found.players if player.away] == [8]


@pytest.mark.parametrize(
    ("chips", "placed", "prizes", "due"),
    [
        ((1_500, 1_500, 1_500), (), (500, 220), False),
        ((0, 2_000, 2_500), (), (500, 220), False),
        ((0, 2_000, 2_500), (), (400, 220, 100), True),
        ((0, 2_000, 2_500), (7,), (500, 220), False),
        ((0, 2_000, 2_500), (7,), (400, 220, 100), False),
        ((0, 0, 4_500), (7,), (500, 220), True),
        ((0, 4_500, 0), (), (720,), True),
    ],
)
def test_i3_a_prize_is_due_to_a_player_that_is_out_and_has_no_place(chips, placed, prizes, due):
    """I3: or to the last one. What is frozen gives no places, so the ledger's chips say it."""
    found = row(
        chips,
        places=tuple(
            PlaceRow(number=3 - at, place=3 - at, account=account, prize=0, paid=False)
            for at, account in enumerate(placed)
        ),
    )
    assert prize_is_due(replace(found, opening=replace(found.opening, prizes=prizes))) is due
