"""A hold'em cash table: one actor with one mailbox, from the first sitter to the last hand.

`chairs` knows who sits where and what they wish, `hands` plays one hand after the other; both run inside the mailbox,
one message at a time. What every table has, whatever is played, is in `base`, and what all hold'em tables have in
`holdem`; this module is what cash adds: its messages, and the answers to what those ask. A table knows no sockets and
no SQL; time, randomness, journal and ledger are handed to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.poker import recovery
from pokerroom.poker.cash.seat_manager import SeatManager
from pokerroom.poker.game import Dealing, PokerTable
from pokerroom.poker.hand_plan import next_hand, sit_out_the_timed_out
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, SeatState, restored_seat
from pokerroom.poker.settings import TableSettings
from pokerroom.rules import events as rules_events
from pokerroom.rules.button import Positions
from pokerroom.table.api import SeatOffered
from pokerroom.table.context import TableContext
from pokerroom.table.outbox import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class CashTable(PokerTable):
    """See the module. All public methods are doors into the mailbox, but for the read-only ones."""

    chairs: SeatManager

    def __init__(self, settings: TableSettings, world: TableContext) -> None:
        super().__init__(settings, world)
        self.chairs = SeatManager(self)

    # --- questions -------------------------------------------------------------------------------------------------

    def info(self) -> wire.TableInfo:
        """The table's line in the lobby."""
        seats = list(self.chairs.seats)
        return self.settings.info(
            len(seats),
            sum(seat.state is SeatState.PLAYING for seat in seats),
            waiting=self.world.seating.waiting(self.settings.table),
            closing=self.chairs.closing,
        )

    def players(self) -> int:
        """See `TableActor`: one alone plays no hands."""
        players = self.info().players
        return players if players > 1 else 0

    def seated(self) -> list[int]:
        """See `TableActor`."""
        return [account for account in self.holders() if self.chairs.held_by(account) is not None]

    # --- doors -----------------------------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """The table as it was when the room last stopped: its seats, and the hand in progress unless it is settled."""
        self.mailbox.post(self._restore, rows, entries, settled)

    def _restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        if rows or entries:  # else nobody has ever sat here
            self.rebuilding.restore(rows, entries, settled)

    def offer_seat(self, account: int, told: SeatOffered) -> None:
        """Holds a free seat for somebody from the waiting list; `told` gets its number and until when, or None."""
        self.mailbox.post(self.chairs.offer_seat, account, told)

    def withdraw_offer(self, account: int) -> None:
        """Who was offered a seat from the waiting list is not waiting any more."""
        self.mailbox.post(self.chairs.withdraw_offer, account)

    # --- what hands ask --------------------------------------------------------------------------------------------

    def plan(self, previous: Positions | None) -> Dealing | None:
        """See `PokerTable`, and `dealing`."""
        chairs = self.chairs
        if chairs.closing:  # after a restart those who have played are here until they are cashed out
            return None
        plan = next_hand(
            self.settings,
            chairs.seats,
            previous,
            first_sitter=chairs.first_sitter(),
            sits_out=chairs.changed,
        )
        return None if plan is None else (self.settings, plan)

    def settled(self, play: HandPlay) -> None:  # noqa: ARG002 -- the seats have the stacks
        """See `PokerTable`."""
        chairs, decisions = self.chairs, self.hands.decisions
        chairs.add_top_ups()
        sit_out_the_timed_out(chairs.seats, decisions.timed_out, decisions.acted, sits_out=chairs.changed)
        chairs.settle_debts()
        chairs.top_up_automatically()

    def absent(self, seat: Seat) -> bool:
        """See `PokerTable`."""
        return seat.state is SeatState.LEAVING

    def protected(self, seat: Seat) -> bool:
        """See `PokerTable`: by setting and daily allowance."""
        allowance = self.settings.timeout_all_ins_per_day
        if allowance is not None and self.world.timeouts.today(seat.account) >= allowance:
            return False
        protection = self.settings.timeout_protection
        return protection == "always" or (protection == "disconnected" and not seat.connected)

    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:
        """See `PokerTable`."""
        if any(_is_clock_all_in(event) for event in events):
            # behind the append: what the journal does not have has not happened
            self.world.timeouts.note(seat.account, play.hand_id)

    def pause_s(self) -> float:
        """See `PokerTable`: none where all players who are here do without."""
        looks = self.settings.hand_pause_ms > 0 and any(
            viewer.wants_pause and self.chairs.seats.of(viewer.account) is not None
            for viewer in self.outbox.viewers()
        )
        return self.settings.hand_pause_ms / 1000 if looks else 0

    def gather(self) -> None:
        """See `PokerTable`."""
        self.hands.gather()

    def awaited(self) -> bool:
        """See `PokerTable`."""
        return any(seat.returns_playing for seat in self.chairs.seats)

    async def rows(self) -> list[SeatRow]:
        """See `PokerTable`."""
        rows = await until_known(self.world.clock, self.world.ledger.seats)
        return [row for row in rows if row.table == self.settings.table]

    def renew(self, rows: list[SeatRow]) -> None:
        """See `PokerTable`."""
        for account in {seat.account for seat in self.chairs.seats} - {row.account for row in rows}:
            self.world.seating.freed(account, self.settings.table)
        self.chairs = self.chairs.successor()

    def sit_again(self, rows: list[SeatRow], found: recovery.JournalledPoker) -> None:
        """See `PokerTable`."""
        self.chairs.restore(rows, found.facts)

    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:  # noqa: ARG002 -- the ledger has the stacks
        """See `PokerTable`."""
        if play is not None:
            self.chairs.take_part(play)

    def standing_of(self, rows: list[SeatRow]) -> Mapping[int, Seat]:
        """See `PokerTable`."""
        return {row.account: restored_seat(row, None, running=False, time_bank_ms=0) for row in rows}

    # --- what the base asks ----------------------------------------------------------------------------------------

    @property
    def asking(self) -> bool:
        """See `Played`."""
        return self.chairs.waits_for_ledger()

    def progress(self) -> object:
        """See `Played`."""
        return self.hands.appended, self.chairs.asked

    def attached(self, account: int | None) -> None:
        """See `Played`; called before a snapshot, which has his presence and grace."""
        seat = self.chairs.held_by(account)
        if seat is not None and not seat.connected:
            self.chairs.attached(seat)
            self.hands.decisions.grace(seat)

    def holds_seat(self, account: int | None) -> bool:
        """See `Played`."""
        return self.chairs.seats.of(account) is not None

    def detached(self, viewer: Viewer) -> None:
        """See `Played`."""
        self.chairs.viewer_gone(viewer)

    def close_doors(self) -> None:
        """See `Played`."""
        self.chairs.close()

    def open_doors(self) -> None:
        """See `Played`."""
        self.chairs.reopen()

    def handle(self, viewer: Viewer, message: wire.Request) -> None:  # noqa: C901, PLR0912 -- one case per message
        """See `Played`."""
        chairs, decisions = self.chairs, self.hands.decisions
        match message:
            case wire.Act():
                decisions.act(viewer, message)
            case wire.PreAct():
                decisions.pre_act(viewer, message)
            case wire.CancelPreAct():
                decisions.cancel_pre_act(viewer, message)
            case wire.ReserveSeat():
                chairs.reserve_seat(viewer, message)
            case wire.ReleaseSeat():
                chairs.release_seat(viewer, message)
            case wire.SitDown():
                chairs.sit_down(viewer, message)
            case wire.SitOut():
                chairs.sit_out(viewer, message)
            case wire.SitIn():
                chairs.sit_in(viewer, message)
            case wire.TopUp():
                chairs.top_up(viewer, message)
            case wire.SeatOptions():
                chairs.set_options(viewer, message)
            case wire.StandUp():
                chairs.stand_up(viewer, message)
            case _ if isinstance(message, wire.UltimateMessage):
                self.refuse(viewer, message, Code.WRONG_GAME)
            case _:
                raise AssertionError(f"no message for a table: {type(message).__name__}")


def _is_clock_all_in(event: rules_events.Event) -> bool:
    return (
        isinstance(event, rules_events.PlayerActed) and event.action is rules_events.ActionKind.clock_all_in
    )
