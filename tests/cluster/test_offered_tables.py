"""What the operator lets hosts of private tables choose, in whole rooms of several nodes."""

import pytest
from twisted.internet.defer import succeed

from pokerroom.ledger.hosted_tables import HostedLimits
from pokerroom.ledger.offers import OfferChange
from pokerroom.ledger.operator_log import Acting
from pokerroom_protocol import messages as wire
from tests.cluster.hosting import TERMS, Player
from tests.cluster.rooms import settings
from tests.poker.support import now

ANN = Acting(who="ann", role="admin", reason="", address="")
LITTLE = settings("t1") + (
    '[hosting]\ntables_per_account = 2\ngames = ["holdem no_limit", "omaha pot_limit"]\n'
    "small_blind_min = 10\nsmall_blind_max = 200\nseats_max = 6\n"
)


def order(rooms, standing, terms=None, before=None):
    """An operator's order about private tables, once all nodes have read it."""
    change = OfferChange(
        offer="private_tables", standing=standing, kind="private_tables", terms=terms, before=before
    )
    now(rooms.ledger.change_offer(change, by=ANN))
    rooms.pass_s(3)


@pytest.mark.parametrize(
    ("terms", "path"),
    [
        ({"structure": "pot_limit"}, "$.game"),
        ({"small_blind": 9}, "$.small_blind"),
        ({"small_blind": 201}, "$.small_blind"),
        ({"seats": 7}, "$.seats"),
    ],
)
def test_a_host_chooses_what_is_offered(rooms, party, terms, path):
    """Another choice is refused by name, and opens nothing; what is offered is told before."""
    host = party.player("alice", rooms.start("a", LITTLE))
    offered = host.ask(wire.GetHostedTables).offered
    assert (offered.tables_per_account, offered.seats_max) == (2, 6)
    assert (offered.small_blind_min, offered.small_blind_max) == (10, 200)
    assert [(one.game, one.structure) for one in offered.games] == [
        ("holdem", "no_limit"),
        ("omaha", "pot_limit"),
    ]
    refused = host.ask(wire.CreateTable, **(TERMS | terms))
    assert (refused.code, refused.path) == ("settings_not_offered", path)
    assert dict(now(rooms.ledger.hosted_versions())) == {}
    party.table(host, small_blind=200, seats=6)


def test_new_stakes_are_those_that_are_offered(rooms, party):
    """Only the host hears it; to a guest it is not the host."""
    node = rooms.start("a", LITTLE)
    alice, bob = party.player("alice", node), party.player("bob", node)
    made = party.table(alice)
    bob.ask(wire.FindTable, code=made.code)
    refused = alice.ask(wire.ChangeStakes, table=made.info.table, small_blind=201)
    assert (refused.code, refused.path) == ("settings_not_offered", "$.small_blind")
    assert bob.code(wire.ChangeStakes, table=made.info.table, small_blind=201) == "not_host"
    told = alice.ask(wire.ChangeStakes, table=made.info.table, small_blind=200)
    assert told.hosted.info.small_blind == 200


def test_the_bounds_of_stakes_hold_where_no_table_is_offered_any_more(rooms, party):
    """Open tables play on, within what was offered last."""
    alice = party.player("alice", rooms.start("a", LITTLE))
    table = party.table(alice).info.table
    order(rooms, "retired", before='{"small_blind_min":10,"small_blind_max":200}')
    assert alice.code(wire.ChangeStakes, table=table, small_blind=201) == "settings_not_offered"
    assert alice.ask(wire.ChangeStakes, table=table, small_blind=200).hosted.info.small_blind == 200


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (
            (wire.ChangeStakes, {"small_blind": 10**9, "min_buy_in": 3, "max_buy_in": 2}),
            lambda told: told.info.small_blind == TERMS["small_blind"],
        ),
        ((wire.SetTablePassword, {"password": "lentils and salt"}), lambda told: told.has_password),
    ],
)
def test_a_guest_that_becomes_the_host_in_that_instant_gives_no_order_that_was_not_looked_at(
    rooms, party, monkeypatch, asked, kept
):
    """The room has read the table before; the ledger, asked after it, would take the order."""
    node = rooms.start("a", LITTLE)
    alice, bob = party.player("alice", node), party.player("bob", node)
    made = party.table(alice)
    table = made.info.table
    bob.ask(wire.FindTable, code=made.code)
    alice.ask(wire.SetTablePassword, table=table, password="mushroom risotto")
    read = rooms.ledger.hosted_table
    given: list[bool] = []

    def read_before(asked_table):
        row = now(read(asked_table))
        if not given:
            given.append(True)
            now(rooms.ledger.give_host(table, row.host, "bob", HostedLimits(per_account=2, in_room=50)))
        return succeed(row)

    monkeypatch.setattr(rooms.ledger, "hosted_table", read_before)
    message, fields = asked
    assert bob.code(message, table=table, **fields) == "not_host"
    monkeypatch.undo()
    rooms.pass_s(5)
    (told,) = bob.ask(wire.GetHostedTables).tables
    assert told.host == "bob"
    assert kept(told)


def test_an_order_holds_at_all_nodes_and_after_a_restart(rooms, party):
    """Open tables stay, also above the new number; the settings hold again after the last order."""
    first, second = rooms.start("a", LITTLE), rooms.start("b", LITTLE)
    alice, bob = party.player("alice", first), party.player("bob", second)
    kept = [party.table(alice).info.table, party.table(alice).info.table]
    order(rooms, "offered", '{"tables_per_account":1,"small_blind_max":20}')
    assert bob.ask(wire.GetHostedTables).offered.small_blind_max == 20
    assert bob.code(wire.CreateTable, **TERMS) == "settings_not_offered"
    own = party.table(bob, small_blind=20)
    assert bob.code(wire.CreateTable, **(TERMS | {"small_blind": 20})) == "too_many_hosted_tables"
    assert {row.info.table for row in alice.ask(wire.GetHostedTables).tables} == set(kept)
    assert alice.code(wire.ChangeStakes, table=kept[0], small_blind=50) == "settings_not_offered"
    alice.ask(wire.FindTable, code=own.code)
    assert bob.code(wire.GiveHost, table=own.info.table, name="alice") == "too_many_hosted_tables"
    first.kill()
    rooms.pass_s(30)
    again = party.player("carol", rooms.start("c", LITTLE))
    assert again.code(wire.CreateTable, **TERMS) == "settings_not_offered"
    order(rooms, "settings")
    party.table(again)


def test_a_room_opens_no_more_tables_and_opens_them_again(rooms, party):
    """A client that comes meanwhile is not told of private tables; a link admits no new guest; who plays plays on."""
    node = rooms.start("a", LITTLE)
    alice, bob = party.player("alice", node), party.player("bob", node)
    made = party.table(alice)
    order(rooms, "retired")
    assert alice.ask(wire.GetHostedTables).offered is None
    assert alice.code(wire.CreateTable, **TERMS) == "hosting_off"
    assert bob.code(wire.FindTable, code=made.code) == "hosting_off"
    assert isinstance(alice.sit(made.info.table), wire.Snapshot)
    late = Player(rooms, node)
    late.ask(wire.LogIn, name="bob", password="a password")
    assert "hosted_tables" not in late.all(wire.Welcome)[0].features
    order(rooms, "settings")
    assert isinstance(late.ask(wire.FindTable, code=made.code), wire.HostedTable)
