"""The part of the ledger's contract that keeps the tables of a tournament: seats, moves of players, closed tables.

`TournamentTables` is mixed into `Contract`.
"""

import pytest

from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.api import LedgerConflict, NotOwner
from pokerroom.ledger.tournament_entries import seat_number, table_and_seat
from pokerroom.ledger.tournaments import (
    NotRunning,
    SeatChange,
    TableRow,
    table_number,
    table_of,
    tournament_at,
)
from tests.ledger.contract import take_tournament
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import entered, opening

NAME = "six.1"
SECOND = table_of(NAME, 2)
_NAMES = ("alice", "bob", "carol", "dave", "erin")


def at_two_tables(run, ledger):
    """A tournament of five: three at the first table in seats 1 to 3, two at the second in seats 1 and 4."""
    accounts = entered(run, ledger, *_NAMES, seats=5, prizes=(900, 300))
    take_tournament(run, ledger, NAME)
    run(ledger.take_table(SECOND, "n1", 0))
    one, two, three, four, five = accounts
    run(ledger.start_tournament(NAME, 1, drawn(accounts), 1_500))
    return one, two, three, four, five


def drawn(accounts):
    one, two, three, four, five = accounts
    return [one, two, three, 0, 0, 0, 0, 0, 0, 0, four, 0, 0, five]


def seats(run, ledger):
    """By account: its table and seat."""
    return {entry.account: table_and_seat(entry.seat) for entry in run(ledger.tournament(NAME)).entries}


def tables(run, ledger):
    return run(ledger.tournament(NAME)).tables


def move(account, from_table, from_seat, to_table, to_seat):
    return SeatChange(
        account=account, seat=seat_number(from_table, from_seat), to=seat_number(to_table, to_seat)
    )


class TournamentTables:
    """A tournament with two tables; each of five players begins with 1,500 chips."""

    def test_ids_of_tables_name_their_tournament(self):
        """The first table has the id of the tournament; a table of cash is no table of one."""
        assert [table_of(NAME, number) for number in (1, 2, 12)] == ["six.1", "six.1-2", "six.1-12"]
        assert [tournament_at(table) for table in ("six.1", "six.1-12", "nl-50-2")] == [NAME, NAME, "nl-50-2"]
        assert [table_number(table) for table in ("six.1", "six.1-12")] == [1, 12]
        assert [table_and_seat(seat_number(*place)) for place in ((1, 10), (3, 1))] == [(1, 10), (3, 1)]
        assert [seat_number(*place) for place in ((1, 10), (2, 1), (3, 1))] == [10, 11, 21]  # as stored

    def test_players_are_seated_at_several_tables(self, run, ledger):
        """Each in the seat that was drawn; a second start with the same draw changes nothing."""
        accounts = at_two_tables(run, ledger)
        run(ledger.start_tournament(NAME, 1, drawn(accounts), 1_500))
        assert seats(run, ledger) == dict(
            zip(accounts, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 4)], strict=True)
        )
        assert tables(run, ledger) == (TableRow(number=1, hands=0), TableRow(number=2, hands=0))
        assert run(ledger.running_tables()) == [NAME, SECOND]
        one, two, three, four, five = accounts
        for other in ([one, two, three, four, five], drawn([two, one, three, four, five])):
            with pytest.raises(LedgerConflict):
                run(ledger.start_tournament(NAME, 1, other, 1_500))
        assert run(ledger.audit()).differences == ()

    def test_each_table_settles_its_own_hands(self, run, ledger):
        """Under its own epoch, also in one batch; a hand names only players of its table."""
        one, two, _, four, five = at_two_tables(run, ledger)
        both = [hand("h1", {one: 100, two: -100}), hand("h2", {four: -70, five: 70}, table=SECOND)]
        for _ in range(2):
            run(ledger.settle(both))
        run(ledger.settle([hand("h3", {four: -70, five: 70}, table=SECOND)]))
        for wrong in (
            [hand("h4", {one: 5, four: -5})],
            [hand("h4", {one: 5, two: -5}, table=SECOND)],
            [hand("h4", {four: 5, five: -5}, table=SECOND), hand("h5", {four: 5, five: -5}, table=SECOND)],
            [hand("h2", {four: -71, five: 71}, table=SECOND)],
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.settle(wrong))
        run(ledger.take_table(SECOND, "n2", 1))
        with pytest.raises(NotOwner):
            run(ledger.settle([hand("h4", {four: 5, five: -5}, table=SECOND)]))
        chips = {entry.account: entry.chips for entry in run(ledger.tournament(NAME)).entries}
        assert (chips[one], chips[two], chips[four], chips[five]) == (1_600, 1_400, 1_360, 1_640)
        assert [table.hands for table in tables(run, ledger)] == [1, 2]
        for query, count in (
            (HandQuery(table=NAME), 3),
            (HandQuery(table=SECOND), 2),
            (HandQuery(table=NAME, account=one), 1),
        ):
            assert len(run(ledger.hands_page(query, 0, 9)).hands) == count
        assert run(ledger.audit()).differences == ()

    def test_a_player_that_moves_keeps_the_chips_and_plays_at_the_new_table(self, run, ledger):
        """The same call again changes nothing, also by a past owner."""
        one, two, three, four, five = at_two_tables(run, ledger)
        run(ledger.settle([hand("h1", {one: 100, two: -100})]))
        moves = [move(one, 1, 1, 2, 2)]
        for _ in range(2):
            run(ledger.move_players(NAME, 1, moves))
        assert seats(run, ledger)[one] == (2, 2)
        run(ledger.settle([hand("h2", {one: -1_500, five: 1_500}, table=SECOND)]))
        with pytest.raises(LedgerConflict):
            run(ledger.settle([hand("h3", {one: 0, three: 0})]))
        chips = {entry.account: (entry.chips, entry.hands) for entry in run(ledger.tournament(NAME)).entries}
        assert (chips[one], chips[five], chips[four]) == ((100, 2), (3_000, 1), (1_500, 0))
        take_tournament(run, ledger, NAME, node="n2", last_epoch=1)
        run(ledger.move_players(NAME, 1, moves))
        with pytest.raises(NotOwner):
            run(ledger.move_players(NAME, 1, [move(two, 1, 2, 2, 3)]))
        assert run(ledger.audit()).differences == ()

    def test_a_move_that_cannot_be_is_refused_and_moves_no_player(self, run, ledger):
        """From another seat, to a taken one, of a stranger, of a player that is out, or to no table."""
        one, two, three, four, _ = at_two_tables(run, ledger)
        run(ledger.settle([hand("h1", {one: 1_500, two: -1_500})]))
        before = seats(run, ledger)
        good = move(three, 1, 3, 2, 2)
        for wrong in (
            move(one, 1, 3, 2, 3),
            move(one, 1, 1, 2, 2),
            move(one, 1, 1, 2, 4),
            move(two, 1, 2, 2, 3),
            move(one, 1, 1, 3, 1),
            move(max(before) + 1, 1, 1, 2, 3),
        ):
            with pytest.raises(LedgerConflict):
                run(ledger.move_players(NAME, 1, [good, wrong]))
        assert seats(run, ledger) == before
        run(ledger.move_players(NAME, 1, [move(four, 2, 1, 1, 2)]))  # that of a player that is out
        assert seats(run, ledger)[four] == (1, 2)
        assert run(ledger.audit()).differences == ()

    def test_a_table_without_players_is_closed_for_good(self, run, ledger):
        """It has no more hands, and no seat of it is free; a player that is out stays where they sat."""
        one, _, _, four, five = at_two_tables(run, ledger)
        run(ledger.settle([hand("h1", {four: 1_500, five: -1_500}, table=SECOND)]))
        run(ledger.move_players(NAME, 1, [move(four, 2, 1, 1, 4)]))
        assert tables(run, ledger) == (TableRow(number=1, hands=0), TableRow(number=2, hands=1, closed=True))
        assert run(ledger.running_tables()) == [NAME]
        with pytest.raises(LedgerConflict):
            run(ledger.move_players(NAME, 1, [move(one, 1, 1, 2, 1)]))
        run(ledger.settle([hand("h2", {one: 1, four: -1})]))
        run(ledger.release_table(SECOND, 1))
        assert SECOND not in [row.table for row in run(ledger.owners())]
        assert run(ledger.audit()).differences == ()

    def test_players_change_seats_at_one_table(self, run, ledger):
        """As in the draw of a final table: all of them in one call, each into a seat that another one leaves."""
        one, two, _, four, five = at_two_tables(run, ledger)
        run(ledger.move_players(NAME, 1, [move(one, 1, 1, 1, 2), move(two, 1, 2, 1, 1)]))
        assert (seats(run, ledger)[one], seats(run, ledger)[two]) == ((1, 2), (1, 1))
        run(
            ledger.move_players(
                NAME,
                1,
                [
                    move(five, 2, 4, 1, 1),
                    move(four, 2, 1, 1, 2),
                    move(two, 1, 1, 1, 5),
                    move(one, 1, 2, 1, 4),
                ],
            )
        )
        assert sorted(seats(run, ledger).values()) == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5)]
        assert run(ledger.running_tables()) == [NAME]

    def test_no_player_of_a_tournament_that_is_not_running_moves(self, run, ledger):
        """Before the start and after the end."""
        run(ledger.open_tournament(opening("six.7")))
        take_tournament(run, ledger, "six.7")
        with pytest.raises(NotRunning):
            run(ledger.move_players("six.7", 1, [move(1, 1, 1, 1, 2)]))

    def test_a_tournament_has_many_seats(self, run, ledger):
        """As many as ten thousand."""
        run(ledger.open_tournament(opening("big.1", seats=10_000, buy_in=100, fee=0, prizes=(1_000_000,))))
        assert run(ledger.tournament("big.1")).opening.seats == 10_000
