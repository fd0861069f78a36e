"""The seating of a cash table, put together: its seats, policy, recovery and view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.cash.seat_manager import SeatManager
from pokerroom.poker.game import PokerGame
from pokerroom.poker.hand_plan import next_hand
from pokerroom.poker.play import HandPlay
from pokerroom.poker.ports import Dealing, HandPorts, PokerSeating
from pokerroom.poker.recovery import JournalledPoker
from pokerroom.poker.seat_facts import restored_seat
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules import events as rules_events
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.context import TableContext
from pokerroom.table.game import GamePorts, MakeGame
from pokerroom.table.outbox import Outbox
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_LEAVING: Final = SeatState.LEAVING  # reading an enum's member takes several times as long as reading a name


def cash_game(settings: TableSettings) -> MakeGame:
    """Return what makes the games of one cash table, one after the other."""
    return partial(PokerGame, settings, partial(CashSeating, settings))


class CashSeating:
    """The seating of one cash table (`poker.ports.PokerSeating`)."""

    def __init__(self, settings: TableSettings, ports: GamePorts, hands: HandPorts) -> None:
        self._announcer = ports.announcer
        self.state_name = None
        self.seats = SeatManager(settings, ports, hands)
        self.policy = CashPolicy(settings, ports.context, ports.announcer.outbox, self.seats)
        self.recovery = CashRecovery(settings, ports.context, self.seats)
        self.view = CashView(ports.context, self.seats)

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:  # noqa: ARG002 -- any request is taken
        return None

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        seats = self.seats
        match message:
            case wire.ReserveSeat():
                seats.reservations.reserve(viewer, message)
            case wire.ReleaseSeat():
                seats.reservations.release(viewer, message)
            case wire.SitDown():
                seats.buy_ins.sit_down(viewer, message)
            case wire.SitOut():
                seats.requests.sit_out(viewer, message)
            case wire.SitIn():
                seats.requests.sit_in(viewer, message)
            case wire.TopUp():
                seats.requests.top_up(viewer, message)
            case wire.SeatOptions():
                seats.requests.set_options(viewer, message)
            case wire.StandUp():
                seats.requests.stand_up(viewer, message)
            case _ if isinstance(message, wire.UltimateMessage | wire.DealMessage):
                of_ultimate = isinstance(message, wire.UltimateMessage)
                self._announcer.refuse(
                    viewer, message, Code.WRONG_GAME if of_ultimate else Code.DEALS_NOT_OFFERED
                )
            case _:
                raise AssertionError(f"no message for a table: {type(message).__name__}")


class CashPolicy:
    """The players of each hand at a cash table, and the work after it (`poker.ports.HandPolicy`)."""

    def __init__(
        self, settings: TableSettings, context: TableContext, outbox: Outbox, seats: SeatManager
    ) -> None:
        self._settings = settings
        self._timeouts = context.timeouts
        self._outbox = outbox
        self._seats = seats

    @property
    def awaited(self) -> bool:
        # a player without chips would miss the hand anyway
        return any(seat.returns_playing and seat.stack > 0 for seat in self._seats.seats)

    def plan(self, previous: Positions | None) -> Dealing | None:
        """See `HandPolicy`, and `hand_plan`."""
        seats = self._seats
        if seats.closing:  # after a restart the players are here until they are cashed out
            return None
        settings = seats.settings_dealt
        plan = next_hand(
            settings,
            seats.seats,
            previous,
            first_sitter=seats.first_sitter() if previous is None else None,
            sits_out=seats.changed,
        )
        return None if plan is None else (settings, plan)

    def settled(
        self,
        play: HandPlay,  # noqa: ARG002 -- the seats have the stacks
        timed_out: Collection[int],
        acted: Collection[int],
    ) -> None:
        self._seats.hand_settled(timed_out, acted)

    def absent(self, seat: Seat) -> bool:
        return seat.state is _LEAVING

    def protected(self, seat: Seat) -> bool:
        """See `HandPolicy`: by setting and daily allowance."""
        protection = self._settings.timeout_protection
        if protection == "never" or (protection == "disconnected" and seat.connected):
            return False
        allowance = self._settings.timeout_all_ins_per_day
        return allowance is None or self._timeouts.today(seat.account) < allowance

    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:
        if any(_is_clock_all_in(event) for event in events):
            # behind the append: what the journal does not have has not happened
            self._timeouts.note(seat.account, play.hand_id)

    def pause_s(self) -> float:
        """See `HandPolicy`: none where all players who are here do without."""
        looks = self._settings.hand_pause_ms > 0 and any(
            viewer.wants_pause and self._seats.seats.of(viewer.account) is not None
            for viewer in self._outbox.viewers()
        )
        return self._settings.hand_pause_ms / 1000 if looks else 0

    def no_more_hands(self) -> None:
        """See `HandPolicy`."""


class CashRecovery:
    """The seats of a cash table rebuilt from ledger and journal (`poker.ports.SeatRecovery`)."""

    def __init__(self, settings: TableSettings, context: TableContext, seats: SeatManager) -> None:
        self._settings = settings
        self._context = context
        self._seats = seats

    def restore(
        self,
        rows: list[SeatRow],
        entries: list[bytes],
        settled: frozenset[str],
        begin: Callable[[list[SeatRow], list[bytes], frozenset[str]], None],
    ) -> None:
        if rows or entries:  # else no player ever sat here
            begin(rows, entries, settled)

    async def rows(self) -> list[SeatRow]:
        seats = partial(self._context.ledger.seats, [self._settings.table])
        return await until_known(self._context.clock, seats)

    def take_over(self, before: PokerSeating, rows: list[SeatRow]) -> None:
        assert isinstance(before, CashSeating)
        self._seats.take_over(before.seats, rows)

    def ended(self, rows: list[SeatRow]) -> bool:  # noqa: ARG002 -- a cash table has no end
        return False

    def sit_again(self, rows: list[SeatRow], found: JournalledPoker) -> None:
        self._seats.restore(rows, found.facts)

    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:  # noqa: ARG002 -- the ledger has the stacks
        """See `SeatRecovery`: what a seat has beyond its stack at the start was bought meanwhile (A3)."""
        if play is None:
            return
        for seat, stack in zip(play.seats, play.stacks_at_start, strict=True):
            seat.topped_up, seat.stack = seat.stack - stack, stack
            assert seat.topped_up >= 0

    def standing_of(self, rows: list[SeatRow]) -> Mapping[int, Seat]:
        return {row.account: restored_seat(row, None, running=False, time_bank_ms=0) for row in rows}

    def settings_of(self, found: JournalledPoker) -> TableSettings:  # noqa: ARG002 -- the entry has the stakes
        return self._settings

    def gathered(self) -> None:
        """See `SeatRecovery`: the first hand begins when a player is back."""

    def restarted(self) -> None:
        """See `SeatRecovery`."""


class CashView:
    """The view of the seats of a cash table (`poker.ports.SeatingView`)."""

    def __init__(self, context: TableContext, seats: SeatManager) -> None:
        self._directory = context.seating
        self._seats = seats

    def info(self) -> wire.TableInfo:
        seats, settings = list(self._seats.seats), self.settings_now()
        return settings.info(
            len(seats),
            self._seats.seats.present,
            waiting=self._directory.waiting(settings.table),
            closing=self._seats.closing,
        )

    def players(self) -> int:
        """See `SeatingView`: one alone plays no hands."""
        players = sum(seat.state is SeatState.PLAYING for seat in self._seats.seats)
        return players if players > 1 else 0

    def settings_now(self) -> TableSettings:
        return self._seats.settings_now

    def tournament_view(self) -> Any:
        return None

    def opens(self) -> bool:
        return False

    def when_open(self, then: Callable[[], None]) -> None:
        then()


def _is_clock_all_in(event: rules_events.Event) -> bool:
    return (
        isinstance(event, rules_events.PlayerActed) and event.action is rules_events.ActionKind.clock_all_in
    )
