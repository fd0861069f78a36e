"""`pokerroom.ledger.retry`: an operation is repeated until its outcome is known."""

import pytest
from twisted.internet.defer import fail, succeed
from twisted.internet.task import Clock

from pokerroom.ledger.api import InsufficientBalance, LedgerUnavailable
from pokerroom.ledger.retry import until_known


class Attempts:
    """An operation with given outcomes; counts the attempts."""

    def __init__(self, *outcomes):
        self.outcomes, self.made = list(outcomes), 0

    def __call__(self):
        self.made += 1
        outcome = self.outcomes.pop(0)
        return fail(outcome) if isinstance(outcome, Exception) else succeed(outcome)


def test_an_outcome_that_is_known_at_once_is_not_repeated():
    """The result is there, and no timer runs."""
    clock = Clock()
    attempts = Attempts(7)
    assert until_known(clock, attempts).result == 7
    assert (attempts.made, clock.getDelayedCalls()) == (1, [])


def test_an_unknown_outcome_is_repeated_with_growing_delays():
    """From a tenth of a second, doubled up to two seconds, for as long as the ledger is unavailable."""
    clock = Clock()
    attempts = Attempts(*[LedgerUnavailable("away")] * 7, 7)
    result = until_known(clock, attempts)
    delays = []
    while waiting := clock.getDelayedCalls():
        delays.append(waiting[0].getTime() - clock.seconds())
        clock.advance(delays[-1])
    assert delays == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0])
    assert (result.result, attempts.made) == (7, 8)


def test_a_refusal_is_the_outcome():
    """Also after a retry: it is passed on and not repeated."""
    clock = Clock()
    attempts = Attempts(LedgerUnavailable("away"), InsufficientBalance("too little"))
    result = until_known(clock, attempts)
    clock.pump([0.1, 0.1])
    with pytest.raises(InsufficientBalance):
        result.result.raiseException()
    result.addErrback(lambda _: None)
    assert (attempts.made, clock.getDelayedCalls()) == (2, [])
