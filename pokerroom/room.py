"""One room without its surroundings: lobby, tables, sessions and settler, built from adapters that are handed in.

`app` hands in PostgreSQL, Redis and the reactor, the simulation memory and a virtual clock: nobody else builds a
room. This module knows no ports, no signals and no adapter by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, Protocol

import structlog
from argon2 import PasswordHasher
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall

from pokerroom.chips import Money
from pokerroom.coordination.api import Journal
from pokerroom.gateway.accounts import Accounts, InThread
from pokerroom.gateway.session import GatewayObserver, SessionLimits, Sessions
from pokerroom.ledger.api import Ledger, SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.settler import Settler
from pokerroom.lobby.lobby import Lobby, Seats
from pokerroom.lobby.tables import table_settings
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.config import RoomConfig
from pokerroom.table.actor import Table
from pokerroom.table.recovery import hand_in_progress
from pokerroom.table.sealing import Seal
from pokerroom.table.shuffle import RandomBytes
from pokerroom.table.world import TableObserver, World

IDLE_SWEEP_S = 5

_log = structlog.get_logger()


class RoomObserver(TableObserver, GatewayObserver, Protocol):
    """Who counts what happens in the room."""

    def timeout_all_in(self) -> None:
        """The clock has put somebody all-in for what was in (H2)."""

    def settlement(self, hands: int, seconds: float) -> None:
        """A batch of so many hands was committed; it took so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a room stands on. `now_ms` is the wall clock, `clock` runs timers; `in_thread` takes blocking work, which is
    hashing passwords with `hasher`.
    """

    ledger: Ledger
    journal: Journal
    clock: IReactorTime
    now_ms: Callable[[], int]
    random_bytes: RandomBytes
    seal: Seal
    observer: RoomObserver
    in_thread: InThread
    hasher: PasswordHasher | None = None


class Room:
    """All tables and sessions of one node."""

    def __init__(self, config: RoomConfig, around: Surroundings) -> None:
        limits = config.limits
        self._around = around
        self.settler = Settler(around.ledger, around.clock, around.observer.settlement)
        self.timeouts = TimeoutDay(around.now_ms, around.observer.timeout_all_in)
        self.lobby = Lobby(Seats(limits.tables_per_account_max))
        self.sessions = Sessions(
            accounts=Accounts(
                around.ledger,
                around.in_thread,
                Money(config.play_money.opening_balance),
                around.hasher,
            ),
            lobby=self.lobby,
            clock=around.clock,
            now_ms=around.now_ms,
            limits=SessionLimits(
                frame_bytes_max=limits.frame_bytes_max,
                messages_per_s=limits.messages_per_s,
                message_burst=limits.message_burst,
                idle_s=limits.idle_s,
                connections_max=limits.connections_max,
            ),
            server=f"{config.name} (pokerroom {version('pokerroom')})",
            observer=around.observer,
        )
        world = World(
            clock=around.clock,
            now_ms=around.now_ms,
            random_bytes=around.random_bytes,
            journal=around.journal,
            ledger=around.ledger,
            settler=self.settler,
            seal=around.seal,
            observer=around.observer,
            seating=self.lobby.seats,
            timeouts=self.timeouts,
        )
        for table in config.tables:
            self.lobby.open(Table(table_settings(table), world))
        self._idle: LoopingCall | None = None

    # --- questions --------------------------------------------------------------------------------------------

    def tables_by_state(self) -> dict[str, int]:
        """How many tables are in each state, for the operator."""
        return dict(Counter(table.state_name for table in self.lobby))

    def seats_occupied(self) -> int:
        """How many seats somebody holds."""
        return sum(len(table.chairs.seats) for table in self.lobby)

    # --- start ------------------------------------------------------------------------------------------------

    async def start(self, unfinished: Mapping[str, Sequence[bytes]]) -> None:
        """Goes on where the last room on this ledger ended; `unfinished` is what `Journal.unfinished` found.

        No client may be let in before it has returned. Raises `LedgerUnavailable`.
        """
        await self.recover(unfinished)
        self._idle = every(self._around.clock, IDLE_SWEEP_S, self.sessions.end_idle)

    async def recover(self, unfinished: Mapping[str, Sequence[bytes]]) -> None:
        """Each table as the ledger and its journal tell: its seats, the button, and the hand in progress.

        A hand of a table that is there no more, or whose journal cannot be read, is void: every stack is as at its
        start, for the ledger has only that (I4).
        """
        ledger = self._around.ledger
        hands = {table: hand_in_progress(entries) for table, entries in unfinished.items()}
        settled = await ledger.settled_hands([hand for hand in hands.values() if hand is not None])
        for table, hand_id in hands.items():
            if self.lobby.table(table) is None:
                if hand_id is not None and hand_id not in settled:
                    _log.warning(
                        "hand.void", table=table, hand_id=hand_id, reason="the table is there no more"
                    )
                self._around.journal.forget(table)
        kept = await self._kept_seats()
        self.timeouts.restore(await ledger.timeout_all_ins(self.timeouts.began_ms))
        for open_table in self.lobby:
            name = open_table.settings.table
            rows, entries = kept.get(name, []), list(unfinished.get(name, ()))
            self.lobby.seats.restore(rows)
            if rows or entries:
                open_table.restore(rows, entries, settled)

    async def _kept_seats(self) -> dict[str, list[SeatRow]]:
        """By table; seats of tables that are there no more, or have fewer chairs, are cashed out."""
        ledger = self._around.ledger
        kept: dict[str, list[SeatRow]] = {}
        for row in await ledger.seats():
            table = self.lobby.table(row.table)
            if table is not None and row.seat <= table.settings.seats_max:
                kept.setdefault(row.table, []).append(row)
                continue
            key = f"cashout:{self._around.random_bytes(16).hex()}"
            amount = await until_known(
                self._around.clock, partial(ledger.cash_out, key, row.table, row.account)
            )
            _log.warning("seat.closed", table=row.table, seat=row.seat, account=row.account, amount=amount)
        return kept

    # --- stop -------------------------------------------------------------------------------------------------

    def drain(self) -> Deferred[Any]:
        """No new hands from now on. Fires when none is in progress that anybody could finish."""
        return DeferredList([table.drain() for table in self.lobby])

    def stop(self) -> None:
        """Ends everything at once: hands still in progress are left to the journal, every client is told."""
        for table in self.lobby:
            table.stop()
        self.settler.stop()
        self.sessions.end_all()
        if self._idle is not None and self._idle.running:
            self._idle.stop()


def every(clock: IReactorTime, seconds: float, work: Callable[[], Any]) -> LoopingCall:
    """Does `work` every so many seconds until the result's `stop`; a fault in it ends it, and is logged."""
    loop = LoopingCall(work)
    loop.clock = clock
    loop.start(seconds, now=False).addErrback(
        lambda failure: _log.critical("room.fault", what=repr(work), exc_info=failure.value)
    )
    return loop
