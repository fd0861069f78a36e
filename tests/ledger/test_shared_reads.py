"""`pokerroom.ledger.shared_reads`: one reading for many, and each as fresh as one of its own."""

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ledger.shared_reads import SharedReads
from tests.poker.support import now


@pytest.fixture
def reads():
    """The readings that have begun, with their keys, and what shares them."""
    begun = []

    def read(key):
        begun.append((key, Deferred()))
        return begun[-1][1]

    return begun, SharedReads(read)


def test_those_that_ask_during_a_reading_share_the_next_one(reads):
    """The one in progress may have begun before what they want to know."""
    begun, shared = reads
    first = shared.ask("a")
    second, third, other = shared.ask("a"), shared.ask("a"), shared.ask("b")
    assert [key for key, _ in begun] == ["a", "b"]
    begun[0][1].callback(1)
    assert now(first) == 1
    assert (second.called, third.called) == (False, False)
    assert [key for key, _ in begun] == ["a", "b", "a"]
    begun[2][1].callback(2)
    assert (now(second), now(third)) == (2, 2)
    begun[1][1].callback(3)
    assert now(other) == 3
    last = shared.ask("a")
    assert len(begun) == 4
    begun[3][1].callback(4)
    assert now(last) == 4


def test_a_failure_is_that_of_its_reading_alone(reads):
    """Those that share it fail, and a caller that has given up keeps no other from its answer."""
    begun, shared = reads
    first, gone, second = shared.ask("a"), shared.ask("a"), shared.ask("a")
    gone.addErrback(lambda _: None)
    gone.cancel()
    begun[0][1].errback(LookupError("none"))
    with pytest.raises(LookupError, match="none"):
        now(first)
    begun[1][1].callback(2)
    assert now(second) == 2
