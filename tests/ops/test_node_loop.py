"""The event loop of a node: what belongs to a turn, and what ends it."""

from __future__ import annotations

import socket
from selectors import DefaultSelector

import pytest

from pokerroom.ops.node_loop import NodeLoop

TURNS_MAX = 50


class Looks(DefaultSelector):
    """Notes how long each look at the sockets may wait."""

    def __init__(self):
        super().__init__()
        self.waits = []

    def select(self, timeout=None):
        self.waits.append(timeout)
        assert len(self.waits) < TURNS_MAX, "the loop does not end"
        assert timeout == 0, "nothing would wake it"
        return super().select(timeout)


@pytest.fixture
def looks():
    return Looks()


@pytest.fixture
def loop(looks):
    made = NodeLoop(looks)
    yield made
    made.close()


def test_what_a_callback_asks_for_is_called_in_its_turn(loop, looks):
    """A reply that reaches its table by a future costs no second look at the sockets."""
    found = loop.create_future()
    found.add_done_callback(lambda _: loop.stop())
    loop.call_soon(found.set_result, None)
    loop.run_forever()
    assert len(looks.waits) == 1


def test_callbacks_without_end_do_not_keep_the_sockets_out(loop):
    """A turn calls what its callbacks have asked for once; then it looks at the sockets again."""
    ours, other = socket.socketpair()
    with ours, other:
        other.sendall(b".")
        loop.add_reader(ours, loop.stop)

        def again():
            loop.call_soon(again)

        again()
        loop.run_forever()
        loop.remove_reader(ours)


def test_the_end_of_a_turn_comes_once_after_all_its_callbacks(loop, looks):
    """What several callbacks have put off to the end is called in its order, behind what they asked for."""
    told = []

    def one(name):
        loop.at_turn_end(lambda: told.append(f"end of {name}"))
        loop.call_soon(told.append, f"asked by {name}")

    loop.call_soon(one, "first")
    loop.call_soon(one, "second")
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert told == ["asked by first", "asked by second", "end of first", "end of second"]
    assert len(looks.waits) == 1


def test_what_the_end_of_a_turn_puts_off_comes_at_the_end_of_the_next(loop, looks):
    """The next turn looks at the sockets, and does not wait for them."""
    told = []

    def at_the_end():
        told.append(len(looks.waits))
        if len(told) < 3:
            loop.at_turn_end(at_the_end)
        else:
            loop.stop()

    loop.at_turn_end(at_the_end)
    loop.run_forever()
    assert told == [1, 2, 3]


def test_a_fault_at_the_end_of_a_turn_is_told_and_the_others_are_called(loop):
    """One connection that cannot be flushed does not silence the others."""
    told = []
    loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
    fault = RuntimeError("planted")

    def fails():
        raise fault

    loop.at_turn_end(fails)
    loop.at_turn_end(loop.stop)
    loop.run_forever()
    assert told == [fault]
