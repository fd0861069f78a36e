"""Passwords of private tables: the way in beside the link, in whole rooms of several nodes."""

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.coordination.memory import MemoryLogInAttempts
from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.code_guesses import OF_ACCOUNT, OF_ADDRESS, OF_TABLE, CodeGuesses
from pokerroom.ledger.hosted_tables import WrongTablePassword
from pokerroom_protocol import messages as wire
from tests.cluster.hosting import FEW, Player, nothing_here
from tests.poker.support import now

PASSWORD = "mushroom risotto"
OTHER = "lentils and salt"


def protected(party, host, password=PASSWORD):
    """A new table with a password; its id."""
    table = party.table(host).info.table
    told = host.ask(wire.SetTablePassword, table=table, password=password)
    assert told.hosted.has_password
    return table


@pytest.mark.parametrize("node_of_bob", ["a", "b"])
def test_a_guest_enters_by_the_password(rooms, party, node_of_bob):
    """At each node, without the link; the guest plays, and has neither the code nor the password."""
    nodes = {name: rooms.start(name, FEW) for name in ("a", "b")}
    rooms.pass_s(2)
    alice, bob = party.player("alice", nodes["a"]), party.player("bob", nodes[node_of_bob])
    table = protected(party, alice)
    assert nothing_here(bob, table)
    told = bob.ask(wire.EnterTable, table=table, password=PASSWORD).hosted
    assert (told.info.table, told.host, told.code, told.has_password) == (table, "alice", None, True)
    for player in (alice, bob):
        assert isinstance(player.sit(table), wire.Snapshot)
    rooms.until(lambda: alice.all(wire.HandStarted))
    assert [guest.name for guest in alice.ask(wire.GetHostedTables).tables[0].guests] == ["bob"]


def test_the_host_changes_and_removes_the_password(rooms, party):
    """The old one is void at once, at all nodes; guests stay, and the link still lets accounts in."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, carol = party.player("alice", a), party.player("bob", b), party.player("carol", b)
    made = party.table(alice)
    table = made.info.table
    assert bob.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"
    alice.ask(wire.SetTablePassword, table=table, password=PASSWORD)
    assert isinstance(bob.ask(wire.EnterTable, table=table, password=PASSWORD), wire.HostedTable)
    alice.ask(wire.SetTablePassword, table=table, password=OTHER)
    assert carol.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"
    assert alice.ask(wire.SetTablePassword, table=table, password=None).hosted.has_password is False
    for password in (PASSWORD, OTHER):
        assert carol.code(wire.EnterTable, table=table, password=password) == "wrong_table_password"
    assert isinstance(bob.sit(table), wire.Snapshot)
    assert isinstance(carol.ask(wire.FindTable, code=made.code), wire.HostedTable)


def test_the_host_alone_sets_a_password(rooms, party):
    """To a stranger the table does not exist, and it learns nothing of it by a password that is too weak."""
    node = rooms.start("a", FEW)
    alice, bob, eve = (party.player(name, node) for name in ("alice", "bob", "eve"))
    table = protected(party, alice)
    bob.ask(wire.EnterTable, table=table, password=PASSWORD)
    for password in (OTHER, "password", None):
        assert bob.code(wire.SetTablePassword, table=table, password=password) == "not_host"
        assert eve.code(wire.SetTablePassword, table=table, password=password) == "unknown_table"
        for unknown in (table, "host:0000000000"):
            assert eve.code(wire.EnterTable, table=unknown, password=OTHER) == "wrong_table_password"
    assert isinstance(bob.ask(wire.EnterTable, table=table, password=PASSWORD), wire.HostedTable)


@pytest.mark.parametrize("password", ["password", "Friday night", "12345678", "aaaaaaaaaa"])
def test_a_weak_password_is_refused(rooms, party, password):
    """As for an account, and with the name of the table; the one before stays."""
    node = rooms.start("a", FEW)
    alice, bob = party.player("alice", node), party.player("bob", node)
    table = protected(party, alice)
    refused = alice.ask(wire.SetTablePassword, table=table, password=password)
    assert (refused.code, "Choose several words" in refused.message) == ("weak_password", True)
    assert isinstance(bob.ask(wire.EnterTable, table=table, password=PASSWORD), wire.HostedTable)


def test_a_removed_guest_does_not_come_back_by_the_password(rooms, party):
    """Nor does a locked table let anyone in, nor one that closes."""
    node = rooms.start("a", FEW)
    alice, bob, carol = (party.player(name, node) for name in ("alice", "bob", "carol"))
    table = protected(party, alice)
    bob.ask(wire.EnterTable, table=table, password=PASSWORD)
    alice.ask(wire.RemovePlayer, table=table, name="bob")
    assert bob.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"
    now(node.room.local_tables[table].close())
    assert carol.code(wire.EnterTable, table=table, password=OTHER) == "wrong_table_password"
    assert carol.code(wire.EnterTable, table=table, password=PASSWORD) == "table_closing"
    node.room.local_tables[table].reopen()
    carol.ask(wire.Exclude, length="week")
    assert carol.code(wire.EnterTable, table=table, password=PASSWORD) == "excluded"
    alice.ask(wire.ChangeHostedTable, table=table, order="close")
    rooms.pass_s(3)
    assert alice.code(wire.EnterTable, table=table, password=PASSWORD) == "wrong_table_password"


def test_passwords_are_guessed_as_slowly_as_links(rooms, party):
    """They count together, for an account from everywhere, and for an address; right ones count for nothing."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    table = protected(party, alice)
    for number in range(OF_ACCOUNT.free):
        assert isinstance(bob.ask(wire.EnterTable, table=table, password=PASSWORD), wire.HostedTable)
        if number % 2:
            assert bob.code(wire.EnterTable, table=table, password=OTHER) == "wrong_table_password"
        else:
            assert bob.code(wire.FindTable, code="x" * 22) == "unknown_link"
    other = Player(rooms, a)
    other.ask(wire.LogIn, name="bob", password="a password")
    refused = other.ask(wire.EnterTable, table=table, password=PASSWORD)
    assert (refused.code, refused.retry_after_ms > 0) == ("too_many_attempts", True)
    rooms.pass_s(1)
    crowd = [party.player(f"crowd{number}", (a, b)[number % 2]) for number in range(15)]
    told = [
        crowd[number % 15].ask(wire.EnterTable, table=table, password=f"{OTHER} {number}")
        for number in range(100)
    ]
    wrong = sum(answer.code == "wrong_table_password" for answer in told)
    assert wrong + sum(answer.code == "too_many_attempts" for answer in told) == 100
    assert OF_ADDRESS.free - OF_ACCOUNT.free <= wrong <= OF_ADDRESS.free + 3


def test_the_password_of_a_table_is_guessed_slowly_by_many_together(run):
    """Accounts at addresses of their own; a code of a link has no such count, and waits are forgotten after a day."""
    guesses = CodeGuesses(MemoryLogInAttempts({}, Clock()))

    async def wrong():
        raise WrongTablePassword("wrong")

    async def right():
        return "in"

    async def all_of_them():
        for number in range(OF_TABLE.free):
            with pytest.raises(WrongTablePassword):
                await guesses.looked_up(number, f"address {number}", wrong, table="host:one")
        with pytest.raises(AccountRefused):
            await guesses.looked_up(1_000, "address 1000", right, table="host:one")
        assert await guesses.looked_up(1_000, "address 1000", right, table="host:two") == "in"
        assert await guesses.looked_up(1_000, "address 1000", right) == "in"

    run(Deferred.fromCoroutine(all_of_them()))
    assert OF_ACCOUNT.kept_s > OF_ACCOUNT.wait_s_max


def test_no_store_and_no_log_has_the_password(rooms, party, monkeypatch):
    """The ledger has a slow hash; what nodes tell each other, journals and logs have neither."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    said: list[bytes] = []
    publish = rooms.hub.publish

    def heard(sender: str, receiver: str | None, batch: bytes) -> None:
        said.append(batch)
        publish(sender, receiver, batch)

    monkeypatch.setattr(rooms.hub, "publish", heard)
    with capture_logs() as logs:
        alice, bob = party.player("alice", a), party.player("bob", b)
        table = protected(party, alice)
        bob.code(wire.EnterTable, table=table, password=OTHER)
        bob.ask(wire.EnterTable, table=table, password=PASSWORD)
        for player in (alice, bob):
            player.sit(table)
        rooms.until(lambda: alice.all(wire.HandStarted))
    stored = now(rooms.ledger.table_password(table))
    assert stored.startswith("$argon2id$")
    assert said
    for secret in (PASSWORD, OTHER, stored):
        for place in (logs, vars(rooms.store), now(rooms.ledger.hosted_table(table)), bob.got, alice.got):
            assert secret not in repr(place)
        assert secret.encode() not in b"".join(said)
