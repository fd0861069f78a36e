"""Tables that players open for their guests, in whole rooms of several nodes."""

import pytest

from pokerroom_protocol import messages as wire
from tests.cluster.hosting import TERMS, Party
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.rooms import settings
from tests.poker.support import now

FEW = settings("t1") + "[hosting]\ntables_per_account = 2\nidle_close_h = 1\n"


@pytest.fixture
def rooms():
    yield from made_rooms()


@pytest.fixture
def party(rooms):
    return Party(rooms)


def test_a_host_and_a_guest_play(rooms, party):
    """The link admits the guest. The table is in no lobby list, and the code is the host's alone."""
    node = rooms.start("a", FEW)
    alice, bob = (party.player(name, node) for name in ("alice", "bob"))
    made = party.table(alice)
    assert (made.host, made.paused, made.info.name, made.info.big_blind) == (
        "alice",
        False,
        "Friday night",
        100,
    )
    assert (made.info.min_buy_in, made.info.max_buy_in, made.info.seats) == (2_000, 10_000, 4)
    assert made.info.table not in [row.table for row in alice.ask(wire.ListTables).tables]
    found = bob.ask(wire.FindTable, code=made.code).hosted
    assert (found.code, found.info) == (None, made.info)
    for player in (alice, bob):
        assert isinstance(player.sit(made.info.table), wire.Snapshot)
    assert alice.all(wire.HandStarted)
    [seen] = bob.ask(wire.GetHostedTables).tables
    assert (seen.info.occupied, seen.code) == (2, None)
    [own] = alice.ask(wire.GetHostedTables).tables
    assert own.code == made.code


@pytest.mark.parametrize(
    ("terms", "path"),
    [
        ({"min_buy_in": 99}, "$.min_buy_in"),
        ({"min_buy_in": 6_000, "max_buy_in": 5_000}, "$.max_buy_in"),
        ({"game": "omaha", "structure": "fixed_limit"}, "$.structure"),
        ({"name": " Friday"}, "$.name"),
        ({"name": "   "}, "$.name"),
        ({"name": "a\u0085b"}, "$.name"),
        ({"name": "a\u202eb"}, "$.name"),
        ({"name": "a\x00b"}, "$.name"),
        ({"name": "a\nb"}, "$.name"),
        ({"small_blind": 0}, "$.small_blind"),
        ({"small_blind": 10**10 + 1}, "$.small_blind"),
        ({"max_buy_in": 10**15 + 1}, "$.max_buy_in"),
        ({"seats": 11}, "$.seats"),
        ({"action_clock_s": 4}, "$.action_clock_s"),
    ],
)
def test_settings_that_no_table_can_have_are_refused(room, terms, path):
    """The error names the field, and nothing changes."""
    rooms, host = room
    before = dict(now(rooms.ledger.hosted_versions()))
    answer = host.ask(wire.CreateTable, **(TERMS | terms))
    assert (answer.code, answer.path) in {("bad_table_settings", path), ("bad_message", path)}
    assert dict(now(rooms.ledger.hosted_versions())) == before


@pytest.mark.parametrize("structure", ["no_limit", "pot_limit", "fixed_limit"])
@pytest.mark.parametrize("small_blind", [1, 7, 25, 100, 10**10])
def test_every_structure_has_its_blinds(room, structure, small_blind):
    """The big blind is two small blinds; at fixed limit the small bet is, too, and the big bet four."""
    rooms, host = room
    answer = host.ask(wire.CreateTable, name="x", small_blind=small_blind, structure=structure)
    info = answer.hosted.info
    assert (info.small_blind, info.big_blind) == (small_blind, 2 * small_blind)
    bets = (2 * small_blind, 4 * small_blind) if structure == "fixed_limit" else (None, None)
    assert (info.small_bet, info.big_bet) == bets
    host.ask(wire.ChangeHostedTable, table=info.table, order="close")
    rooms.pass_s(3)
    assert now(rooms.ledger.hosted_versions()) == {}


@pytest.fixture(scope="module")
def room():
    """A room of one node, with a host, for tests that leave nothing behind."""
    for made in made_rooms():
        yield made, Party(made).player("alice", made.start("a", FEW))
