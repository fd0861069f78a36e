"""Requests of a table to the ledger: repeated until the outcome is known, which comes back as a message of the mailbox.

Counts the unanswered ones: a restart of the table, its closing and the drain of the room wait for them. Does not know
what is requested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar, Unpack

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.ledger.api import Facts, LedgerRefusal, NotOwner
from pokerroom.ledger.retry import until_known
from pokerroom.table.mailbox import Mailbox
from pokerroom_protocol.errors import Code

T = TypeVar("T")


class RefusalCallback(Protocol):
    """Called when the ledger refuses, with the code and further fields of the protocol's `error`."""

    def __call__(self, code: Code, **facts: Unpack[Facts]) -> None:
        """Go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAnswers:
    """Callbacks for answers of the ledger, beside those of the part that has asked."""

    lost_ownership: Callable[[], None]
    """The ledger has refused, as the table has another owner."""
    answered: Callable[[], None]
    """Called behind each answer, unless the table has another owner by then."""


class LedgerRequests:
    """The requests of one table."""

    def __init__(self, clock: IReactorTime, mailbox: Mailbox, answers: LedgerAnswers) -> None:
        self._clock = clock
        self._mailbox = mailbox
        self._answers = answers
        self._unanswered = 0
        self.asked = 0
        """Requests so far, answered or not."""
        self._incarnation = 0

    def waits(self) -> bool:
        """Return whether the ledger still owes an answer."""
        return self._unanswered > 0

    def abandon(self) -> None:
        """The game is broken off: answers to requests so far are late, and change nothing here any more."""
        self._incarnation += 1

    def ask(
        self,
        attempt: Callable[[], Deferred[T]],
        *,
        done: Callable[[T], None],
        refused: RefusalCallback,
        late: Callable[[T], None],
    ) -> None:
        """Ask until the outcome is known, then go on inside the mailbox: `late` if the game was broken off since."""
        incarnation = self._incarnation

        def known(result: T) -> None:
            (done if self._incarnation == incarnation else late)(result)

        def failed(failure: Failure) -> None:
            if isinstance(failure.value, NotOwner):
                self._answers.lost_ownership()
                return
            if not isinstance(failure.value, LedgerRefusal):
                failure.raiseException()
            refused(Code(failure.value.code), **failure.value.facts)

        self._unanswered += 1
        self.asked += 1
        post = self._mailbox.post
        until_known(self._clock, attempt).addCallbacks(
            lambda result: post(self._answered, partial(known, result)),
            lambda failure: post(self._answered, partial(failed, failure)),
        )

    def _answered(self, then: Callable[[], None]) -> None:
        self._unanswered -= 1
        then()
        self._answers.answered()


def fault_of_ours(code: Code, **_: Unpack[Facts]) -> None:
    """For `refused`, where the ledger has no reason to refuse what is asked. Raises AssertionError."""
    raise AssertionError(f"the ledger refuses what it cannot: {code}")
