"""The checkers of the seats of cash tables, put together: debts, returns, absences and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pokerroom.simulation.checks.away_limits import AwayLimitChecker
from pokerroom.simulation.checks.checker import CheckContext, Key
from pokerroom.simulation.checks.chips import LedgerChecker
from pokerroom.simulation.checks.debts import DebtChecker
from pokerroom.simulation.checks.rat_holing import RatHoleChecker
from pokerroom.simulation.checks.seat_options import OptionChecker
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom_protocol import messages as wire

SETTLES_S = 10.0
"""After an outage, what has waited for the ledger is booked within this."""


class CashSeatsChecker:
    """See the module. `books` is what the checkers know of the ledger.

    `is_linked`: whether chips of an account may come from the operator's wallet first. The table plays on meanwhile.
    """

    def __init__(self, context: CheckContext, books: LedgerChecker, is_linked: Callable[[int], bool]) -> None:
        self._context = context
        self._books = books
        self._is_linked = is_linked
        self._keys: set[str] = set()
        """Of what the ledger has booked."""
        self._debts = DebtChecker(context)
        self._returns = RatHoleChecker(context)
        self._absences = AwayLimitChecker(context)
        self.options = OptionChecker(context)

    def outage(self, until_s: float) -> None:
        """Journal, ledger or process may be away until then."""
        self._absences.outage(until_s)

    def crashed(self) -> None:
        """The process is gone."""
        self._absences.crashed()

    # --- requests ---------------------------------------------------------------------------------------------

    def reached(self, account: int | None, key: Key, request: wire.Request) -> None:
        """A request has reached the room."""
        self._debts.reached(account, key, request)
        self._absences.reached(account, request)
        self.options.reached(account, key, request)

    def answered(
        self, account: int | None, key: Key, request: wire.Request, answer: wire.ServerMessage
    ) -> None:
        """A request is answered."""
        ok = not isinstance(answer, wire.Error)
        self._debts.answered(account, key, request, ok=ok)
        self.options.answered(account, key, request, ok=ok)
        if isinstance(answer, wire.Error):
            self._returns.refused(account, request, answer)

    # --- the ledger -------------------------------------------------------------------------------------------

    def booked(
        self, name: str, args: tuple[Any, ...], result: Any, tables: Mapping[str, CheckedTable]
    ) -> None:
        """The ledger has moved money, perhaps not for the first time; the books do not know it yet."""
        if name not in {"buy_in", "top_up", "cash_out"} or args[0] in self._keys:
            return
        self._keys.add(args[0])
        if name == "cash_out":
            self._absences.booked(args[1], args[3], self._debts.seat_of(args[1], args[3]), tables)
        certain = self._context.clock.seconds() > self._absences.outage_until_s + SETTLES_S
        if name == "top_up":
            certain = certain and not self._is_linked(args[3])
        self.options.booked(
            name, args, lambda table, account: self._books.stacks[table, account], certain=certain
        )
        self._returns.booked(name, args, result)
        self._debts.booked(name, args)

    def settled(self, record: dict[str, Any]) -> None:
        """A hand is settled for the first time."""
        terms = self._context.terms[record["table"]]
        self._debts.settled(terms, record)
        self.options.settled(terms, record)

    # --- what tables tell -------------------------------------------------------------------------------------

    def synced(self, facts: CheckedTable) -> None:
        """The facts start again from a snapshot."""
        self._debts.synced(facts)
        self._absences.synced(facts)

    def told(self, facts: CheckedTable, event: wire.Event) -> None:
        """An event about to be applied to the facts of a table that is not frozen."""
        if isinstance(event, wire.HandStarted):
            self._debts.started(facts, event)
        elif isinstance(event, wire.SeatTaken):
            self._debts.seat_taken(event)

    def applied(self, facts: CheckedTable, event: wire.Event) -> None:
        """An event was applied to the facts."""
        self._absences.applied(facts, event)

    def noticed(self, table: str) -> None:
        """The table has told that it closes, opens or freezes."""
        self._absences.noticed(table)

    def look(self, tables: Mapping[str, CheckedTable]) -> None:
        """Called every few seconds."""
        self._absences.look(tables)
