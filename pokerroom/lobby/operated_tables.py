"""The tables of a node for the operator: what they are doing, and the handlers of orders to them.

Knows no port and no HTTP. Orders are declared in `ops.operator_commands.TABLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import Ledger, LedgerRefusal
from pokerroom.lobby.table_detail import table_detail
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.operator_commands import TABLES
from pokerroom.ops.reports import Accepted, AccountTimeouts, OrderRefused, TableDetail, TableReport
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings


class OperatedTables:
    """A `TablesPort` for the tables of the room (`settings`), of which `local` live on this node, named `node`.

    `move(table, node)` gives a table of this node to another one between hands; False if that is not possible now.
    `host_name(table)` is the player that hosts a table, or None; `end_pause(table)` ends its pause, or returns False.
    """

    def __init__(
        self,
        *,
        settings: Mapping[str, ActorSettings],
        local: Mapping[str, TableActor],
        ledger: Ledger,
        day: TimeoutDay,
        node: str,
        move: Callable[[str, str], bool],
        host_name: Callable[[str], str | None],
        end_pause: Callable[[str], Coroutine[Any, Any, bool]],
    ) -> None:
        self._settings = settings
        self._local = local
        self._ledger = ledger
        self._day = day
        self._node = node
        self._move = move
        self._host_name = host_name
        self._end_pause = end_pause
        self._handlers: dict[str, Callable[[TableActor, str | None], Coroutine[Any, Any, str | None]]] = {
            "close": self._close,
            "open": self._open,
            "freeze": self._freeze,
            "resume": self._resume,
            "void": self._void,
            "void_complete": self._void_complete,
            "move": self._give,
        }
        """The handler of each order; it returns the id of a hand that is void."""
        assert self._handlers.keys() == {order.name for order in TABLES.orders}

    def tables(self) -> list[TableReport]:
        found = ((settings, self._local.get(name)) for name, settings in self._settings.items())
        return [
            self._elsewhere(settings) if table is None else self._report(table) for settings, table in found
        ]

    def detail(self, table: str) -> Deferred[TableDetail]:
        return Deferred.fromCoroutine(self._detail(table))

    def order(self, table: str, order: str, node: str | None) -> Deferred[Accepted]:
        return Deferred.fromCoroutine(self._order(table, order, node))

    def queries(self) -> Mapping[str, Callable[[], Deferred[Any]]]:
        return {"timeouts": lambda: timeout_counts(self._ledger, self._day.all())}

    async def _detail(self, name: str) -> TableDetail:
        table = self._here(name)
        seen = await table.look()
        return table_detail(self._report(table), seen)

    def _here(self, name: str) -> TableActor:
        if name not in self._settings:
            raise OrderRefused("unknown_table", "There is no such table. See `pokerroom table list`.")
        table = self._local.get(name)
        if table is None:
            raise OrderRefused("table_elsewhere", "The table does not live at this node.")
        return table

    async def _order(self, name: str, order: str, node: str | None) -> Accepted:
        table = self._here(name)
        hand_id = await self._handlers[order](table, node)
        return Accepted(table=name, asked=order, node=node, hand_id=hand_id)

    # --- the handlers ---------------------------------------------------------------------------------------------

    async def _close(self, table: TableActor, _: str | None) -> None:
        """Close the table, without waiting for the hand in progress, which may be long."""
        _refuse_tournament(table)
        table.close()

    async def _open(self, table: TableActor, _: str | None) -> None:
        _refuse_tournament(table)
        table.reopen()

    async def _freeze(self, table: TableActor, _: str | None) -> None:
        await table.freeze()

    async def _resume(self, table: TableActor, _: str | None) -> None:
        if not table.frozen and self._host_name(table.settings.table) is not None:
            try:
                if await self._end_pause(table.settings.table):
                    return
            except LedgerRefusal:
                raise OrderRefused(
                    "not_frozen", "The host has changed the table just now. Look again."
                ) from None
        await table.resume()

    async def _void(self, table: TableActor, _: str | None) -> str:
        return await table.void_hand()

    async def _void_complete(self, table: TableActor, _: str | None) -> str:
        return await table.void_hand(complete=True)

    async def _give(self, table: TableActor, node: str | None) -> None:
        assert node is not None
        if table.frozen_by is not None:  # a frozen hand does not end: there is no moment between hands
            raise OrderRefused("table_frozen", "The table is frozen. Resume it first.")
        if not self._move(table.settings.table, node):
            raise OrderRefused("not_movable", "The table cannot be given away now. Try again.")

    def _report(self, table: TableActor) -> TableReport:
        facts = table.facts()
        return TableReport(
            table=table.settings.table,
            node=self._node,
            name=table.settings.name,
            state=facts.state,
            closing=facts.closing,
            hand_id=facts.hand_id,
            seats=table.settings.seats,
            occupied=facts.occupied,
            connected=facts.connected,
            waiting=facts.waiting,
            crashes=facts.crashes,
            frozen=facts.frozen,
            host=self._host_name(table.settings.table),
        )

    def _elsewhere(self, settings: ActorSettings) -> TableReport:
        return TableReport(
            table=settings.table,
            node=None,
            name=settings.name,
            state="elsewhere",
            closing=False,
            hand_id=None,
            seats=settings.seats,
            occupied=0,
            connected=0,
            waiting=0,
            crashes=0,
            frozen=None,
            host=self._host_name(settings.table),
        )


def timeout_counts(ledger: Ledger, today: Mapping[int, int]) -> Deferred[list[AccountTimeouts]]:
    """Join today's uses of the timeout protection by account with those of the ledger; most uses first."""

    async def joined() -> list[AccountTimeouts]:
        total = await ledger.timeout_all_ins(0)
        accounts = sorted(total.keys() | today.keys())
        names = await ledger.account_names(accounts)
        counts = [
            AccountTimeouts(
                account=account,
                name=names[account],
                today=today.get(account, 0),
                total=total.get(account, 0),
            )
            for account in accounts
        ]
        return sorted(counts, key=lambda count: (-count.today, -count.total, count.account))

    return Deferred.fromCoroutine(joined())


def _refuse_tournament(table: TableActor) -> None:
    """Refuse to close or open a tournament's table: its players are seated, and stay."""
    if not table.settings.free_to_leave:
        raise OrderRefused(
            "tournament_table", "The table ends with its sit-and-go. Roll the sit-and-go back or forward."
        )
