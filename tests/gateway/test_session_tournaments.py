"""The lobby of a tournament of several tables, over sessions at two nodes: its state, ranks, tables, and moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import table_of
from pokerroom.ops import config
from pokerroom.rules.tournament.points import league_points
from pokerroom_protocol import messages as wire
from tests.cluster import rooms as cluster
from tests.cluster.rooms import rooms, settings
from tests.gateway import test_session_sit_and_gos as sessions
from tests.poker.support import now

OFFER = """
[[sit_and_go]]
id = "field"
seats = 5
seats_per_address = 5
buy_in = 300
fee = 60
prizes = [700, 500]
starting_stack = 200
level_hands = 2
hand_pause_ms = 0
levels = [{ small_blind = 10 }, { small_blind = 20 }, { small_blind = 50 }]

[[league]]
id = "evening"
name = "Evening"
tournaments = ["field"]
period = "ever"
"""
NAME = "field.1"


class House(sessions.House):
    """Two nodes, and five players of a field over two tables."""

    def __init__(self, made: cluster.Rooms) -> None:
        self.rooms = made
        self.nodes = [made.start(name, settings("t1") + OFFER) for name in "ab"]
        self.players = [
            self.player(name, at % 2) for at, name in enumerate(("ann", "bob", "cid", "dan", "eve"))
        ]

    def begin(self) -> None:
        """All register, and the tournament starts."""
        for player in self.players:
            assert player.ask(wire.RegisterSng, offer="field").tournament == NAME
        self.rooms.until(lambda: now(self.rooms.ledger.tournament(NAME)).phase == "running", 10)
        self.drawn = seats(self)
        self.rooms.pass_s(2)

    def play_out(self) -> None:
        """No player comes to a table: all are blinded off until one is left."""
        self.rooms.until(lambda: now(self.rooms.ledger.tournament(NAME)).phase == "finished", 1_000)
        self.rooms.pass_s(3)


@pytest.fixture
def house(monkeypatch):
    def tables_of_three(text: str) -> config.RoomConfig:
        found = config.parse(text)
        return replace(
            found, sit_and_gos=tuple(replace(offer, seats_per_table=3) for offer in found.sit_and_gos)
        )

    monkeypatch.setattr(cluster, "parse", tables_of_three)
    made = rooms()
    yield House(next(made))
    with pytest.raises(StopIteration):
        next(made)


def seats(house: House, *, out: bool = False) -> dict[str, tuple[str, int]]:
    """Table and seat of each player with chips, as the ledger has them; with `out` of all: the last ones of some."""
    row = now(house.rooms.ledger.tournament(NAME))
    names = now(house.rooms.ledger.account_names(row.players))
    found = {}
    for entry in row.entries:
        if entry.chips or out:
            number, seat = table_and_seat(entry.seat)
            found[names[entry.account]] = (table_of(NAME, number), seat)
    return found


def named(house: House) -> list[tuple[str, Any]]:
    return list(zip(("ann", "bob", "cid", "dan", "eve"), house.players, strict=True))


def test_before_the_start_the_entries_are_listed(house):
    """In the order of registration, without ranks, stacks or tables."""
    ann, bob = house.players[:2]
    ann.ask(wire.RegisterSng, offer="field")
    house.rooms.pass_s(2)
    state = bob.ask(wire.GetTournament, tournament=NAME)
    assert (state.phase, state.entries, state.left, state.tables, state.chips) == ("registering", 1, 1, 0, 0)
    assert (state.level, state.average, state.you, state.name) == (None, None, None, "field #1")
    [rank] = bob.ask(wire.GetTournamentRanks, tournament=NAME).ranks
    assert rank == wire.TournamentRank(rank=None, name="ann", stack=None, status="registered")
    assert ann.ask(wire.GetTournament, tournament=NAME).you == rank
    assert bob.ask(wire.GetTournamentTables, tournament=NAME).total == 0


def test_every_node_tells_the_state_of_a_running_field(house):
    """Chips, tables and the clock, which only the node of the tournament knows by itself."""
    house.begin()
    answers = [player.ask(wire.GetTournament, tournament=NAME) for player in house.players[:2]]
    for state in answers:
        assert (state.phase, state.entries, state.left, state.tables) == ("running", 5, 5, 2)
        assert (state.chips, state.pool, state.prizes, state.table_seats) == (1_000, 1_200, [700, 500], 3)
        assert state.level is not None
        assert state.next_level.level == state.level.level + 1
    assert len({(state.level, state.largest, state.average) for state in answers}) == 1
    tables = house.players[1].ask(wire.GetTournamentTables, tournament=NAME)
    assert [(table.table, table.players) for table in tables.tables] == [(NAME, 3), (f"{NAME}-2", 2)]
    assert sum(table.average * table.players for table in tables.tables) <= 1_000
    own = seats(house)
    assert (answers[0].you.table, answers[0].you.seat) == own["ann"]


def test_ranks_are_paged_and_searched(house):
    """Equal stacks share a rank; a page says how many rows there are."""
    house.begin()
    ask = house.players[0].ask
    whole = ask(wire.GetTournamentRanks, tournament=NAME)
    stacks = [rank.stack for rank in whole.ranks]
    assert stacks == sorted(stacks, reverse=True)
    assert [rank.rank for rank in whole.ranks] == [stacks.index(stack) + 1 for stack in stacks]
    page = ask(wire.GetTournamentRanks, tournament=NAME, offset=3, count=1)
    assert (page.total, page.offset, page.ranks) == (5, 3, whole.ranks[3:4])
    found = ask(wire.GetTournamentRanks, tournament=NAME, name="AN")
    assert (found.total, {rank.name for rank in found.ranks}) == (2, {"ann", "dan"})
    assert ask(wire.GetTournamentTables, tournament=NAME, offset=1, count=1).tables[0].table == f"{NAME}-2"


def test_moved_players_are_told_where_they_sit_and_why(house):
    """Wherever they are connected, each move once; no other player is told of it."""
    house.begin()
    at, told = house.drawn, {name: 0 for name, _ in named(house)}
    reasons = set()
    while now(house.rooms.ledger.tournament(NAME)).phase == "running":
        house.rooms.pass_s(0.05)
        present = seats(house, out=True)  # a player may move and be out at once
        moved = {name for name, place in present.items() if place != at[name]}
        if moved:
            house.rooms.pass_s(0.5)
        for name, player in named(house):
            known = [
                move for move in player.all(wire.TournamentMoved) if move.from_table
            ]  # else it is told again
            moves = known[told[name] :]
            assert len(moves) == (name in moved), name
            told[name] += len(moves)
            for move in moves:
                assert (move.tournament, move.from_table) == (NAME, at[name][0])
                assert (move.table, move.seat) == present[name]
                reasons.add(move.reason)
        at |= present
    assert "final_table" in reasons
    assert reasons <= {"balance", "broken", "final_table"}
    house.rooms.pass_s(3)


def test_observers_of_a_broken_table_are_told_where_its_players_went(house):
    """The last notice of the table names each of them with the new seat."""
    house.begin()
    watching = house.players[4]
    watching.ask(wire.Observe, table=f"{NAME}-2")
    notices = lambda: [notice for notice in watching.all(wire.TableNotice) if notice.state == "closed"]  # noqa: E731 -- asked again and again
    house.rooms.until(notices, 600)
    [notice] = notices()
    assert {(player.name, player.table, player.seat) for player in notice.moved} == {
        (name, *place)
        for name, place in seats(house).items()
        if any(move.from_table == f"{NAME}-2" for move in dict(named(house))[name].all(wire.TournamentMoved))
    }
    assert notice.moved
    house.play_out()


def test_the_end_is_told_for_good(house):
    """Places, prizes and no table; the clock is gone."""
    house.begin()
    house.play_out()
    ask = house.players[3].ask
    state = ask(wire.GetTournament, tournament=NAME)
    assert (state.phase, state.entries, state.left, state.tables, state.level) == ("finished", 5, 0, 0, None)
    assert state.ended_ms > state.started_ms
    ranks = ask(wire.GetTournamentRanks, tournament=NAME).ranks
    assert [(rank.rank, rank.place, rank.prize) for rank in ranks][:2] == [(1, 1, 700), (2, 2, 500)]
    assert [rank.place for rank in ranks] == sorted(rank.place for rank in ranks)
    assert ({rank.status for rank in ranks}, {rank.table for rank in ranks}) == ({"out"}, {None})
    assert ask(wire.GetTournament, tournament=NAME).you in ranks


def test_the_clock_is_known_after_a_takeover(house):
    """The next owner tells it, and the lobby has the chips all the time."""
    house.begin()
    owner = next(node for node in house.nodes if f"tournament:{NAME}" in node.tables())
    other = next(node for node in house.nodes if node is not owner)
    player = house.players[house.nodes.index(other)]
    before = player.ask(wire.GetTournament, tournament=NAME)
    owner.kill()
    assert player.ask(wire.GetTournament, tournament=NAME).level == before.level
    house.rooms.until(lambda: f"tournament:{NAME}" in other.tables(), 30)
    house.rooms.pass_s(3)
    after = player.ask(wire.GetTournament, tournament=NAME)
    assert after.chips == 1_000
    assert after.level.level >= before.level.level


def test_many_clients_share_one_reading_of_the_ledger(house):
    """The cost is bounded by time, and not by the number of those who ask."""
    house.begin()
    reads = []
    ledger = house.nodes[0].ledger._ledger  # private: the one that counts is behind the node's
    original = ledger.tournament
    ledger.tournament = lambda name: (reads.append(name), original(name))[1]
    asked = [house.players[0].say(wire.GetTournamentRanks, tournament=NAME) for _ in range(8)]
    house.rooms.pass_s(0.05)
    del ledger.tournament
    assert [len(house.players[0].answers(number)) for number in asked] == [1] * 8
    assert len([name for name in reads if name == NAME]) <= 2  # one may be that of a table


def test_refusals_have_their_codes(house):
    """A tournament that never was, a page that is too long, and a client without an account."""
    ann = house.players[0]
    for kind in (wire.GetTournament, wire.GetTournamentRanks, wire.GetTournamentTables):
        assert ann.ask(kind, tournament="field.9").code == "unknown_tournament"
        stranger = sessions.Line(house.rooms, house.nodes[0])
        assert stranger.ask(kind, tournament="field.9").code == "not_authenticated"
    assert ann.ask(wire.GetTournamentRanks, tournament=NAME, count=101).code == "bad_message"


def test_a_league_counts_the_tournament_at_every_node(house):
    """Before its end it counts nothing; then each player has points by the own place."""
    house.begin()
    ann, bob = house.players[:2]
    (league,) = ann.ask(wire.GetLeagues).leagues
    assert (league.league, league.offers, league.score) == ("evening", ["field"], "points")
    assert ann.ask(wire.GetLeague, league="evening").ranks == []
    house.play_out()
    house.rooms.pass_s(11)
    tables = [player.ask(wire.GetLeague, league="evening") for player in (ann, bob)]
    assert tables[0].ranks == tables[1].ranks
    places = {rank.name: rank.place for rank in ann.ask(wire.GetTournamentRanks, tournament=NAME).ranks}
    points = {
        place: int(100 * league_points(entries=5, place=place, buy_in=300)) for place in places.values()
    }
    assert {rank.name: rank.score for rank in tables[0].ranks} == {
        name: points[place] for name, place in places.items()
    }
    assert [table.you.name for table in tables] == ["ann", "bob"]
