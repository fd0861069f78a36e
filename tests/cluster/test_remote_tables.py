"""A client at a table of another node is told the same as a client at a table of its own node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pokerroom.cluster.messages import ChannelsResumed
from pokerroom.cluster.remote_tables import RemoteTables
from pokerroom_protocol import messages as wire
from tests.cluster.support import UNAVAILABLE, Cluster, Person, act, code_of
from tests.poker.support import SETTINGS, Client


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster("a", "b", "c")
    yield cluster
    cluster.stop()


def seated(cluster: Cluster, *homes: str) -> list[Person]:
    """Return players that watch and sit down, one at each of these nodes."""
    people = [cluster.client(f"p{number}", home) for number, home in enumerate(homes, 1)]
    for person in people:
        assert isinstance(person.answer(wire.Observe), wire.Snapshot)
    for person in people:
        assert isinstance(person.answer(wire.SitDown, buy_in=5_000), wire.Snapshot)
    return people


def story(*homes: str) -> list[bytes]:
    """Everything that four players and an observer are told in a few hands, with refusals and a lost connection."""
    cluster = Cluster("a", "b", "c", settings=(replace(SETTINGS, chat_length_max=200, chat_per_minute=20),))
    cluster.hub.latency_s = 0  # times are in the messages
    watcher = cluster.client("watcher", homes[4])
    watcher.answer(wire.Observe)
    people = seated(cluster, *homes[:4])
    for number in range(12):
        act(cluster, *people, action="fold" if number % 5 == 4 else None)
    people[0].answer(wire.Act, hand_id="x", seq=1, action="call")
    people[1].answer(wire.Chat, text="nice hand")
    people[2].answer(wire.TopUp, amount=500)
    watcher.answer(wire.GetSnapshot)
    watcher.answer(wire.SitOut)
    watcher.answer(wire.Unobserve)
    people[3].lose()
    cluster.settle()
    people.append(people.pop().back())
    people[3].answer(wire.Observe)
    cluster.settle(12)
    for person in people[:2]:
        person.answer(wire.StandUp)
    cluster.settle(30)
    told = [watcher.bytes, *(person.bytes for person in people)]
    cluster.stop()
    return told


@pytest.mark.parametrize("homes", ["baaac", "bbbbb", "bcabc"])
def test_a_client_cannot_tell_where_its_table_lives(homes):
    """The same bytes in the same order at every node."""
    here = story(*"aaaaa")

    assert story(*homes) == here
    assert all(len(told) > 2_000 for told in here)


def test_hole_cards_go_to_their_owners_node_alone(cluster):
    """Of two players at one node each gets their own; a node without a player in the hand gets no card."""
    anna, bert, carl = seated(cluster, "b", "b", "a")
    cluster.client("dora", "c").answer(wire.Observe)
    for person in (anna, bert, carl):
        person.got.clear()
    cluster.hub.passed.clear()
    while not any(dealt.cards for dealt in anna.all(wire.HoleCards)):
        act(cluster, anna, bert, carl)

    hands = [
        [dealt.cards for dealt in person.all(wire.HoleCards) if dealt.cards] for person in (anna, bert, carl)
    ]
    assert all(len(cards) == 1 for cards in hands)
    to_b = b"".join(message for _, to, message in cluster.hub.passed if to == "b")
    to_c = b"".join(message for _, to, message in cluster.hub.passed if to == "c")
    for person, seen_at_b in zip(hands, (True, True, False), strict=True):
        packed = b"".join(b"\xa2" + card.encode() for card in person[0])
        assert (packed in to_b) == seen_at_b
        assert packed not in to_c


def test_a_bundle_travels_once_for_all_who_may_see_it(cluster):
    """Ten observers at one node cost one copy of what is public."""
    [anna, bert] = seated(cluster, "a", "a")
    watchers = [cluster.client(f"w{number}", "b") for number in range(10)]
    for watcher in watchers:
        watcher.answer(wire.Observe)
    cluster.hub.passed.clear()

    act(cluster, anna, bert)

    passed = [message for _, to, message in cluster.hub.passed if to == "b"]
    assert b"".join(passed).count(b"acted") == 1
    assert all(watcher.all(wire.Acted) for watcher in watchers)


def test_a_lost_connection_is_told_to_the_owner(cluster):
    """The seat is shown as gone, and as there again when its holder is back at another node."""
    anna, bert = seated(cluster, "b", "a")

    anna.lose()
    cluster.settle()
    assert not bert.last(wire.SeatChanged).connected
    again = anna.back("c")
    assert isinstance(again.answer(wire.Observe), wire.Snapshot)

    assert bert.last(wire.SeatChanged).connected
    assert cluster.table().game.seats.held_by(anna.account).connected


def test_a_node_that_dies_takes_its_viewers_along(cluster):
    """Its clients are gone for the tables of others as soon as it is not among the living."""
    anna, bert = seated(cluster, "b", "a")

    cluster.kill("b")
    cluster.tell_living()
    cluster.settle()

    assert not bert.last(wire.SeatChanged).connected
    assert [viewer.account for viewer in cluster.table().outbox.viewers()] == [bert.account]
    assert isinstance(anna.back("c").answer(wire.Observe), wire.Snapshot)
    assert bert.last(wire.SeatChanged).connected


def test_what_a_dead_node_still_sends_leaves_no_viewer_behind(cluster):
    """A node that is not living and stays so is forgotten with its clients."""
    anna = cluster.client("anna", "b")
    cluster.nodes["a"].room_bus.living(["a", "c"])
    anna.ask(wire.Observe)
    cluster.settle()
    assert len(list(cluster.table().outbox.viewers())) == 1

    cluster.settle(20)

    assert not list(cluster.table().outbox.viewers())
    cluster.tell_living()
    cluster.settle()
    assert len(list(cluster.table().outbox.viewers())) == 1


def test_a_node_taken_for_dead_is_shown_everything_again(cluster):
    """It was only slow: its clients' requests meanwhile are given up, and its viewers see the table as it is."""
    anna, bert = seated(cluster, "b", "a")
    cluster.nodes["a"].room_bus.living(["a", "c"])
    cluster.settle()
    assert not cluster.table().game.seats.held_by(anna.account).connected
    number = anna.ask(wire.SitOut)
    cluster.settle()

    cluster.tell_living()
    cluster.settle()

    [answer] = anna.answers(number)
    assert code_of(answer) == UNAVAILABLE
    assert anna.last(wire.Snapshot).re is None
    assert cluster.table().game.seats.held_by(anna.account).connected
    act(cluster, anna, bert)
    assert anna.all(wire.Acted)[-1] == bert.all(wire.Acted)[-1]


def test_the_pause_between_hands_heeds_clients_of_other_nodes():
    """A player at another node that wants a pause gets it."""
    cluster = Cluster("a", "b", settings=(replace(SETTINGS, hand_pause_ms=3_000),))
    anna, bert = cluster.client("anna", "a"), cluster.client("bert", "b")
    bert.wants_pause = True
    for person in (anna, bert):
        person.answer(wire.SitDown, buy_in=5_000)

    act(cluster, anna, bert, action="fold")

    assert cluster.table().state_name == "pausing"
    cluster.stop()


def test_observers_elsewhere_see_a_delayed_table_as_late():
    """The delayed view's viewers may be anywhere: all of them get the same, when its time has come."""
    cluster = Cluster("a", "b", settings=(replace(SETTINGS, observer_delay_s=30),))
    here, there = cluster.client("here", "a"), cluster.client("there", "b")
    people = seated(cluster, "a", "b")
    for watcher in (here, there):
        assert watcher.answer(wire.Observe).seats == []
    act(cluster, *people)
    assert there.events() == []

    cluster.settle(31)

    assert there.events() == here.events()
    assert there.all(wire.Acted)
    assert not any(dealt.cards for dealt in there.all(wire.HoleCards))
    cluster.stop()


def test_tables_of_other_nodes_are_listed_as_they_are(cluster):
    """Seats and players, a moment later; a node that joins later lists them, too."""
    anna, _ = seated(cluster, "a", "b")

    cluster.settle(1)

    assert cluster.nodes["b"].lobby.rows() == cluster.nodes["a"].lobby.rows()
    assert cluster.nodes["b"].lobby.rows()[0].occupied == 2
    anna.answer(wire.SitOut)
    cluster.settle(1)
    late = cluster.join("d")
    cluster.settle(1)
    assert late.lobby.rows() == cluster.nodes["a"].lobby.rows()


def test_an_account_that_logs_out_gets_nothing_more(cluster):
    """What was on its way to it does not reach the connection that goes on without it."""
    anna, bert = seated(cluster, "b", "a")
    before = len(anna.got)
    act_turn = cluster.table().game.hand.decision
    actor = anna if act_turn.play.seat_to_act().account == anna.account else bert
    actor.ask(wire.Act, hand_id=act_turn.play.hand_id, seq=act_turn.seqs[-1], action="call")
    anna.node.lobby.table("t1").viewer_gone(anna)

    cluster.settle()

    assert len(anna.got) == before


def test_one_id_for_several_requests_is_answered_as_often(cluster):
    """A client need not choose its ids well."""
    anna = cluster.client("anna", "b")
    door = anna.node.lobby.table("t1")
    for _ in range(3):
        door.request(anna, wire.SitOut(id=7, table="t1"))

    cluster.settle()

    assert [code_of(answer) for answer in anna.answers(7)] == ["not_seated"] * 3


def test_a_client_that_watched_a_table_that_another_node_has_already_is_announced_to_it():
    """The other node announced the table before it was lost here: nothing else would tell it of the viewer."""

    class Said:
        def __init__(self):
            self.all = []

        def to(self, node, message):
            self.all.append((node, message))

    sender, anna = Said(), Client("anna", 1)
    tables = RemoteTables(sender, info=None, refused=lambda _: None)
    tables.moved("t1", "b")
    tables.detached("t1", [anna], [])
    [(node, resumed)] = sender.all
    assert (node, type(resumed), resumed.table) == ("b", ChannelsResumed, "t1")
    assert [(line.account, line.watches) for line in resumed.channels] == [(1, True)]
