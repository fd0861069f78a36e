"""Tables that go from node to node, given or lost: clients stay where they are, and see it go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pokerroom_protocol import messages as wire
from tests.cluster.support import UNAVAILABLE, Cluster, act, as_observed, code_of
from tests.cluster.test_losses import contiguous
from tests.cluster.test_remote_tables import seated
from tests.poker.support import SETTINGS


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster("a", "b", "c")
    yield cluster
    cluster.stop()


def seen(person) -> list[object]:
    return [type(message) for message in person.got]


@pytest.mark.parametrize("to", ["b", "c"])
def test_whoever_watches_is_shown_the_table_at_its_next_owner(cluster, to):
    """Unasked, at every node; the seat counts as taken up again, and the hand goes on with a full clock."""
    people = seated(cluster, "a", "b", "c")
    watcher = cluster.client("dora", "b")
    watcher.answer(wire.Observe)
    hand_id, clients = cluster.table().game.play.hand_id(), [*people, watcher]
    assert hand_id is not None
    for person in clients:
        person.got.clear()

    cluster.move("t1", to)

    for person in clients:
        snapshot = person.last(wire.Snapshot)
        assert (snapshot.re, snapshot.hand.hand_id) == (None, hand_id)
        assert wire.Error not in seen(person)
        assert contiguous(person)
    assert all(seat.connected for seat in cluster.table().game.seats.seats)
    assert {viewer.account for viewer in cluster.table().outbox.viewers()} == {one.account for one in clients}
    while cluster.table().game.play.hand_id() == hand_id:
        act(cluster, *people)
    assert next(event.hand_id for event in watcher.events() if isinstance(event, wire.HandEnded)) == hand_id
    assert all(contiguous(person) for person in clients)
    for node in cluster.nodes.values():
        assert len(node.room_bus._tables._channels) == sum(  # private: no other trace of a channel that leaks
            1 for person in clients if person.node is node and node.name != to
        )


def test_a_table_that_no_node_has_is_unavailable(cluster):
    """Until a node takes it; then clients that watched it see it again."""
    anna, bert = seated(cluster, "b", "a")
    cluster.kill("a")
    number = anna.ask(wire.SitOut)  # no node knows yet
    cluster.settle()
    assert anna.answers(number) == []
    cluster.tell_living()
    cluster.settle()

    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    assert code_of(anna.answer(wire.SitOut)) == UNAVAILABLE
    assert anna.node.lobby.rows()[0].table == "t1"

    cluster.own("t1", "c")
    cluster.tell_placed()
    cluster.settle()
    assert anna.last(wire.Snapshot).your_seat == 1
    assert isinstance(anna.answer(wire.SitOut), wire.Ok)
    again = bert.back("b")
    assert again.answer(wire.Observe).your_seat == 2


def test_the_new_owner_may_come_before_or_after_the_word_of_it(cluster):
    """In either order: the new owner waits for viewers, or viewers for the new owner."""
    anna, bert = seated(cluster, "b", "c")
    lost = cluster.nodes["a"].drop("t1")
    assert lost is not None
    cluster.owners["t1"] = "c"
    cluster.tell_placed()
    number = anna.ask(wire.SitOut)
    cluster.settle()
    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    anna.got.clear()

    cluster.own("t1", "c")
    cluster.settle()

    assert anna.all(wire.Snapshot)
    assert bert.all(wire.Snapshot)[-1].re is None
    assert isinstance(anna.answer(wire.SitOut), wire.Ok)


def test_an_owner_says_so_itself(cluster):
    """No player waits for the directory: clients are at the next owner as soon as it has the table."""
    anna, bert = seated(cluster, "b", "c")
    cluster.nodes["a"].drop("t1")
    cluster.own("t1", "c")
    cluster.settle(0.01)

    assert anna.last(wire.Snapshot).re is None
    act(cluster, anna, bert)
    cluster.nodes["b"].room_bus.placed({"t1": "a"})  # what the directory said a moment before
    act(cluster, anna, bert)
    cluster.tell_placed()
    act(cluster, anna, bert)
    cluster.nodes["b"].room_bus.placed({})
    assert code_of(anna.answer(wire.SitOut)) == UNAVAILABLE


def test_a_late_word_of_the_old_owner_finds_no_client(cluster):
    """It was on its way when every node learned that the table has another owner."""
    anna, bert = seated(cluster, "b", "c")
    turn = anna.last(wire.Turn)
    actor = anna if anna.last(wire.Snapshot).your_seat == turn.seat else bert
    cluster.nodes["b"].room_bus.placed({})
    cluster.nodes["c"].room_bus.placed({})
    held = len(actor.got)
    cluster.table().request(
        next(viewer for viewer in cluster.table().outbox.viewers() if viewer.account == actor.account),
        wire.Act(id=99, table="t1", hand_id=turn.hand_id, seq=turn.seq, action="call"),
    )
    cluster.settle()

    assert len(actor.got) == held


def test_a_request_is_answered_once_when_its_table_is_lost_here(cluster):
    """What waited for the journal is not answered by the table any more: its clients here hear `unavailable`."""
    anna, bert = seated(cluster, "a", "b")
    turn = anna.last(wire.Turn)
    actor = anna if anna.last(wire.Snapshot).your_seat == turn.seat else bert
    cluster.journals["t1"].hold = True
    number = actor.ask(wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")
    cluster.settle()
    assert actor.answers(number) == []

    cluster.nodes["a"].drop("t1")
    cluster.settle()

    assert [code_of(answer) for answer in actor.answers(number)] == [UNAVAILABLE]
    cluster.journals["t1"].hold = False


def test_a_table_that_comes_back_to_its_owner_shows_itself_again(cluster):
    """Lost and taken again before another node has noticed: its viewers are not left without a table."""
    anna, bert = seated(cluster, "b", "a")
    cluster.nodes["a"].drop("t1")
    number = anna.ask(wire.SitOut)
    cluster.settle()
    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    cluster.own("t1", "a")
    cluster.settle()

    assert anna.last(wire.Snapshot).re is bert.last(wire.Snapshot).re is None
    act(cluster, anna, bert)
    assert as_observed(anna.events()[-1]) == as_observed(bert.events()[-1])
    assert contiguous(anna)
    assert contiguous(bert)


def test_a_client_that_left_meanwhile_is_not_announced(cluster):
    """A connection that ends while the table has no owner is gone for the next owner."""
    anna, _ = seated(cluster, "b", "c")
    cluster.nodes["a"].drop("t1")
    cluster.owners.clear()
    cluster.tell_placed()
    anna.lose()

    cluster.own("t1", "c")
    cluster.tell_placed()
    cluster.settle()

    assert not cluster.table().game.seats.held_by(anna.account).connected


def test_a_delayed_table_is_late_at_its_next_owner_as_well():
    """Observers begin with an empty table there, as after a start; players are shown the present."""
    cluster = Cluster("a", "b", settings=(replace(SETTINGS, observer_delay_s=30),))
    people = seated(cluster, "a", "b")
    watcher = cluster.client("dora", "a")
    watcher.answer(wire.Observe)
    cluster.settle(31)

    cluster.move("t1", "b")

    assert watcher.last(wire.Snapshot).seats == []
    assert all(len(person.last(wire.Snapshot).seats) == 2 for person in people)
    cluster.settle(31)
    assert len(watcher.last(wire.Snapshot).seats) == 2
    assert not any(seat.cards for seat in watcher.last(wire.Snapshot).seats)
    cluster.stop()


def test_h2_a_use_of_the_clocks_protection_counts_at_every_node_and_once(cluster):
    """Also when the hand in which it happened is played on elsewhere."""
    people = seated(cluster, "a", "b", "c")
    act(cluster, *people, action="fold")
    act(cluster, *people)  # the button has nothing in
    hand = cluster.table().game.play.hand_id()
    actor = cluster.table().game.seats.seats[cluster.turn().seat].account
    cluster.settle(31)
    play = cluster.table().game.hand.play
    assert play is not None
    assert play.hand_id == hand
    assert [node.timeouts.today(actor) for node in cluster.nodes.values()] == [1, 1, 1]

    cluster.move("t1", "c")

    assert [node.timeouts.today(actor) for node in cluster.nodes.values()] == [1, 1, 1]
    assert [use for node in cluster.nodes.values() for use in node.uses] == ["a"]
