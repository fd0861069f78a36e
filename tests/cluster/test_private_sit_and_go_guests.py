"""What the host of a private sit-and-go decides about guests, in whole rooms: password and removal."""

import pytest

from pokerroom.gateway.code_guesses import OF_ACCOUNT
from pokerroom_protocol import messages as wire
from tests.cluster.hosting import FEW, Party, Player, nothing_here
from tests.cluster.rooms import rooms as made_rooms
from tests.cluster.test_private_sit_and_gos import entered, made, state, wallets
from tests.poker.support import now

PASSWORD = "mushroom risotto"
OTHER = "pumpkin chutney"


@pytest.fixture
def rooms():
    yield from made_rooms()


@pytest.fixture
def party(rooms):
    return Party(rooms)


def view_of(host: Player) -> wire.PrivateSitAndGoView:
    """The newest sit-and-go of the account."""
    return host.ask(wire.GetHostedTables).sit_and_gos[0]


def number_of(tournament: str) -> str:
    """The id that is told with a password."""
    return "host:" + tournament.removeprefix("private:").partition(".")[0]


def test_the_host_removes_a_guest_with_the_entry(rooms, party):
    """The guest is told, has the buy-in, and finds nothing any more: by no way, at no node. The others play."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol = party.player("alice", a), party.player("bob", b), party.player("carol", b)
    before = wallets(rooms, 3)
    tournament = entered(alice, bob)
    table = view_of(alice).table
    assert table == number_of(tournament)
    code = view_of(alice).code
    carol.ask(wire.FindTable, code=code)
    alice.ask(wire.SetTablePassword, table=table, password=PASSWORD)
    assert view_of(alice).guests == ["bob", "carol"]
    assert view_of(carol).guests is None
    assert isinstance(alice.ask(wire.RemovePlayer, table=table, name="BOB"), wire.Ok)
    rooms.pass_s(1)
    [refund] = bob.all(wire.SngRefunded)
    assert (refund.tournament, refund.amount, refund.reason) == (tournament, 1_000, "removed")
    assert wallets(rooms, 3) == [before[0] - 1_000, *before[1:]]
    for kind in (wire.GetTournament, wire.RegisterTournament, wire.UnregisterTournament):
        assert bob.code(kind, tournament=tournament) == "unknown_tournament"
    assert bob.code(wire.FindTable, code=code) == "unknown_link"
    assert bob.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"
    assert bob.ask(wire.GetHostedTables).sit_and_gos == []
    assert nothing_here(bob, table)
    assert (view_of(alice).guests, state(carol, tournament).players) == (["carol"], 1)
    assert isinstance(alice.ask(wire.RemovePlayer, table=table, name="carol"), wire.Ok)
    rooms.pass_s(1)
    assert carol.all(wire.SngRefunded) == []
    assert now(rooms.ledger.audit()).differences == ()


def test_a_guest_is_removed_by_the_host_alone_and_before_the_start(rooms, party):
    """From then on the entries are decided; a stranger learns nothing."""
    node = rooms.start("a", FEW)
    alice, bob, eve = (party.player(name, node) for name in ("alice", "bob", "eve"))
    tournament = entered(alice, bob)
    table = number_of(tournament)
    assert bob.code(wire.RemovePlayer, table=table, name="alice") == "not_host"
    assert eve.code(wire.RemovePlayer, table=table, name="bob") == "unknown_table"
    for name in ("alice", "eve"):
        assert alice.code(wire.RemovePlayer, table=table, name=name) == "unknown_guest"
    alice.ask(wire.ChangeSitAndGo, tournament=tournament, order="start")
    assert alice.code(wire.RemovePlayer, table=table, name="bob") == "registration_closed"
    assert bob.all(wire.SngRefunded) == []
    rooms.until(lambda: state(bob, tournament).phase == "running", seconds_max=30)
    assert state(bob, tournament).players == 2


def test_a_password_lets_guests_in(rooms, party):
    """At each node, by the number and the password; an older one is void, and the host alone sets it."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol = party.player("alice", a), party.player("bob", b), party.player("carol", b)
    view = made(alice)
    table = number_of(view.tournament)
    assert bob.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"
    assert bob.code(wire.SetTablePassword, table=table, password=PASSWORD) == "unknown_table"
    told = alice.ask(wire.SetTablePassword, table=table, password=PASSWORD)
    assert isinstance(told, wire.PrivateSitAndGo)
    assert told.sit_and_go.has_password
    entering = bob.ask(wire.EnterTable, table=table, password=PASSWORD)
    assert isinstance(entering, wire.PrivateSitAndGo)
    assert (entering.sit_and_go.tournament, entering.sit_and_go.code) == (view.tournament, None)
    entry = bob.ask(wire.RegisterTournament, tournament=view.tournament)
    assert isinstance(entry, wire.TournamentRegistered)
    assert bob.code(wire.SetTablePassword, table=table, password=OTHER) == "not_host"
    assert alice.code(wire.SetTablePassword, table=table, password="Friday final") == "weak_password"
    alice.ask(wire.SetTablePassword, table=table, password=OTHER)
    assert carol.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"
    removed = alice.ask(wire.SetTablePassword, table=table, password=None)
    assert removed.sit_and_go.has_password is False
    assert carol.code(wire.EnterTable, table=table, password=OTHER) == "wrong_table_password"
    assert state(bob, view.tournament).players == 1


def test_its_password_is_guessed_as_slowly_as_that_of_a_table(rooms, party):
    """Wrong ones count with wrong links; a right one is not looked at while the account has to wait."""
    node = rooms.start("a", FEW)
    alice, eve = party.player("alice", node), party.player("eve", node)
    table = number_of(made(alice).tournament)
    alice.ask(wire.SetTablePassword, table=table, password=PASSWORD)
    for _ in range(OF_ACCOUNT.free):
        assert eve.code(wire.EnterTable, table=table, password=OTHER) == "wrong_table_password"
    assert eve.code(wire.EnterTable, table=table, password=PASSWORD) == "too_many_attempts"
    assert eve.ask(wire.GetHostedTables).sit_and_gos == []
