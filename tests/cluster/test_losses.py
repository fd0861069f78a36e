"""Messages between nodes that are lost, owners that are: each request is answered once, and gaps heal by a snapshot."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations

import pytest
from twisted.internet.defer import Deferred

from pokerroom.cluster import messages
from pokerroom_protocol import messages as wire
from tests.cluster.support import UNAVAILABLE, Cluster, Person, act, as_observed, code_of
from tests.cluster.test_remote_tables import seated


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster("a", "b", "c")
    yield cluster
    cluster.stop()


def contiguous(person: Person) -> bool:
    """Return whether every event follows the one before it, or a snapshot."""
    last = None
    for message in person.got:
        if isinstance(message, wire.Snapshot):
            last = message.seq
        elif isinstance(message, wire.TableEvent):
            if last is not None and message.seq != last + 1:
                return False
            last = message.seq
    return True


def lose(cluster: Cluster, *kinds: type[messages.BusMessage], sender: str | None = None) -> None:
    """From now on these are lost on the way from `sender`; with none named nothing is."""
    cluster.hub.loses = lambda of, _, message: (
        sender in {None, of} and isinstance(messages.unpacked(message), kinds)
    )


def test_lost_events_heal_by_a_snapshot(cluster):
    """A client that missed events is shown the table unasked, and sees no event out of order."""
    anna, bert = seated(cluster, "b", "a")
    lose(cluster, messages.Deliveries)
    actor = bert if cluster.turn().seat == 2 else anna
    actor.ask(
        wire.Act,
        hand_id=cluster.table().game.play.hand_id(),
        seq=cluster.turn().seq,
        action="call",
    )
    cluster.settle()
    lose(cluster)
    seen = anna.got[-1]

    cluster.hub.notice("a", "b")
    cluster.settle()

    assert anna.last(wire.Snapshot).seq == cluster.table().announcer.seq > seen.seq
    assert anna.last(wire.Snapshot).re is None
    act(cluster, anna, bert)
    assert contiguous(anna)
    assert as_observed(anna.events()[-1]) == as_observed(bert.events()[-1])


def test_a_lost_answer_is_unavailable_and_the_decision_stands(cluster):
    """The act was accepted: said again it gets its ok, and changes nothing."""
    anna, bert = seated(cluster, "b", "b")
    turn = anna.last(wire.Turn)
    actor = next(person for person in (anna, bert) if person.last(wire.Snapshot).your_seat == turn.seat)
    lose(cluster, messages.Deliveries)
    fields = {"hand_id": turn.hand_id, "seq": turn.seq, "action": "call"}
    number = actor.ask(wire.Act, **fields)
    cluster.settle()
    lose(cluster)

    cluster.hub.notice("a", "b")
    cluster.settle()

    assert [code_of(answer) for answer in actor.answers(number)] == [UNAVAILABLE]
    assert isinstance(actor.answer(wire.Act, **fields), wire.Ok)
    assert contiguous(actor)


def test_a_lost_request_is_unavailable(cluster):
    """Its owner notices, and the home node gives up whatever it has not answered."""
    anna, _ = seated(cluster, "b", "a")
    lose(cluster, messages.ChannelRequest)
    number = anna.ask(wire.SitOut)
    cluster.settle()
    lose(cluster)
    assert anna.answers(number) == []

    cluster.hub.notice("b", "a")
    cluster.settle()

    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    assert isinstance(anna.answer(wire.SitOut), wire.Ok)


def test_a_client_whose_first_words_are_lost_is_served_all_the_same(cluster):
    """The line that the owner has never heard of is announced again."""
    anna = cluster.client("anna", "b")
    lose(cluster, messages.ChannelOpened)
    number = anna.ask(wire.Observe)
    cluster.settle()
    lose(cluster)

    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    assert isinstance(anna.answer(wire.Observe), wire.Snapshot)


def test_a_lost_disconnect_is_noticed(cluster):
    """A client that is gone does not stay at the table because the message was lost."""
    anna, bert = seated(cluster, "b", "a")
    lose(cluster, messages.ChannelsClosed)
    anna.lose()
    cluster.settle()
    lose(cluster)
    assert cluster.table().game.seats.held_by(anna.account).connected

    cluster.hub.notice("b", "a")
    cluster.settle()

    assert not bert.last(wire.SeatChanged).connected


def test_a_snapshot_whose_request_was_given_up_comes_unasked(cluster):
    """The buy-in was booked after its request was answered `unavailable`: the player sees the seat,
    under no request.
    """
    anna = cluster.client("anna", "b")
    original, late = cluster.ledger.buy_in, Deferred()

    def held(*args: object) -> Deferred[None]:
        original(*args)
        return late

    cluster.ledger.buy_in = held
    number = anna.ask(wire.SitDown, buy_in=5_000)
    cluster.settle()
    cluster.hub.buses["b"].cut()
    cluster.settle()
    assert [code_of(told_) for told_ in anna.answers(number)] == [UNAVAILABLE]

    late.callback(None)
    cluster.settle()

    snapshot = anna.last(wire.Snapshot)
    assert (snapshot.re, snapshot.your_seat) == (None, 1)
    assert len(anna.answers(number)) == 1
    assert contiguous(anna)
    cluster.ledger.buy_in = original
    assert isinstance(anna.answer(wire.SitOut), wire.Ok)


def test_a_bus_that_was_cut_is_made_up_for(cluster):
    """Each node asks for what it may have missed, and repeats what it may have lost."""
    anna, bert = seated(cluster, "b", "a")
    lose(cluster, messages.BusMessage)
    number = anna.ask(wire.SitOut)
    cluster.settle(1)
    lose(cluster)
    for node in cluster.nodes.values():
        cluster.hub.buses[node.name].cut()

    cluster.settle()

    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    assert anna.last(wire.Snapshot).seq == cluster.table().announcer.seq
    act(cluster, anna, bert)
    assert contiguous(anna)


def do_something(person: Person, dice: random.Random) -> list[int]:
    """Let a player act now, if possible; return the ids of the requests."""
    table = person.cluster.table()
    seat, turn = table.game.seats.held_by(person.account), person.cluster.turn()
    if seat is None:
        return [person.ask(wire.Observe), person.ask(wire.SitDown, buy_in=2_000)]
    if turn is not None and turn.seat == seat.number:
        action = "check" if turn.check else dice.choice(["call", "call", "call", "fold"])
        return [person.ask(wire.Act, hand_id=table.game.play.hand_id(), seq=turn.seq, action=action)]
    return [person.ask(wire.TopUp, amount=2_000)] if seat.stack == 0 else []


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_whatever_is_lost_every_client_is_answered_once_and_no_client_sees_a_gap(cluster, seed):
    """A table played for a while over a bus that loses one batch in five, and at last loses none.

    What goes from node to node in one turn is a batch there.
    """
    dice = random.Random(seed)
    fates: dict[tuple[str, str, float], bool] = {}
    people = [cluster.client(f"p{number}", home) for number, home in enumerate("abcb", 1)]
    asked: list[tuple[Person, int]] = []

    def notice() -> None:
        for sender, to in permutations(cluster.nodes, 2):
            cluster.hub.notice(sender, to)
        cluster.settle()

    cluster.hub.loses = lambda sender, to, _: fates.setdefault(
        (sender, to, cluster.clock.seconds()), dice.random() < 0.2
    )
    for _ in range(150):
        for person in people:
            asked += [(person, number) for number in do_something(person, dice)]
            cluster.settle(0.2)
        notice()
    cluster.hub.loses = lambda *_: False
    notice()
    notice()

    assert len(cluster.settled()) > 3
    assert [len(person.answers(number)) for person, number in asked] == [1] * len(asked)
    for person in people:
        assert contiguous(person)
        assert person.seqs()[-1] == cluster.table().announcer.seq
