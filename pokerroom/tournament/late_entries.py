"""Entries to a running tournament: late players and re-entries get seats, until the entries close (L1 to L3).

The ledger sells an entry at any node. The owner of the tournament looks for entries without a seat, draws seats for
them, and opens a table where none is free; rebuys and add-ons are looked for, too (`rebuys`). When registration
is over, or a player out decides over a prize, it closes the entries and fixes the prizes. Runs inside the mailbox of
the tournament's actor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

import structlog
from twisted.internet.interfaces import IDelayedCall

from pokerroom.bridge import as_deferred
from pokerroom.ledger.chip_sales import SalesNow
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.tournament_entries import seat_number, table_and_seat
from pokerroom.ledger.tournaments import LateSeat, OtherEntries
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import Tournament, TournamentPhase
from pokerroom.rules.tournament.step import seated_tables
from pokerroom.rules.tournament.tables import late_seat
from pokerroom.table.game import GamePorts
from pokerroom.tournament.rebuys import RebuyService, TakesEntries

T = TypeVar("T")

LOOK_S: Final = 1.0
"""[D] Seconds between two looks for entries without a seat."""

Unseated = tuple[Sequence[tuple[int, int]], Mapping[int, str], SalesNow]
"""Entries as (account, number), the names of their accounts, and what is sold."""

_NO_SALES: Final = SalesNow(on_sale=frozenset({"entry"}), ordered=(), undecided=frozenset())


class LateEntries:
    """The entries of one tournament after its start; a sit-and-go has none."""

    def __init__(self, name: str, ports: GamePorts, director: TakesEntries) -> None:
        self._name = name
        self._post = ports.mailbox.post
        self._context = ports.context
        self._director = director
        self._log = structlog.get_logger().bind(tournament=name)
        self._rebuys = RebuyService(name, ports, director)
        self._last_table = 0
        """The largest number that a table has had."""
        self._closing = False
        """Whether entries are about to close; whoever has entered before the ledger closes them still plays."""
        self._looks = False
        self._stopped = False
        self._timer: IDelayedCall | None = None

    def begin(self, last_table: int) -> None:
        """Begin to look, unless entries are closed. `last_table` is the largest number of a table so far."""
        self._last_table = max(self._last_table, last_table)
        self.consider()
        self._look()

    @property
    def closing(self) -> bool:
        """Whether entries are about to close: no hand is ordered before the prizes are known, or it could be one out of
        step on the bubble (L8).
        """
        return self._closing and self._open() is not None

    @property
    def unsure(self) -> frozenset[int]:
        """Tables that deal no next hand: a player has bought chips, or the ledger is asked whether one has."""
        tournament = self._open()
        return frozenset() if tournament is None else self._rebuys.waiting(tournament)

    def consider(self, table: int | None = None) -> None:
        """Close the entries if a hand or a level has decided that. `table` has finished a hand."""
        tournament = self._open()
        if tournament is not None and self._rebuys.offer(tournament, table):
            self._look()
        if tournament is not None and not self._closing and rules.entries_close(tournament):
            self._closing = True
            self._log.info("tournament.entries_end", level=tournament.clock.level + 1)
            self._look()

    def stop(self) -> None:
        """Leave nothing on the clock, and do nothing more."""
        self._stopped = True
        self._cancel()

    def _open(self) -> Tournament | None:
        """Return the tournament while its entries are open."""
        tournament = self._director.tournament
        takes = (
            not self._stopped
            and tournament is not None
            and not tournament.entries_closed
            and tournament.phase is TournamentPhase.running
        )
        return tournament if takes else None

    def _look(self) -> None:
        self._cancel()
        tournament = self._open()
        if not self._looks and tournament is not None:
            self._looks = True
            self._rebuys.looks(tournament)
            self._unseated().addCallbacks(
                lambda found: self._post(self._found, found),
                lambda failure: self._post(failure.raiseException),
            )

    def _later(self) -> None:
        self._cancel()
        if not self._stopped:
            self._timer = self._context.clock.callLater(LOOK_S, self._post, self._look)

    @as_deferred
    async def _unseated(self) -> Unseated:
        ledger, clock = self._context.ledger, self._context.clock
        entries = await until_known(clock, partial(ledger.unseated_entries, self._name))
        accounts = [account for account, _ in entries]
        names = await until_known(clock, partial(ledger.account_names, accounts)) if accounts else {}
        if not (self._rebuys.sells or self._closing):
            return entries, names, _NO_SALES
        return entries, names, await until_known(clock, partial(ledger.sales_now, self._name))

    def _found(self, found: Unseated) -> None:
        self._looks = False
        self._later()
        tournament, (entries, names, sales) = self._open(), found
        if tournament is None or self._director.is_busy():
            return
        self._rebuys.heard(sales)
        # one whose account has chips here has gone out in a hand that is not known here yet
        new = [one for one in entries if (known := tournament.player(one[0])) is None or not known.chips]
        if self._closing and self._rebuys.ends_sale(sales, self._decided):
            pass  # whoever has entered before is seated next: else a crowd could keep the entries open
        elif new:
            self._seat(tournament, new, names)
        elif not self._rebuys.serves(tournament, sales, self._decided, closing=self._closing):
            if self._closing and not entries:
                self._close(tournament)
            elif self._rebuys.sells:
                self._director.consider_ordering()
        if self._rebuys.unsure:  # a hand has ended since the ledger was asked, and this answer is used up
            self._look()

    def _decided(self) -> None:
        """Look again: the last player that could decide may be out, which can end the entries."""
        self.consider()
        self._look()

    def _seat(
        self, tournament: Tournament, entries: Sequence[tuple[int, int]], names: Mapping[int, str]
    ) -> None:
        numbers, seats = RandomNumbers(self._context.random_bytes), list[LateSeat]()
        for account, number in entries:
            frozen = self._director.frozen_tables()
            tables = [table for table in seated_tables(tournament) if table.number not in frozen]
            if any(table.open_seats for table in tables):
                table, seat = late_seat(account, tables, numbers)
            else:
                self._last_table += 1
                table, seat = self._last_table, 1 + numbers.below(tournament.terms.table_seats)
            tournament = rules.enter_late(tournament, account, table, seat)
            seats.append(LateSeat(account=account, number=number, seat=seat_number(table, seat)))
        self._director.ask(
            partial(self._context.ledger.seat_entries, self._name, self._context.epoch, seats),
            lambda _: self._seated(seats, names),
        )

    def _seated(self, seats: Sequence[LateSeat], names: Mapping[int, str]) -> None:
        tournament = self._director.tournament
        assert tournament is not None
        for one in seats:
            table, seat = table_and_seat(one.seat)
            tournament = rules.enter_late(tournament, one.account, table, seat)
            self._log.info("tournament.late_entry", table=table, entry=one.number)
        self._director.entered(tournament, names)
        if self._closing:
            self._look()

    def _close(self, tournament: Tournament) -> None:
        prizes, bought = rules.prizes_due(tournament), tournament.entries.count

        @as_deferred
        async def close() -> bool:
            try:
                await self._context.ledger.close_entries(self._name, self._context.epoch, bought, prizes)
            except OtherEntries:
                return False
            return True

        def answered(closed: bool) -> None:
            present = self._director.tournament
            assert present is not None
            if not closed:  # an account was faster: it is seated first, or gets its chips
                self._look()
                return
            self._log.info("tournament.entries_closed", entries=bought, prizes=len(prizes))
            self._director.entries_closed(rules.close_entries(present, prizes))

        self._director.ask(close, answered)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
