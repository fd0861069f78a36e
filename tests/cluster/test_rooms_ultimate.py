"""Tables against the house in a room of several nodes: played from any node, taken over in mid-round, and retired."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.cluster import rooms as support
from tests.cluster.rooms import Node, Rooms, settings
from tests.poker.support import Client, now

HOUSE = '[[ultimate]]\nid = "u1"\nresult_pause_ms = 0\naway_limit_s = 60\n'
BOTH = settings("t1") + HOUSE


@pytest.fixture
def rooms() -> Iterator[Rooms]:
    yield from support.rooms()


def owner_of(rooms: Rooms) -> Node:
    """Where the table lives."""
    return next(node for node in rooms.nodes if "u1" in node.tables())


def player(rooms: Rooms, node: Node, name: str) -> Client:
    """With a place, over this node."""
    client = rooms.client(name)
    assert isinstance(node.answer(client, wire.TakePlace, "u1"), wire.UltimateSnapshot)
    return client


def bet(rooms: Rooms, *at: tuple[Node, Client]) -> str:
    """A round with an Ante of each; its number."""
    for node, client in at:
        assert isinstance(node.answer(client, wire.PlaceBet, "u1", bet="ante", amount=100), wire.Slip)
    _, client = at[0]
    rooms.until(lambda: client.all(wire.Decisions), 30)
    return client.last(wire.RoundStarted).round_id


def asked(client: Client) -> tuple[str, int, list[int]]:
    """The newest question that they have seen: round, number, boxes."""
    found = [(one.round_id, one.seq, one.boxes) for one in client.all(wire.Decisions)]
    found += [
        (one.round.round_id, one.round.decisions.seq, one.round.decisions.boxes)
        for one in client.all(wire.UltimateSnapshot)
        if one.round is not None and one.round.decisions is not None
    ]
    return max(found, key=lambda one: one[1])


def decide(node: Node, client: Client, decision: str, box: int) -> object:
    round_id, seq, _ = asked(client)
    return node.answer(client, wire.Decide, "u1", round_id=round_id, seq=seq, box=box, decision=decision)


def test_a_round_is_played_from_any_node(rooms):
    """One over the table's own node, one over another; both see the result, and the lobby shows their places."""
    a, b = rooms.start("a", BOTH), rooms.start("b", BOTH)
    rooms.pass_s(5)
    anna, ben = player(rooms, a, "anna"), player(rooms, b, "ben")
    bet(rooms, (a, anna), (b, ben))
    rooms.pass_s(1.5)
    for node in (a, b):
        [line] = [info for info in node.room.lobby.rows() if info.table == "u1"]
        assert (line.occupied, line.players) == (2, 2)
    for decision in ("check", "check", "fold"):
        assert isinstance(decide(a, anna, decision, 1), wire.Ok)
        assert isinstance(decide(b, ben, decision, 2), wire.Ok)
    rooms.pass_s(0.5)
    assert anna.last(wire.RoundEnded) == ben.last(wire.RoundEnded)
    assert len(anna.last(wire.HandsDealt).hands) == 1
    assert anna.last(wire.HandsDealt) != ben.last(wire.HandsDealt)
    rooms.check()


def test_no_client_waits_for_a_place(rooms):
    """At whatever node it is asked for (`no_waiting_list`)."""
    a, b = rooms.start("a", BOTH), rooms.start("b", BOTH)
    rooms.pass_s(5)
    for node in (a, b):
        client = rooms.client(f"at-{node.name}")
        node.room.room_bus.waitlist.connected(client)
        wish = wire.JoinWaitlist(id=7, table="u1")
        code = node.room.room_bus.waitlist.request(client, wish)
        rooms.pass_s(0.5)
        answers = [getattr(one, "code", None) for one in client.got if getattr(one, "re", None) == 7]
        assert "no_waiting_list" in (code, *answers)


def test_a_round_is_played_on_by_another_node(rooms):
    """Its owner is killed in mid-round: same cards, same decisions, and the bets are paid once."""
    a, b = rooms.start("a", BOTH), rooms.start("b", BOTH)
    rooms.pass_s(5)
    owner = owner_of(rooms)
    other = b if owner is a else a
    anna, ben = player(rooms, other, "anna"), player(rooms, other, "ben")
    round_id = bet(rooms, (other, anna), (other, ben))
    assert isinstance(decide(other, anna, "check", 1), wire.Ok)
    cards = anna.last(wire.HandsDealt).hands

    owner.kill()
    rooms.until(lambda: "u1" in other.tables())
    rooms.pass_s(1)

    shown = anna.last(wire.UltimateSnapshot)
    assert (shown.round.round_id, shown.round.hands, shown.your_box) == (round_id, cards, 1)
    assert [box.status for box in shown.round.boxes] == ["checked", "waiting"]
    assert isinstance(decide(other, ben, "check", 2), wire.Ok)
    for decision in ("check", "fold"):
        assert isinstance(decide(other, anna, decision, 1), wire.Ok)
        assert isinstance(decide(other, ben, decision, 2), wire.Ok)
    rooms.pass_s(0.5)
    assert anna.last(wire.RoundEnded).round_id == round_id
    assert now(rooms.ledger.wallet(anna.account)) == 99_800
    rooms.check()


def test_when_redis_has_lost_everything_the_round_is_void(rooms):
    """Its owner is killed, too: every bet goes back, and viewers see no round any more."""
    a, b = rooms.start("a", BOTH), rooms.start("b", BOTH)
    rooms.pass_s(5)
    owner = owner_of(rooms)
    other = b if owner is a else a
    anna = player(rooms, other, "anna")
    round_id = bet(rooms, (other, anna))

    owner.kill()
    rooms.store.lose()
    rooms.until(lambda: "u1" in other.tables())
    rooms.pass_s(1)

    assert anna.last(wire.UltimateSnapshot).round is None
    assert now(rooms.ledger.wallet(anna.account)) == 100_000
    assert now(rooms.ledger.ended_rounds([round_id])) == {round_id}
    rooms.check()


def test_a_node_that_was_stopped_changes_nothing_any_more(rooms):
    """It goes on with a Play in its hand when another one has the table: the ledger refuses it."""
    a, b = rooms.start("a", BOTH), rooms.start("b", BOTH)
    rooms.pass_s(5)
    owner = owner_of(rooms)
    other = b if owner is a else a
    anna = player(rooms, owner, "anna")
    round_id = bet(rooms, (owner, anna))

    owner.stop()
    rooms.until(lambda: "u1" in other.tables())
    asked_of = asked(anna)
    late = anna.next_id()
    door = owner.room.local_tables.get("u1")
    decision = wire.Decide(
        id=late, table="u1", round_id=round_id, seq=asked_of[1], box=1, decision="play", multiple=4
    )
    door.request(anna, decision)
    owner.go_on()
    rooms.pass_s(2)

    assert now(rooms.ledger.wallet(anna.account)) == 99_800
    assert not [one for one in anna.got if getattr(one, "re", None) == late and isinstance(one, wire.Ok)]
    rooms.pass_s(60)
    assert now(rooms.ledger.ended_rounds([round_id])) == {round_id}
    rooms.check()


def test_a_round_at_a_table_that_is_there_no_more_is_void(rooms):
    """The settings do not name it: its places are given up, and every bet goes back."""
    a = rooms.start("a", BOTH)
    anna = player(rooms, a, "anna")
    round_id = bet(rooms, (a, anna))
    a.kill()

    rooms.start("b", settings("t1"))

    assert now(rooms.ledger.wallet(anna.account)) == 100_000
    assert now(rooms.ledger.ended_rounds([round_id])) == {round_id}
    assert now(rooms.ledger.seats()) == []
    assert rooms.store.tables() == []
    assert rooms.owners()["u1"] is None
    rooms.check()


def test_a_node_that_joins_gets_tables_between_rounds(rooms):
    """The round is finished where it began."""
    text = settings("t1") + HOUSE + HOUSE.replace("u1", "u2")
    a = rooms.start("a", text)
    clients = {}
    for table in ("u1", "u2"):
        client = clients[table] = rooms.client(f"anna-{table}")
        assert isinstance(a.answer(client, wire.TakePlace, table), wire.UltimateSnapshot)
        a.answer(client, wire.PlaceBet, table, bet="ante", amount=100)
    rooms.until(lambda: all(client.all(wire.Decisions) for client in clients.values()))
    b = rooms.start("b", text)
    rooms.until(lambda: any(name.startswith("u") for name in b.tables()), 120)
    rooms.until(lambda: all(client.all(wire.RoundEnded) for client in clients.values()))
    for table, client in clients.items():
        assert client.last(wire.RoundEnded).table == table
        assert not client.last(wire.RoundEnded).void
    rooms.check()
