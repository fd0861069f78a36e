"""The seats of a tournament's table: drawn at the start, empty when their player is out or moves. No player sits down.

Whether a player is away (H5) or connected is noted here. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from msgspec import structs

from pokerroom.poker.journal import SeatingFacts
from pokerroom.poker.ports import HandPorts
from pokerroom.poker.seats import Seat, Seats, SeatState
from pokerroom.rules.button import Owes
from pokerroom.rules.planned_hand import HandPlan
from pokerroom.table.api import SeatOffered
from pokerroom.table.game import GamePorts
from pokerroom.table.house_bots import is_house_bot
from pokerroom.table.viewer import Viewer, public
from pokerroom.tournament.journal import TournamentFacts, TournamentSeatFacts, encode_facts
from pokerroom.tournament.messages import DealDeskState, PlannedSeat, SeatPlan
from pokerroom.tournament.settings import TournamentSettings
from pokerroom_protocol import messages as wire


def seat_of(planned: PlannedSeat, time_bank_ms: int) -> Seat:
    """Return the seat of a player as it is planned."""
    return Seat(
        time_bank_ms=time_bank_ms,
        number=planned.seat,
        account=planned.account,
        name=planned.name,
        stack=planned.chips,
        state=SeatState.AWAY if planned.away else SeatState.PLAYING,
        owes=Owes.nothing,
    )


class PlanKeeper(Protocol):
    """The desk, as the seats see it."""

    @property
    def plan(self) -> SeatPlan | None:
        """The last plan."""

    @property
    def level(self) -> int | None:
        """The level of the hand in progress."""

    @property
    def taken(self) -> int:
        """The id of the last order that was dealt."""

    @property
    def dealt(self) -> HandPlan | None:
        """The plan of the last hand that was dealt."""

    @property
    def deal_state(self) -> DealDeskState | None:
        """What players have asked and answered about a deal."""

    def stop(self) -> None:
        """Leave nothing on the clock, and do nothing more."""


class TournamentSeats:
    """The seats of one table (`poker.ports.PokerSeats`).

    `when_open` calls its argument once the seats are known, and returns False if they are known already.
    """

    closing = False

    def __init__(
        self,
        settings: TournamentSettings,
        ports: GamePorts,
        hands: HandPorts,
        when_open: Callable[[Callable[[], None]], bool],
        desk: PlanKeeper,
    ) -> None:
        self._table = settings.table
        self._announcer = ports.announcer
        self._drain = ports.drain
        self._now_ms = ports.context.now_ms
        self._snapshots = ports.snapshots
        self._time_bank_ms = settings.time_bank_s * 1000
        self._present = ports.table
        self._hands = hands
        self._when_open = when_open
        self._desk = desk
        self.seats = Seats(settings.seats_max)
        self.abandoned = False
        """Another game has taken the place of this one: nothing changes here any more."""

    # --- questions --------------------------------------------------------------------------------------------------

    def held_by(self, account: int | None) -> Seat | None:
        return self.seats.of(account)

    def holds_seat(self, account: int | None) -> bool:
        """See `GameSeats`: a player who has left may stop watching."""
        seat = self.seats.of(account)
        return seat is not None and seat.state is not SeatState.AWAY

    def reserved(self) -> Sequence[int]:
        return ()

    def holders(self) -> list[int]:
        return [seat.account for seat in self.seats]

    def seated(self) -> list[int]:
        return self.holders()

    def connected(self) -> int:
        return sum(seat.connected for seat in self.seats)

    def empty(self) -> bool:
        return len(self.seats) == 0

    def facts(self) -> SeatingFacts:
        """See `PokerSeats`: the last plan, and of the seats what the tournament does not know."""
        seats = [
            TournamentSeatFacts(
                account=seat.account,
                time_bank_ms=seat.time_bank_ms,
                muck_losing=seat.muck_losing,
                away=seat.state is SeatState.AWAY,
            )
            for seat in self.seats
        ]
        desk = self._desk
        # a hand has its own entry
        plan = None if desk.plan is None else structs.replace(desk.plan, order=None)
        return encode_facts(
            TournamentFacts(
                plan=plan,
                level=desk.level,
                taken=desk.taken,
                dealt=desk.dealt,
                seats=seats,
                deal=desk.deal_state,
            )
        )

    # --- presence ---------------------------------------------------------------------------------------------------

    def attached(self, account: int | None) -> None:
        """See `GameSeats`: the player is connected, and may still be away."""
        if account is None or self._when_open(partial(self._present.attached, account)):
            return
        seat = self.seats.of(account)
        if seat is not None and not seat.connected:
            seat.gone_since_ms = None
            self.changed(seat)
            self._hands.grace(seat)
            self._hands.consider_dealing()

    def detached(self, viewer: Viewer) -> None:
        """See `GameSeats`: the clock runs on, and then the player is away (H5)."""
        if self._when_open(partial(self._present.detached, viewer)):
            return
        seat = self.seats.of(viewer.account)
        if seat is None or not seat.connected or self._announcer.is_connected(seat.account):
            return
        seat.gone_since_ms = self._now_ms()
        self.changed(seat)
        self._drain.consider()

    def changed(self, seat: Seat) -> None:
        """Tell all viewers how the seat stands; its stack not before the ledger has the hand that made it so."""
        self._hands.settlement.when_settled(partial(self._tell_changed, seat), first=True)

    def left(self, seat: Seat) -> None:
        """The player is out, and has a place."""
        self.seats.remove(seat)
        self._hands.forget(seat.account)

    # --- moves ------------------------------------------------------------------------------------------------------

    def moved_away(self, seat: Seat) -> None:
        """The player has moved to another table, or to another seat here."""
        self.left(seat)
        event = wire.SeatLeft(
            table=self._table, seq=self._announcer.next_seq(), seat=seat.number, name=seat.name
        )
        self._announcer.tell(public(event), left=partial(self._snapshots.lost_seat, seat.account))

    def came(self, planned: PlannedSeat) -> None:
        """The player has come from another table, or from another seat here, with these chips."""
        seat = seat_of(planned, self._time_bank_ms)
        seat.gone_since_ms = None if self._announcer.is_connected(seat.account) else self._now_ms()
        self.seats.add(seat)
        event = wire.SeatTaken(
            table=self._table,
            seq=self._announcer.next_seq(),
            seat=seat.number,
            name=seat.name,
            stack=seat.stack,
            status=seat.status(),
            bot=is_house_bot(seat.name),
        )
        self._announcer.tell(public(event))
        if not seat.connected:  # at this table: the player is about to hear of it
            self._tell_changed(seat)
        self._snapshots.seated(seat.account)

    # --- no player sits down ----------------------------------------------------------------------------------------

    def close_doors(self) -> None:
        """See `GameSeats`: the tournament is played to its end."""

    def open_doors(self) -> None:
        """See `GameSeats`."""

    def offer_seat(self, account: int, offered: SeatOffered) -> None:  # noqa: ARG002 -- no account waits for a seat here
        offered(None, 0)

    def withdraw_offer(self, account: int) -> None:
        """See `GameSeats`."""

    # --- restarts ---------------------------------------------------------------------------------------------------

    def sit(self, seats: Iterable[Seat], kept: Iterable[TournamentSeatFacts]) -> None:
        """Seat all players who are not out; `kept` is what `facts` said of their seats."""
        for seat in seats:
            seat.gone_since_ms = None if self._announcer.is_connected(seat.account) else self._now_ms()
            self.seats.add(seat)
        for facts in kept:
            known = self.seats.of(facts.account)
            if known is not None:
                known.time_bank_ms, known.muck_losing = facts.time_bank_ms, facts.muck_losing
                known.state = SeatState.AWAY if facts.away else SeatState.PLAYING

    def abandon(self) -> None:
        self.abandoned = True

    def stop(self) -> None:
        self._desk.stop()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _tell_changed(self, seat: Seat) -> None:
        if self.abandoned or self.seats.of(seat.account) is not seat:
            return
        event = wire.SeatChanged(
            table=self._table,
            seq=self._announcer.next_seq(),
            seat=seat.number,
            stack=self._hands.hand.stack_of(seat),
            status=seat.status(),
            connected=seat.connected,
            gone_since_ms=seat.gone_since_ms,
        )
        self._announcer.tell(public(event))
