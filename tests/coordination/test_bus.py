"""What both buses promise: order, nothing twice, and that no loss goes unnoticed."""

from __future__ import annotations

import msgpack
import pytest
from twisted.internet.task import Clock

import pokerroom.coordination.redis.bus as module
from pokerroom.coordination.redis.bus import RedisBus
from tests.coordination.support import SEALED, is_away, is_listening, later, lose_waiting, turns, until


class Ear:
    """What a node has heard: (sender, message), or the words lost and cut."""

    def __init__(self) -> None:
        self.all: list[object] = []

    def heard(self, sender, message) -> None:
        self.all.append((sender, message))

    def lost(self, sender) -> None:
        self.all.append(("lost", sender))

    def cut(self) -> None:
        self.all.append("cut")

    def calls(self):
        return {"heard": self.heard, "lost": self.lost, "cut": self.cut}


@pytest.fixture
def node(shared, run):
    """Makes nodes: a bus that listens, and its ear."""
    made = []

    def make(name):
        ear = Ear()
        bus = shared.bus(name, **ear.calls())
        made.append(bus)
        run(bus.start())
        return bus, ear

    yield make
    for bus in made:
        run(bus.stop())


def test_messages_come_in_order_to_whom_they_are_sent(node, run):
    """What is said to one and to all arrives in the order of saying; the sender hears nothing of it."""
    (a, ear_a), (_, ear_b), (_, ear_c) = node("a"), node("b"), node("c")
    for number in range(30):
        if number % 5 == 2:
            a.send_all(b"all %d" % number)
        else:
            a.send("b" if number % 2 else "c", b"%d" % number)
        if number % 7 == 6:
            turns(run, 1)
    until(run, lambda: len(ear_b.all) == 6 + 12 and len(ear_c.all) == 6 + 12)

    to_all = {number: b"all %d" % number for number in range(2, 30, 5)}
    for ear, odd in ((ear_b, 1), (ear_c, 0)):
        assert ear.all == [
            ("a", to_all.get(number, b"%d" % number))
            for number in range(30)
            if number in to_all or number % 2 == odd
        ]
    assert ear_a.all == []


def test_nodes_answer_each_other(node, run):
    """Either way works at once, and any bytes go through."""
    (a, ear_a), (b, ear_b) = node("a"), node("b")
    every = bytes(range(256))
    a.send("b", every)
    until(run, lambda: ear_b.all)
    b.send("a", every * 1000)
    until(run, lambda: ear_a.all)

    assert ear_b.all == [("a", every)]
    assert ear_a.all == [("b", every * 1000)]


def test_a_lost_message_is_noticed_before_the_next_one(node, run):
    """The receiver hears that something of this sender is missing, then the message."""
    (a, _), (_, ear_b), (c, _) = node("a"), node("b"), node("c")
    a.send("b", b"1")
    until(run, lambda: ear_b.all)
    a.send("b", b"gone")
    assert len(lose_waiting(a)) == 1
    c.send("b", b"c's")
    until(run, lambda: len(ear_b.all) == 2)
    a.send("b", b"3")
    until(run, lambda: len(ear_b.all) == 4)

    assert ear_b.all == [("a", b"1"), ("c", b"c's"), ("lost", "a"), ("a", b"3")]


@pytest.mark.parametrize("receiver", ["b", None])
def test_a_last_message_that_is_lost_is_noticed_too(node, run, receiver):
    """Nothing comes after it but the beat, which is enough."""
    (a, _), (_, ear_b) = node("a"), node("b")

    def say(message):
        if receiver is None:
            a.send_all(message)
        else:
            a.send(receiver, message)

    say(b"1")
    until(run, lambda: ear_b.all)
    say(b"gone")
    assert len(lose_waiting(a)) == 1
    until(run, lambda: len(ear_b.all) == 2)

    assert ear_b.all == [("a", b"1"), ("lost", "a")]


def test_a_node_that_was_cut_off_knows_it(shared, node, run):
    """`cut` is called when it listens again, and nothing that it missed is called lost on top of that."""
    (a, _), (_, ear_b) = node("a"), node("b")
    a.send("b", b"1")
    until(run, lambda: ear_b.all)

    shared.cut("b")
    a.send("b", b"perhaps missed")
    until(run, lambda: "cut" in ear_b.all)
    a.send("b", b"3")
    until(run, lambda: ("a", b"3") in ear_b.all)

    assert ("lost", "a") not in ear_b.all[ear_b.all.index("cut") :]


def test_a_message_to_no_node_is_no_error(node, run):
    """A node may be gone or not started yet; one that starts with that name later notices the loss."""
    a, ear_a = node("a")
    a.send("later", b"1")
    a.send_all(b"2")
    turns(run)
    _, ear = node("later")
    a.send("later", b"3")
    until(run, lambda: len(ear.all) == 2)

    assert ear_a.all == []
    assert ear.all == [("lost", "a"), ("a", b"3")]


def test_a_stopped_bus_is_silent(node, run):
    """It hears nothing more and sends nothing more."""
    (a, ear_a), (b, ear_b) = node("a"), node("b")
    a.send("b", b"1")
    until(run, lambda: ear_b.all)
    run(a.stop())
    a.send("b", b"2")
    b.send("a", b"3")
    b.send_all(b"4")
    turns(run)

    assert ear_b.all == [("a", b"1")]
    assert ear_a.all == []


# --- over Redis alone -------------------------------------------------------------------------------------------


@pytest.fixture
def at(client, run):
    """Makes nodes at an address, on the time of the reactor or of a test's own."""
    from twisted.internet import reactor

    made = []

    def make(name, url, clock=reactor):
        ear = Ear()
        bus = RedisBus(client(url), clock, node=name, **ear.calls(), **SEALED)
        made.append(bus)
        run(bus.start())
        return bus, ear

    yield make
    for bus in made:
        run(bus.stop())


def calls(run, redis, command):
    """How often a command was sent to the server so far."""
    stats = run(later(lambda: redis.info("commandstats")))
    return stats.get(f"cmdstat_{command}", {"calls": 0})["calls"]


@pytest.mark.services
def test_one_publish_per_receiver_and_turn(services, redis, at, run):
    """All messages of a reactor turn to one node travel together."""
    (a, _), (_, ear_b), (_, ear_c) = (at(name, services.redis_url) for name in "abc")
    before = calls(run, redis, "publish")

    for number in range(50):
        a.send("b" if number % 2 else "c", b"%d" % number)
    until(run, lambda: len(ear_b.all) == len(ear_c.all) == 25)

    assert calls(run, redis, "publish") == before + 2


@pytest.mark.services
def test_a_node_that_has_sent_nothing_publishes_nothing(services, redis, at, run, monkeypatch):
    """Its heartbeats send a PING, and no number to any node."""
    monkeypatch.setattr(module, "BEAT_S", 0.01)
    pings, published = calls(run, redis, "ping"), calls(run, redis, "publish")
    at("a", services.redis_url)
    until(run, lambda: calls(run, redis, "ping") >= pings + 3)

    assert calls(run, redis, "publish") == published


@pytest.mark.services
def test_redis_goes_and_comes_back(server, at, run):
    """Every node is told that it was cut off; nothing that was sent meanwhile comes late, and all works again."""
    (a, ear_a), (b, ear_b) = at("a", server.url), at("b", server.url)
    a.send("b", b"1")
    until(run, lambda: ear_b.all)
    server.kill()
    until(run, lambda: not is_listening(a) and not is_listening(b))
    a.send("b", b"dropped")
    until(run, lambda: is_away(a))
    a.send("b", b"dropped too")
    turns(run)
    server.start()
    until(run, lambda: "cut" in ear_a.all and "cut" in ear_b.all)
    until(run, lambda: not is_away(a))
    a.send("b", b"4")
    b.send("a", b"5")
    until(run, lambda: ("a", b"4") in ear_b.all and ("b", b"5") in ear_a.all)

    assert [said for said in ear_b.all if said[0] == "a"] == [("a", b"1"), ("a", b"4")]
    assert ear_a.all == ["cut", ("b", b"5")]


@pytest.mark.services
def test_what_is_said_is_read_by_no_other_node_and_forged_by_no_node(services, redis, at, run):
    """Batches have cards for one client: operators of Redis cannot read them, and forged ones are ignored."""
    (a, _), (_, ear_b) = at("a", services.redis_url), at("b", services.redis_url)
    onlooker = redis.pubsub()
    run(later(lambda: onlooker.psubscribe("*")))
    a.send("b", b"the ace of spades")
    until(run, lambda: ear_b.all)
    said = []

    async def listen():
        while not said:
            message = await onlooker.get_message(timeout=1)
            if message is not None and message["type"] == "pmessage":
                said.append(message)

    run(later(listen))
    run(later(onlooker.aclose))
    [message] = said
    assert b"ace of spades" not in message["data"]

    forged = msgpack.packb(["c", False, 1, [b"a king"]])
    run(later(lambda: redis.publish(message["channel"], forged)))
    a.send("b", b"goes on")
    until(run, lambda: len(ear_b.all) > 1)
    assert ear_b.all == [("a", b"the ace of spades"), ("a", b"goes on")]


@pytest.mark.services
def test_starting_waits_for_redis(server, client, run):
    """A node that starts while Redis is away is heard and hears once it is back, and has not been cut off."""
    from twisted.internet import reactor

    server.kill()
    ear = Ear()
    bus = RedisBus(client(server.url), reactor, node="a", **ear.calls(), **SEALED)
    started = bus.start()
    turns(run, 20)
    assert not started.called

    server.start()
    run(started)
    run(bus.stop())

    assert ear.all == []


@pytest.mark.services
def test_a_batch_whose_outcome_is_unknown_is_heard_once(server, way, at, run):
    """The sender's connection ends before the reply: the batch is sent again, and its number says that it was heard."""
    (a, _), (_, ear_b) = at("a", way.url), at("b", server.url)
    a.send("b", b"1")
    until(run, lambda: ear_b.all)
    cuts = []
    way.replies = lambda data: bool(cuts) or cuts.append(data)
    a.send("b", b"2")
    until(run, lambda: cuts)
    a.send("b", b"3")
    until(run, lambda: len(ear_b.all) == 3)

    assert ear_b.all == [("a", b"1"), ("a", b"2"), ("a", b"3")]


@pytest.mark.services
def test_a_loss_is_told_however_long_the_sender_was_away(server, way, at, run, monkeypatch):
    """A node that could not send for longer than its heartbeats last still tells its number."""
    monkeypatch.setattr(module, "BEAT_S", 0.01)
    (a, _), (_, ear_b) = at("a", way.url), at("b", server.url)
    a.send("b", b"1")
    until(run, lambda: ear_b.all)
    monkeypatch.setattr(module, "_ANSWER_S_MAX", 0.1)  # private: a limit that is too long to wait for
    way.requests = lambda data: b"PUBLISH" not in data
    a.send("b", b"gone")
    until(run, lambda: len(way.held) > 40)
    assert ear_b.all == [("a", b"1")]
    way.requests = lambda _: True
    until(run, lambda: len(ear_b.all) == 2)

    assert ear_b.all == [("a", b"1"), ("lost", "a")]


@pytest.mark.services
def test_a_connection_that_died_without_a_word_is_found(server, way, at, run):
    """A node that receives nothing, not even a reply to PING, connects again; a reply alone is enough."""
    clock = Clock()
    pings, replies, swallowed = [], [], []
    way.requests = lambda data: not (b"PING" in data and pings.append(data))
    way.replies = lambda data: not (b"pong" in data and replies.append(data))
    (a, _), (_, ear_b) = at("a", server.url), at("b", way.url, clock)
    for beats in range(1, 11):
        clock.advance(module.BEAT_S)
        until(run, lambda beats=beats: len(replies) == beats)
        turns(run)
    assert ear_b.all == []
    assert len(pings) == 10

    way.requests = lambda data: not (b"PING" in data and not swallowed.append(data))

    def cut_after_one_more() -> bool:
        clock.advance(module.BEAT_S)
        return "cut" in ear_b.all

    until(run, cut_after_one_more)
    way.requests = lambda _: True
    a.send("b", b"1")
    until(run, lambda: ("a", b"1") in ear_b.all)

    assert swallowed
    assert ear_b.all.count("cut") == 1
