"""What the operator sees of the tables of a node and may ask of them. Knows no port and no HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import Ledger
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.operator import timeout_counts
from pokerroom.ops.reports import Accepted, AccountTimeouts, Asked, OrderRefused, TableReport
from pokerroom.table import operator_orders
from pokerroom.table.api import ActorSettings, TableActor


class OperatedTables:
    """Keeps `ops.operator.Operated` for the tables of a lobby.

    `node` is this one's name. `move(table, node)` gives a table of this node to another one, between hands; False if it
    cannot be given now.
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
    ) -> None:
        self._settings = settings
        self._local = local
        self._ledger = ledger
        self._day = day
        self._node = node
        self._move = move

    def tables(self) -> list[TableReport]:
        """See `Operated.tables`."""
        found = ((settings, self._local.get(name)) for name, settings in self._settings.items())
        return [_elsewhere(settings) if table is None else self._report(table) for settings, table in found]

    def order(self, table: str, asked: Asked, node: str | None) -> Deferred[Accepted]:
        """See `Operated.order`."""
        return Deferred.fromCoroutine(self._order(table, asked, node))

    def timeouts(self) -> Deferred[list[AccountTimeouts]]:
        """See `Operated.timeouts`."""
        return timeout_counts(self._ledger, self._day.all())

    async def _order(self, name: str, asked: Asked, node: str | None) -> Accepted:
        if name not in self._settings:
            raise OrderRefused("unknown_table", "There is no such table.")
        table = self._local.get(name)
        if table is None:
            raise OrderRefused("table_elsewhere", "The table does not live at this node.")
        hand_id: str | None = None
        try:
            match asked:
                case "close" | "open":
                    _doors(table, asked)
                case "freeze":
                    await table.freeze()
                case "resume":
                    await table.resume()
                case "void" | "void_complete":
                    hand_id = await table.void_hand(complete=asked == "void_complete")
                case "move":
                    self._give(table, node)
        except operator_orders.OrderRefused as refused:
            raise OrderRefused(refused.code, str(refused)) from refused
        return Accepted(table=name, asked=asked, node=node, hand_id=hand_id)

    def _give(self, table: TableActor, node: str | None) -> None:
        assert node is not None
        if (
            table.frozen_by is not None
        ):  # a frozen hand does not end, so that there is no moment between hands
            raise OrderRefused("table_frozen", "The table is frozen: let it go on first.")
        if not self._move(table.settings.table, node):
            raise OrderRefused("not_movable", "The table cannot be given away now; ask again.")

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
        )


def _doors(table: TableActor, asked: Literal["close", "open"]) -> None:
    """Closing is not waited for: its hand may be long. A sit-and-go's table has no doors: all are in, and stay."""
    if not table.settings.listed:
        raise OrderRefused("tournament_table", "A sit-and-go's table ends with it: roll it back, or forward.")
    if asked == "close":
        table.close()
    else:
        table.reopen()


def _elsewhere(settings: ActorSettings) -> TableReport:
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
    )
