"""How messages are packed and counted, whatever they travel on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.coordination.batches import IncomingBatches, OutgoingBatches


class Listener:
    """A node that notes what it hears."""

    def __init__(self, node: str) -> None:
        self.node = node
        self.heard: list[object] = []
        self.incoming = IncomingBatches(
            node, lambda sender, message: self.heard.append((sender, message)), self.heard.append
        )

    def take(self, batches) -> None:
        for receiver, batch in batches:
            if receiver in {None, self.node}:
                self.incoming.receive(batch)


def test_messages_to_one_receiver_go_in_one_batch():
    """One batch per receiver, with all that was put since the last ones were taken."""
    outgoing = OutgoingBatches("a")
    for receiver, message in (("b", b"1"), ("c", b"x"), ("b", b"2"), ("c", b"y")):
        outgoing.put(receiver, message)
    b, c = Listener("b"), Listener("c")
    batches = outgoing.batches()
    for listener in (b, c):
        listener.take(batches)

    assert len(batches) == 2
    assert b.heard == [("a", b"1"), ("a", b"2")]
    assert c.heard == [("a", b"x"), ("a", b"y")]
    assert outgoing.batches() == []


@given(sent=st.lists(st.sampled_from(["b", "c", None])), taken=st.sets(st.integers(0, 20)))
def test_every_receiver_hears_everything_in_order(sent, taken):
    """Messages to one node and to all arrive in the order in which they were sent."""
    outgoing = OutgoingBatches("a")
    listeners = [Listener("b"), Listener("c")]
    batches = []
    for number, receiver in enumerate(sent):
        outgoing.put(receiver, b"%d" % number)
        if number in taken:
            batches += outgoing.batches() + outgoing.beats()
    batches += outgoing.batches()
    for listener in listeners:
        listener.take(batches)
        assert listener.heard == [
            ("a", b"%d" % number) for number, receiver in enumerate(sent) if receiver in {None, listener.node}
        ]


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["heard", "twice", "missed"])), max_size=20))
def test_what_is_missing_is_noticed_and_what_comes_twice_is_heard_once(batches):
    """`lost` is called before the first message after a gap, also when only a beat follows; nothing is repeated."""
    outgoing, listener = OutgoingBatches("a"), Listener("b")
    expected: list[object] = []
    number, gap = 0, False
    for size, fate in batches:
        messages = [b"%d" % (number + step) for step in range(size)]
        number += size
        for message in messages:
            outgoing.put("b", message)
        batch = outgoing.batches()
        if fate == "missed":
            gap = True
            continue
        listener.take(batch * (2 if fate == "twice" else 1))
        expected += (["a"] if gap else []) + [("a", message) for message in messages]
        gap = False
    listener.take(outgoing.beats() * 2)

    assert listener.heard == expected + (["a"] if gap else [])


def test_a_receiver_that_comes_later_has_missed_nothing_that_was_said_to_all():
    """The first number of what is said to all is where a listener begins; later gaps are noticed."""
    outgoing, listener = OutgoingBatches("a"), Listener("b")
    for number in range(5):
        outgoing.put(None, b"%d" % number)
        batch = outgoing.batches()
        if number in {2, 4}:
            listener.take(batch)

    assert listener.heard == [("a", b"2"), "a", ("a", b"4")]


def test_a_first_message_that_is_missing_is_noticed():
    """What is said to one node is counted from 1, so that a gap shows from the beginning."""
    outgoing, listener = OutgoingBatches("a"), Listener("b")
    outgoing.put("b", b"1")
    outgoing.batches()
    outgoing.put("b", b"2")
    listener.take(outgoing.batches())

    assert listener.heard == ["a", ("a", b"2")]


def test_after_a_cut_nothing_counts_as_lost_again():
    """After a cut the next number is accepted, and gaps after it are noticed."""
    outgoing, listener = OutgoingBatches("a"), Listener("b")
    for number in range(4):
        outgoing.put("b", b"%d" % number)
        batch = outgoing.batches()
        if number == 1:
            listener.incoming.cut()
        if number != 1:
            listener.take(batch)
    outgoing.put("b", b"4")
    outgoing.batches()
    listener.take(outgoing.beats())

    assert listener.heard == [("a", b"0"), ("a", b"2"), ("a", b"3"), "a"]


def test_beats_end_some_time_after_the_last_message():
    """Nodes that are gone are not told for ever; after an outage all are told again."""
    outgoing = OutgoingBatches("a")
    assert outgoing.beats() == []
    for receiver in ("b", None):
        outgoing.put(receiver, b"1")
    outgoing.batches()
    beats = 0
    while outgoing.beats():
        beats += 1

    assert beats == 30
    outgoing.again()
    assert [receiver for receiver, _ in outgoing.beats()] == ["b", None]


def test_one_hears_nothing_of_oneself():
    """The sender ignores its own messages to all."""
    outgoing, listener = OutgoingBatches("a"), Listener("a")
    outgoing.put(None, b"1")
    listener.take(outgoing.batches())

    assert listener.heard == []


@pytest.mark.parametrize("faulty", ["heard", "lost"])
def test_a_fault_of_a_receiver_that_hears_does_not_stop_the_next_message(faulty):
    """What a listener raises is a fault of its own; the messages after it are heard."""
    heard = []

    def raising(*args):
        heard.append(args)
        if len(heard) == 1:
            raise RuntimeError(faulty)

    incoming = IncomingBatches("b", raising, raising)
    outgoing = OutgoingBatches("a")
    if faulty == "lost":
        outgoing.put("b", b"0")
        outgoing.batches()
    for number in (1, 2):
        outgoing.put("b", b"%d" % number)
    for _, batch in outgoing.batches():
        incoming.receive(batch)

    assert heard[-2:] == [("a", b"1"), ("a", b"2")]
