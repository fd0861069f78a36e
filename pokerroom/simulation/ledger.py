"""The ledger of a simulated process: a memory ledger that outlives it, behind a way that takes time and can fail.

Every call reaches the store after some time and is answered after some more. It can fail on the way there (nothing has
happened) and on the way back (it has, and the caller does not know). What has changed the store is told to the referee.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.shared_reads import SharedReads
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.clock import ProcessClock
from pokerroom.simulation.faults import Dice, Fault
from pokerroom.simulation.faulty_dependencies import opened_settlement
from pokerroom.simulation.streams import Stream

_MOVES_WALLET = {
    "ask_wallet_debit",
    "end_wallet_debit",
    "undo_late_wallet_debits",
    "queue_wallet_credits",
}


class FaultyLedger:
    """See the module; every method of `MemoryLedger`, by name.

    `wallet_moved` is called after each hand, and when something has moved to or from the operator's wallet.
    """

    def __init__(
        self,
        store: MemoryLedger,
        clock: ProcessClock,
        *,
        dice: Dice,
        stream: Stream,
        referee: Referee,
        wallet_moved: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._dice = dice
        self._stream = stream
        self._referee = referee
        self._wallet_moved = wallet_moved
        self._away_until_s = 0.0

    def __getattr__(self, name: str) -> Callable[..., Deferred[Any]]:
        method = getattr(self._store, name)

        def ask(*args: Any, **named: Any) -> Deferred[Any]:
            call = partial(method, **named) if named else method
            answer: Deferred[Any] = Deferred()
            self._clock.callLater(self._stream.uniform(0.0005, 0.01), self._reach, name, call, args, answer)
            return answer

        # as the ledger in PostgreSQL shares them
        found = SharedReads(ask).ask if name == "tournament" else ask
        self.__dict__[name] = found
        return found

    def _reach(
        self, name: str, method: Callable[..., Deferred[Any]], args: Any, answer: Deferred[Any]
    ) -> None:
        now = self._clock.seconds()
        form = ""
        if now < self._away_until_s:
            form = "before"
        elif self._dice.strikes_room(Fault.LEDGER, 60):
            form = self._dice.one_of(Fault.LEDGER, "before", "after", "after", "away")
        if form == "away":
            self._away_until_s = now + self._dice.number(Fault.LEDGER, 0.2, 20.0)
        if form:
            self._referee.outage(max(now, self._away_until_s) + 5.0)  # the room tries again within 2 s
        if form in {"before", "away"}:
            unavailable = Failure(LedgerUnavailable("injected: nothing has happened"))
            self._clock.callLater(self._stream.uniform(0.0, 0.5), self._answer, answer, unavailable)
            return
        results: list[Any] = []
        method(*args).addBoth(results.append)
        result = results[0]
        if not isinstance(result, Failure):
            if name == "create_account":
                self._referee.account_opened(result.account, args[2])
            if name == "settle":
                args = ([opened_settlement(settlement) for settlement in args[0]],)
            self._booked(name, args, result)
        if form == "after":
            result = Failure(LedgerUnavailable("injected: the outcome is unknown"))
        self._clock.callLater(self._stream.uniform(0.0002, 0.006), self._answer, answer, result)

    def _booked(self, name: str, args: Any, result: Any) -> None:
        self._referee.booked(name, args, result)
        if name == "settle" or (result and name in _MOVES_WALLET):
            self._wallet_moved()

    def _answer(self, answer: Deferred[Any], result: object) -> None:
        if isinstance(result, Failure):
            answer.errback(result)
        else:
            answer.callback(result)


def answer_of(deferred: Deferred[Any]) -> Any:
    """The result of a Deferred of the memory ledger, which has fired."""
    results: list[Any] = []
    deferred.addCallback(results.append)
    return results[0]
