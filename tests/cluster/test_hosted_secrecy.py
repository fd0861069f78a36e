"""Tables that players open for their guests: to all others they do not exist."""

from typing import get_args

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.gateway.code_guesses import OF_ACCOUNT, OF_ADDRESS
from pokerroom_protocol import messages as wire
from tests.cluster.hosting import AT_A_TABLE, FEW, Player, nothing_here, playing
from tests.poker.support import now


def test_a_table_does_not_exist_for_strangers(rooms, party):
    """At the node that has it, and at another one; orders of a host are refused alike."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, eve, mallory = (
        party.player(name, node) for name, node in (("alice", a), ("eve", a), ("mallory", b))
    )
    made = party.table(alice)
    table = made.info.table
    alice.sit(table)
    orders = (wire.ChangeHostedTable, wire.RemovePlayer)
    assert b.room.lobby.table(table) is not None
    for stranger in (eve, mallory):
        assert nothing_here(stranger, table, (*AT_A_TABLE, *orders))
        assert stranger.ask(wire.GetHostedTables).tables == []
        assert stranger.code(wire.FindTable, code="x" * 22) == "unknown_link"


def test_a_node_that_has_not_heard_of_a_table_does_not_reveal_it(rooms, party):
    """It knows by the directory alone that another node has a table of this id."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, mallory = party.player("alice", a), party.player("mallory", b)
    rooms.hub.losing = lambda *_: True
    b.away(ledger=True)
    table = party.table(alice).info.table
    rooms.pass_s(1)
    assert table not in b.room.lobby.settings
    assert b.room.lobby.table(table) is not None
    assert nothing_here(mallory, table, get_args(wire.TableRequest))
    b.away()
    rooms.hub.losing = lambda *_: False


def test_a_guest_gives_no_orders(rooms, party):
    """Nothing changes."""
    node = rooms.start("a", FEW)
    alice, bob = (party.player(name, node) for name in ("alice", "bob"))
    made = party.table(alice)
    table = made.info.table
    bob.ask(wire.FindTable, code=made.code)
    before = now(rooms.ledger.hosted_table(table))
    for order in ("pause", "resume", "new_link", "close"):
        assert bob.code(wire.ChangeHostedTable, table=table, order=order) == "not_host"
    for name in ("alice", "bob"):
        assert bob.code(wire.RemovePlayer, table=table, name=name) == "not_host"
        assert alice.code(wire.RemovePlayer, table=table, name="alice") == "unknown_guest"
    assert now(rooms.ledger.hosted_table(table)) == before


@pytest.mark.parametrize("node_of_bob", ["a", "b"])
def test_a_removed_player_is_out(rooms, party, node_of_bob):
    """The player ends the hand and has the chips back; neither the session, nor another one, nor a link leads back."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice = party.player("alice", a)
    bob = party.player("bob", {"a": a, "b": b}[node_of_bob])
    wallet = now(rooms.ledger.wallet(bob.session.account))
    made = party.table(alice)
    table = made.info.table
    bob.ask(wire.FindTable, code=made.code)
    for player in (alice, bob):
        player.sit(table)
    rooms.until(lambda: alice.all(wire.HandStarted))
    assert isinstance(alice.ask(wire.RemovePlayer, table=table, name="bob"), wire.Ok)
    rooms.until(lambda: len(now(rooms.ledger.seats())) == 1)
    assert [row.table for row in bob.all(wire.RemovedFromTable)] == [table]
    assert wallet - now(rooms.ledger.wallet(bob.session.account)) in {0, 50, 100}  # a blind at most
    told = len(bob.got)
    alice.ask(wire.Chat, table=table, text="still here")
    assert len(bob.got) == told
    fresh = alice.ask(wire.ChangeHostedTable, table=table, order="new_link").hosted.code
    others = [Player(rooms, node) for node in (a, b)]
    for other in others:
        assert isinstance(other.ask(wire.LogIn, name="bob", password="a password"), wire.Authenticated)
    for session in (bob, *others):
        if session.closed is None:
            assert nothing_here(session, table)
            for code in (made.code, fresh):
                assert session.code(wire.FindTable, code=code) == "unknown_link"
    rooms.check()


def test_the_table_itself_turns_a_removed_player_away(rooms, party):
    """The node of the player has not heard of it, and passes the request on."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    made = party.table(alice)
    table = made.info.table
    bob.ask(wire.FindTable, code=made.code)
    rooms.until(lambda: a.room.hosted_tables.admits(bob.session.account, table))
    b.away(ledger=True)
    alice.ask(wire.RemovePlayer, table=table, name="bob")
    assert b.room.hosted_tables.admits(bob.session.account, table)
    for kind, fields in (
        (wire.Observe, {}),
        (wire.SitDown, {"buy_in": 5_000}),
        (wire.Chat, {"text": "hello"}),
    ):
        assert bob.code(kind, table=table, **fields) == "unknown_table"
    b.away()


def test_a_player_removed_without_an_owner_is_out_at_the_next(rooms, party):
    """The table has no owner when the host removes the player: the next one sends the player away."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, _ = playing(rooms, party, a, a)
    owner, other = (a, b) if table in a.tables() else (b, a)
    owner.kill()
    again = Player(rooms, other)
    again.ask(wire.LogIn, name="alice", password="a password")
    assert isinstance(again.ask(wire.RemovePlayer, table=table, name="bob"), wire.Ok)
    assert table not in other.tables()
    rooms.until(lambda: [row.account for row in now(rooms.ledger.seats())] == [alice.session.account], 90)
    assert table in other.tables()
    assert bob.session.account not in other.table(table).holders()
    rooms.check()


def test_few_of_many_guesses_get_through(rooms, party):
    """Links and invitations, of many connections and accounts at one address; whoever has a right code gets in."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    code = party.table(alice).code
    crowd = [party.player(f"crowd{number}", (a, b)[number % 2]) for number in range(15)]
    for _ in range(2):
        assert bob.code(wire.FindTable, code="x" * 22) == "unknown_link"
        assert isinstance(bob.ask(wire.FindTable, code=code), wire.HostedTable)

    with capture_logs() as logs:
        told = [
            crowd[number % 15].ask(
                (wire.FindTable, wire.JoinClub)[number // 15 % 2], code=f"{number:03}" + "x" * 19
            )
            for number in range(200)
        ]

    through = [answer for answer in told if answer.code in {"unknown_link", "unknown_club_code"}]
    waits = [answer for answer in told if answer.code == "too_many_attempts"]
    assert len(through) + len(waits) == 200
    # 2 of Bob before; then waits of 1, 2, 4 and 8 s in the 10 s or so that the guesses take
    assert OF_ADDRESS.free - 2 <= len(through) <= OF_ADDRESS.free + 3
    assert all(answer.retry_after_ms > 0 for answer in waits)
    assert sum(line["event"] == "code.wrong" for line in logs) == len(through)
    assert sum(line["event"] == "code.delayed" for line in logs) == len(waits)
    assert not any("xxx" in str(value) for line in logs for value in line.values())
    rooms.pass_s(OF_ADDRESS.wait_s_max)
    assert isinstance(bob.ask(wire.FindTable, code=code), wire.HostedTable)


def test_an_account_guesses_slowly_from_anywhere(rooms, party):
    """A new connection begins no new count; right codes count for nothing."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    code = party.table(alice).code
    for _ in range(OF_ACCOUNT.free):
        assert isinstance(bob.ask(wire.FindTable, code=code), wire.HostedTable)
        assert bob.code(wire.FindTable, code="x" * 22) == "unknown_link"
    other = Player(rooms, node)
    other.ask(wire.LogIn, name="bob", password="a password")
    for kind in (wire.FindTable, wire.JoinClub):
        assert other.code(kind, code=code) == "too_many_attempts"
    rooms.pass_s(1)
    assert isinstance(other.ask(wire.FindTable, code=code), wire.HostedTable)


def test_a_flood_of_requests_about_tables_that_are_hidden_asks_the_ledger_little(rooms, party):
    """Each look in the ledger has its price: the others are refused for their rate."""
    node = rooms.start("a", FEW)
    mallory = party.player("mallory", node)
    asked, hosted_table = [], rooms.ledger.hosted_table
    rooms.ledger.hosted_table = lambda name: (asked.append(name), hosted_table(name))[1]
    for number in range(2_000):
        mallory.say(wire.Chat, table=f"host:{number:010}", text="hello")
    rooms.pass_s(1)
    refused = [error.code for error in mallory.all(wire.Error)]
    assert 0 < refused.count("unknown_table") == len(asked) < 100
    assert "rate_limited" in refused
    assert mallory.closed == "rate_limited"


@pytest.mark.parametrize("stays", [True, False])
def test_a_client_that_hangs_up_while_the_ledger_is_asked_watches_nothing(rooms, party, stays):
    """Its node has missed that the account is a guest. The table would never hear that such a client is gone."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", a)
    made = party.table(alice)
    table = made.info.table
    rooms.until(lambda: table in b.room.lobby.settings)
    rooms.hub.losing = lambda *_: True
    bob.ask(wire.FindTable, code=made.code)
    rooms.hub.losing = lambda *_: False
    there = Player(rooms, b, "phone")
    there.ask(wire.LogIn, name="bob", password="a password")
    asked = Deferred()
    b.ledger.hosted_table = lambda _: asked
    there.say(wire.Observe, table=table)
    if not stays:
        there.session.lost("gone")
    asked.callback(now(rooms.ledger.hosted_table(table)))
    rooms.pass_s(0.5)
    [owner] = [node for node in (a, b) if table in node.tables()]
    watching = [viewer.name for viewer in owner.table(table).outbox.viewers()]
    assert watching == (["bob"] if stays else [])
