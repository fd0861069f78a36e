"""The operator's wallet in some of the runs: a server that outlives the processes of the room, and its faults.

`OuterWallet` is the server. It follows `deploy/operations/wallet.md` and shares no code with the room. A process has
the room's own client, queue and funded ledger on it (`ProcessWallet`); only HTTP is left out. What is on its way to the
server arrives also if the process dies meanwhile. `OperatorWalletChecker` hears of each movement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from twisted.internet.defer import Deferred

from pokerroom.ledger.operator_wallet import OperatorWalletQueue
from pokerroom.ledger.whole import WholeLedger
from pokerroom.operator_wallet.client import WalletClient
from pokerroom.operator_wallet.funding import LIMIT_S, WalletFunding, funded_ledger
from pokerroom.operator_wallet.queue import EVERY_S, FREE_S, LOOK_S, WalletQueue
from pokerroom.ops.observer import Observer
from pokerroom.ops.periodic_task import PeriodicTask
from pokerroom.simulation.clock import ProcessClock, VirtualClock
from pokerroom.simulation.faults import Dice, Fault
from pokerroom.simulation.streams import SeededBytes, Stream
from pokerroom.webhooks.post import Undelivered

RUNS_WALLETS = 0.2
"""In so many of the runs, of games that may have one, the operator has a wallet."""

LINKED = 0.6
"""So many of the accounts are linked there. The others hold their money in the room."""

ONE_IN: Final = 7
"""A call meets a fault once in so many."""

TIMEOUT_S: Final = 3.0
"""As `wallet.timeout_s` of the settings."""

AWAY_S: Final = 30.0
"""The longest time for which the server is away at a time."""

LATE_S: Final = 60.0
"""A call that comes too late comes within this."""

RETURNS_S: Final = LIMIT_S + FREE_S
"""What is not used is at the server again within this, once nothing fails: also a debit of a node that has died."""

_AWAY: Final = ("away", "away behind it")
"""The server is away for a while: before it gets the call, or once it has carried it out."""

FORMS: Final = (
    "lost",
    "unanswered",
    "late",
    "late",
    "twice",
    "slow",
    "error",
    "page",
    "refuse",
    *_AWAY,
    *_AWAY,
)

Moved = Callable[[str, str, str, int], None]
"""Hears that the server has moved money: the id that moves it, the kind, the player and the amount."""


class OuterWallet:
    """Balances of players, and the answer to each id. `moved` hears of every movement."""

    def __init__(self, clock: VirtualClock, dice: Dice, stream: Stream, moved: Moved) -> None:
        self._clock = clock
        self._dice = dice
        self._stream = stream
        self._moved = moved
        self._balances: dict[str, int] = {}
        self._answers: dict[str, dict[str, Any]] = {}
        self._undone: set[str] = set()
        self._away_until_s = 0.0

    def has(self, player: str, amount: int) -> None:
        """The player has so much at the server, before anything is asked."""
        self._balances[player] = amount

    def exchange(self, clock: ProcessClock, body: bytes) -> Deferred[tuple[int, bytes]]:
        """Send a call; the answer comes on the clock of the process. Fails with `Undelivered`."""
        answer: Deferred[tuple[int, bytes]] = Deferred()
        sent_s = self._stream.uniform(0.01, 0.2)
        if not self._dice.quiet and clock.seconds() < self._away_until_s:
            clock.callLater(sent_s, self._tell, answer, None)
            return answer
        form = self._dice.one_of(Fault.WALLET, *FORMS) if self._dice.strikes(Fault.WALLET, ONE_IN) else ""
        if form in _AWAY:
            self._away_until_s = clock.seconds() + self._dice.number(Fault.WALLET, 1, AWAY_S)
        call = json.loads(body)
        if form in {"lost", "away"}:
            clock.callLater(TIMEOUT_S, self._tell, answer, None)
        elif form in {"unanswered", "late", "away behind it"}:
            late_s = self._dice.number(Fault.WALLET, TIMEOUT_S, LATE_S) if form == "late" else sent_s
            self._clock.callLater(late_s, self._carried_out, call, form)
            clock.callLater(TIMEOUT_S, self._tell, answer, None)
        else:
            self._clock.callLater(sent_s, self._arrives, clock, call, form, answer)
        return answer

    def _arrives(
        self, clock: ProcessClock, call: Mapping[str, Any], form: str, answer: Deferred[tuple[int, bytes]]
    ) -> None:
        back_s = self._stream.uniform(0.01, 0.2)
        if form == "slow":
            back_s = self._dice.number(Fault.WALLET, 0.5, TIMEOUT_S - 0.5)
        if form in {"error", "page"}:
            told = (500, b"oops") if form == "error" else (200, b"<html>maintenance</html>")
        else:
            if form == "twice":
                self._carried_out(call, form)
            told = (200, json.dumps(self._carried_out(call, form)).encode())
        clock.callLater(back_s, self._tell, answer, told)

    @staticmethod
    def _tell(answer: Deferred[tuple[int, bytes]], told: tuple[int, bytes] | None) -> None:
        if answer.called:
            return  # the process has given the call up
        if told is None:
            answer.errback(Undelivered("no answer"))
        else:
            answer.callback(told)

    # --- the book -----------------------------------------------------------------------------------------------------

    def _carried_out(self, call: Mapping[str, Any], form: str) -> dict[str, Any]:
        """Carry a call out, once for each id; the same answer again for the same id."""
        name, kind, data = call["id"], call["type"], call["data"]
        if name not in self._answers:
            answer = self._done(name, kind, data, refuses=form == "refuse")
            if kind == "wallet.balance" or (kind != "wallet.debit" and answer["result"] == "refused"):
                return {"id": name, **answer, "balance": self._balances.get(data["player"], 0)}
            self._answers[name] = answer
        return {"id": name, **self._answers[name], "balance": self._balances.get(data["player"], 0)}

    def _done(self, name: str, kind: str, data: Mapping[str, Any], *, refuses: bool) -> dict[str, Any]:
        player, amount = data["player"], data.get("amount", 0)
        if player not in self._balances:
            return {"result": "refused", "reason": "unknown_player"}
        if refuses:
            return {"result": "refused", "reason": "not_now"}
        match kind:
            case "wallet.debit" if name in self._undone:  # its rollback came first
                return {"result": "refused", "reason": "rolled_back"}
            case "wallet.debit" if self._balances[player] < amount:
                return {"result": "refused", "reason": "insufficient_funds"}
            case "wallet.debit":
                self._move(name, "debit", player, -amount)
            case "wallet.credit":
                self._move(name, "credit", player, amount)
            case "wallet.rollback":
                debit = data["debit"]
                if self._answers.get(debit, {}).get("result") == "done" and debit not in self._undone:
                    self._move(debit, "rollback", player, amount)
                self._undone.add(debit)
            case _:
                pass
        return {"result": "done"}

    def _move(self, name: str, kind: str, player: str, amount: int) -> None:
        self._balances[player] += amount
        self._moved(name, kind, player, amount)


class ProcessWallet:
    """The room's own parts of a wallet, in one process. `leads`: whether this process sends what waits."""

    def __init__(
        self,
        outer: OuterWallet,
        ledger: Any,
        clock: ProcessClock,
        random_bytes: SeededBytes,
        *,
        leads: Callable[[], bool],
    ) -> None:
        observer = Observer()
        client = WalletClient(
            "https://wallet.example/",
            bytes(24),
            lambda _url, _headers, body: outer.exchange(clock, body),
            currency="EUR",
            room="simulation",
            now_ms=lambda: int(clock.seconds() * 1000),
        )
        queued = cast("OperatorWalletQueue", ledger)
        self._queue = WalletQueue(queued, client, sends=leads, observer=observer)
        funding = WalletFunding(queued, client, clock, observer, random_bytes)
        self.ledger = funded_ledger(cast("WholeLedger", ledger), funding)
        self._tasks = [
            PeriodicTask(clock, EVERY_S, self._queue.run),
            PeriodicTask(clock, LOOK_S, self._queue.look),
        ]
        for task in self._tasks:
            task.start()

    def stop(self) -> Deferred[None]:
        """Send no more."""
        for task in self._tasks:
            task.stop()
        return self._queue.stop()
