"""What hosts decide about their guests, in whole rooms of several nodes."""

from pokerroom_protocol import messages as wire
from tests.cluster.hosting import FEW, nothing_here, playing
from tests.cluster.rooms import settings
from tests.poker.support import now


def test_a_guest_asks_for_a_seat_and_waits(rooms, party):
    """The host hears of the question and the guest of the answer, at different nodes. Before it there is no seat."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob = party.player("alice", a), party.player("bob", b)
    made = party.table(alice)
    table = made.info.table
    assert (made.approves, made.your_seat, made.guests) == (False, "open", [])
    alice.ask(wire.Observe, table=table)
    assert alice.ask(wire.ChangeHostedTable, table=table, order="approve_seats").hosted.approves
    found = bob.ask(wire.FindTable, code=made.code).hosted
    assert (found.your_seat, found.guests) == ("ask", None)
    bob.ask(wire.Observe, table=table)
    assert bob.sit(table).code == "seat_not_accepted"
    assert bob.ask(wire.AskSeat, table=table).hosted.your_seat == "asked"
    rooms.pass_s(1)
    assert [news.table for news in alice.all(wire.HostedTableNews)] == [table] * 2
    [mine] = alice.ask(wire.GetHostedTables).tables
    assert mine.guests == [wire.GuestView(name="bob", seat="asked", given=0)]
    assert bob.code(wire.AnswerSeat, table=table, name="bob", accepts=True) == "not_host"
    alice.ask(wire.AnswerSeat, table=table, name="bob", accepts=True)
    rooms.pass_s(1)
    assert bob.all(wire.HostedTableNews)
    assert bob.ask(wire.GetHostedTables).tables[0].your_seat == "open"
    assert isinstance(bob.sit(table), wire.Snapshot)
    rooms.check_money()


def test_approval_outlives_the_owner_of_the_table(rooms, party):
    """The next owner takes no guest whom the host has not accepted."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, _, table, code = playing(rooms, party, a, b)
    alice.ask(wire.ChangeHostedTable, table=table, order="approve_seats")
    owner, other = (a, b) if table in a.tables() else (b, a)
    carol = party.player("carol", other)
    carol.ask(wire.FindTable, code=code)
    owner.kill()
    rooms.until(lambda: table in other.tables())
    rooms.pass_s(5)
    assert carol.sit(table).code == "seat_not_accepted"
    assert {row.name for row in now(rooms.ledger.seats())} == {"alice", "bob"}
    rooms.check()


def test_another_guest_becomes_the_host(rooms, party):
    """The orders and the secret of the link are the new host's, at whichever node."""
    a, b = rooms.start("a", FEW), rooms.start("b", FEW)
    rooms.pass_s(2)
    alice, bob, table, code = playing(rooms, party, a, b)
    assert bob.code(wire.GiveHost, table=table, name="bob") == "not_host"
    assert alice.code(wire.GiveHost, table=table, name="carol") == "unknown_guest"
    given = alice.ask(wire.GiveHost, table=table, name="bob").hosted
    assert (given.host, given.code, given.guests) == ("bob", None, None)
    rooms.pass_s(1)
    assert alice.code(wire.ChangeHostedTable, table=table, order="pause") == "not_host"
    paused = bob.ask(wire.ChangeHostedTable, table=table, order="pause").hosted
    assert (paused.paused, paused.code, [guest.name for guest in paused.guests]) == (True, code, ["alice"])
    assert all(player.all(wire.HostedTableNews) for player in (alice, bob))
    rooms.check_money()


def test_the_host_gives_chips(rooms, party):
    """Once, though the request is repeated. The results of the evening stay as they are."""
    node = rooms.start("a", FEW)
    alice, bob, table, _ = playing(rooms, party, node, node)
    before = [player.ask(wire.GetAccount).balance for player in (alice, bob)]
    results = bob.ask(wire.GetTableResults, table=table).players
    for _ in range(2):
        told = alice.ask(wire.GiveChips, table=table, name="bob", amount=700, key="key-number-1").hosted
        assert told.guests == [wire.GuestView(name="bob", seat="open", given=700)]
    after = [player.ask(wire.GetAccount).balance for player in (alice, bob)]
    assert after == [before[0] - 700, before[1] + 700]
    assert bob.ask(wire.GetHostedTables).tables[0].given == 700
    assert bob.ask(wire.GetTableResults, table=table).players == results
    for refused, code in (
        ({"amount": 10**9, "key": "key-number-2"}, "insufficient_balance"),
        ({"amount": 701, "key": "key-number-1"}, "key_used"),
    ):
        assert alice.code(wire.GiveChips, table=table, name="bob", **refused) == code
    assert bob.code(wire.GiveChips, table=table, name="alice", amount=1, key="key-number-3") == "not_host"
    assert [player.ask(wire.GetAccount).balance for player in (alice, bob)] == after
    rooms.check_money()


def test_a_stranger_learns_nothing_of_the_table(rooms, party):
    """Each request of a host or guest gets the answer for a table that never was."""
    node = rooms.start("a", FEW)
    _, _, table, _ = playing(rooms, party, node, node)
    carol = party.player("carol", node)
    kinds = (wire.AskSeat, wire.AnswerSeat, wire.GiveHost, wire.GiveChips)
    assert nothing_here(carol, table, kinds)


def test_a_room_without_hosting_has_no_powers(rooms, party):
    """Its greeting names none of the features."""
    node = rooms.start("a", settings("t1") + "[hosting]\ntables_per_account = 0\n")
    features = party.player("alice", node).all(wire.Welcome)[0].features
    assert not {"hosted_tables", "host_powers"} & set(features)
