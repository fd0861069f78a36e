"""Check that a player who comes back to a table in time brings what they took from it, and that others need not.

Knows what the ledger has paid out, and when. A smaller buy-in within the table's time must be refused with the amount
to bring; that amount is allowed above the table's maximum, and no other is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pokerroom.simulation.checks.checker import CheckContext, Checker, Sitting
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

ASKED_S = 60.0
"""The ledger was asked for the amount at most so long before the buy-in is booked or refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Departure:
    amount: int
    at_s: float


class RatHoleChecker(Checker):
    """All cash tables."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
        self._departures: dict[Sitting, _Departure] = {}
        """The last one."""

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has moved money."""
        if name == "cash_out":
            _, table, _, account = args
            self._departures[table, account] = _Departure(amount=int(result), at_s=self._seconds())
            return
        if name != "buy_in":
            return
        _, table, _, _, account, amount, _ = args
        surely, perhaps = self._floors(table, account)
        if surely:
            self._situations.note(table, "comes back in time")
        if amount < surely:
            self._wrong(table, f"account {account} left with {surely} and comes back with {amount}")
        if amount > max(self._terms[table].max_buy_in, perhaps):
            self._wrong(table, f"account {account} buys in for {amount}, above the table's maximum")

    def refused(self, account: int | None, request: wire.Request, error: wire.Error) -> None:
        """A request is refused."""
        if not isinstance(request, wire.SitDown) or account is None or request.table not in self._terms:
            return
        surely, perhaps = self._floors(request.table, account)
        if error.code == Code.BRING_BACK:
            self._situations.note(request.table, "must bring back")
            if error.amount != perhaps or request.buy_in >= perhaps:
                told = f"is to bring {error.amount} and not {request.buy_in}; they left with {perhaps or 'nothing'}"
                self._wrong(request.table, f"account {account} {told}")
        elif error.code == Code.BUY_IN_TOO_LARGE and request.buy_in <= surely:
            told = f"may not buy in for {request.buy_in}, and left with {surely}"
            self._wrong(request.table, f"account {account} {told}")

    def _floors(self, table: str, account: int) -> tuple[int, int]:
        """What the player has to bring surely, and what perhaps: the time may have ended while the ledger was asked."""
        departure, limit_s = self._departures.get((table, account)), self._terms[table].rathole_s
        if departure is None:
            return 0, 0
        gone_s = self._seconds() - departure.at_s
        return (
            departure.amount if gone_s < limit_s else 0,
            departure.amount if limit_s and gone_s < limit_s + ASKED_S else 0,
        )

    def _wrong(self, table: str, line: str) -> None:
        self._blame(Kind.BUY_IN, table, "", line)
