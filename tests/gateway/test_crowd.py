"""The selector that reports of connections without an account a few at a time."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter
from selectors import EVENT_READ, EVENT_WRITE

import pytest

from pokerroom.gateway.crowd import REPORTED_AT_ONCE, CrowdSelector


@pytest.fixture
def selector():
    made = CrowdSelector()
    yield made
    made.close()


@pytest.fixture
def pairs():
    """Makes connected sockets: (ours, the other end)."""
    made = []

    def pair():
        made.append(socket.socketpair())
        return made[-1]

    yield pair
    for one in made:
        for end in one:
            end.close()


def watched(selector, pairs, count, *, crowd):
    """Sockets of ours, in the crowd or not, each with a byte to read."""
    numbers = []
    for _ in range(count):
        ours, other = pairs()
        if crowd:
            selector.enter(ours.fileno())
        selector.register(ours.fileno(), EVENT_READ, f"data of {ours.fileno()}")
        other.sendall(b".")
        numbers.append(ours.fileno())
    return numbers


def ready(selector):
    return [key.fd for key, _ in selector.select(0)]


@pytest.mark.parametrize("crowd", [True, False])
def test_a_descriptor_that_was_closed_is_forgotten_by_a_change(selector, pairs, crowd):
    """As by the selectors of Python: the number may be another socket's by then, and asyncio watches that as new."""
    (number,) = watched(selector, pairs, 1, crowd=crowd)
    kept = os.dup(number)
    os.close(number)
    try:
        with pytest.raises(OSError, match="Bad file descriptor"):
            selector.modify(number, EVENT_WRITE)
        assert number not in selector.get_map()
    finally:
        os.dup2(kept, number)  # the fixture closes it
        os.close(kept)


def test_all_others_are_reported_beside_a_few_of_the_crowd(selector, pairs):
    """However many strangers are ready, no player waits for them."""
    strangers = watched(selector, pairs, 5 * REPORTED_AT_ONCE, crowd=True)
    players = watched(selector, pairs, 3 * REPORTED_AT_ONCE, crowd=False)
    for _ in range(3):
        reported = ready(selector)
        assert set(players) <= set(reported)
        assert len(set(strangers) & set(reported)) == REPORTED_AT_ONCE
        assert len(reported) == len(players) + REPORTED_AT_ONCE


def test_a_busy_stranger_keeps_no_other_out(selector, pairs):
    """All have bytes in every turn: each is reported equally often."""
    strangers = watched(selector, pairs, 4 * REPORTED_AT_ONCE, crowd=True)
    times = Counter(number for _ in range(8) for number in ready(selector))
    assert times == dict.fromkeys(strangers, 2)


def test_a_ready_stranger_ends_the_wait(selector, pairs):
    """The loop sleeps until something happens, in the crowd or elsewhere."""
    (number,) = watched(selector, pairs, 1, crowd=True)
    [(key, events)] = selector.select(None)
    assert (key.fd, key.data, events) == (number, f"data of {number}", EVENT_READ)


def test_one_that_leaves_the_crowd_is_reported_as_all_others(selector, pairs):
    """What is watched stays as it was."""
    strangers = watched(selector, pairs, 3 * REPORTED_AT_ONCE, crowd=True)
    last = strangers[-1]
    selector.modify(last, EVENT_READ | EVENT_WRITE, "changed")
    selector.leave(last)
    for _ in range(2):
        assert (last, "changed", EVENT_READ | EVENT_WRITE) in [
            (key.fd, key.data, events) for key, events in selector.select(0)
        ]
    selector.leave(last)  # again: nothing happens


@pytest.mark.parametrize("crowd", [True, False])
def test_what_is_watched_can_be_looked_up_changed_and_ended(selector, pairs, crowd):
    """As with every selector: the loop asks for the key of a number."""
    (number,) = watched(selector, pairs, 1, crowd=crowd)
    assert selector.get_key(number) is selector.get_map()[number]
    selector.modify(number, EVENT_WRITE, "changed")
    assert [(key.data, events) for key, events in selector.select(0)] == [("changed", EVENT_WRITE)]
    assert selector.unregister(number).data == "changed"
    assert ready(selector) == []
    assert number not in selector.get_map()
    for ask in (selector.get_key, selector.unregister):
        with pytest.raises(KeyError):
            ask(number)


@pytest.mark.parametrize("crowd", [True, False])
def test_the_other_end_that_hangs_up_is_reported(selector, pairs, crowd):
    """As something to read: the read finds the end."""
    ours, other = pairs()
    if crowd:
        selector.enter(ours.fileno())
    selector.register(ours.fileno(), EVENT_READ)
    other.close()
    assert [(key.fd, events) for key, events in selector.select(0)] == [(ours.fileno(), EVENT_READ)]


def test_a_number_that_has_left_the_crowd_may_be_watched_outside_it(selector, pairs):
    """Numbers of descriptors are used again: the next one may be a player's."""
    strangers = watched(selector, pairs, 3 * REPORTED_AT_ONCE, crowd=True)
    for number in strangers[1:]:
        selector.unregister(number)
        selector.leave(number)
        selector.register(number, EVENT_READ)
    assert set(ready(selector)) == set(strangers)


def test_a_closed_socket_of_which_another_process_has_a_copy_is_forgotten(selector, pairs):
    """The system reports of it as long as the copy is open; the loop hears nothing."""
    ours, other = pairs()
    number = ours.fileno()
    selector.enter(number)
    selector.register(number, EVENT_READ)
    other.sendall(b".")
    with ours.dup():
        ours.close()
        selector.unregister(number)
        selector.leave(number)
        assert ready(selector) == []


def test_a_closed_socket_is_forgotten(selector, pairs):
    """It may be closed before it is unregistered, and its number belongs to another one then."""
    ours, other = pairs()
    number = ours.fileno()
    selector.enter(number)
    selector.register(number, EVENT_READ)
    ours.close()
    selector.unregister(number)
    selector.leave(number)
    other.close()
    ours, other = pairs()
    selector.register(ours.fileno(), EVENT_READ)
    other.sendall(b".")
    assert ready(selector) == [ours.fileno()]


def test_a_loop_runs_on_it():
    """Clients of the crowd and others are served beside each other."""

    async def main(selector):
        async def echo(reader, writer):
            writer.write(await reader.readexactly(5))
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]

        async def client(number):
            own = socket.socket()
            own.setblocking(False)
            if number % 2:
                selector.enter(own.fileno())
            await asyncio.get_running_loop().sock_connect(own, ("127.0.0.1", port))
            reader, writer = await asyncio.open_connection(sock=own)
            writer.write(b"%5d" % number)
            answer = await reader.read()
            selector.leave(own.fileno())
            writer.close()
            return int(answer)

        answers = await asyncio.gather(*(client(number) for number in range(4 * REPORTED_AT_ONCE)))
        assert answers == list(range(4 * REPORTED_AT_ONCE))
        server.close()
        await server.wait_closed()

    made = CrowdSelector()
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(made)) as runner:
        runner.run(main(made))
