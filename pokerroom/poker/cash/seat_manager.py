"""Who sits at one cash table, and what he wishes: playing, sitting out, leaving; and whether he is there at all.

`holds` keeps free chairs for those who are about to sit down, `buying` asks the ledger, `wishes` are what the holder of
a seat says of it; this module says when. Runs inside the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pokerroom.ledger.api import SeatRow
from pokerroom.poker import views
from pokerroom.poker.cash.buy_ins import BuyIns
from pokerroom.poker.cash.seat_requests import SeatRequests
from pokerroom.poker.cash.seat_reservations import SeatReservations
from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat, SeatFacts, Seats, SeatState, restored_seat
from pokerroom.table.absences import Absences
from pokerroom.table.api import SeatOffered
from pokerroom.table.house_bots import is_house_bot
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.outbox import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the table makes its chairs
    from pokerroom.poker.cash.table import CashTable

_NOT_NOW = {SeatState.RESERVED: Code.REQUEST_PENDING, SeatState.LEAVING: Code.LEAVING}
"""Who may wish nothing about his seat: his buy-in is at the ledger, or he has said that he leaves."""


class SeatManager:
    """The seats of `table` and what their holders wish."""

    def __init__(self, table: CashTable) -> None:
        self._table = table
        self._settings = table.settings
        self._world = table.world
        self.seats = Seats(table.settings.seats_max)
        self._asking = LedgerRequests(table, lambda: self.abandoned)
        self._holds = SeatReservations(table, self, self._asking)
        self._buying = BuyIns(table, self, self._holds, self._asking)
        self._wishes = SeatRequests(table, self, self._buying)
        self._sat_in_order: list[int] = []
        self._absences = Absences(table.world.clock, table.settings.away_limit_s, self._limit_is_over)
        self._stopped = False
        self.abandoned = False
        """The table has begun anew with other chairs: these change nothing any more."""
        self.closing = False
        """The operator has closed the table."""
        self._succeeds = False
        """Whether `closing` is what the operator has said last; else the journal knows it."""

    # --- questions --------------------------------------------------------------------------------------------------

    def first_sitter(self) -> int | None:
        """The seat of whoever sat down first and is still here: he gets the first button (B1)."""
        playing = {candidate.seat for candidate in self.seats.candidates()}
        held = (self.seats.of(account) for account in self._sat_in_order)
        return next((seat.number for seat in held if seat is not None and seat.number in playing), None)

    def held_by(self, account: int | None) -> Seat | None:
        """The seat of an account once its buy-in is booked; nobody is told of one that is only reserved."""
        seat = self.seats.of(account)
        return None if seat is None or seat.state is SeatState.RESERVED else seat

    def reserved(self) -> list[int]:
        """The free seats that are held for somebody, in order."""
        return self._holds.seats()

    def waits_for_ledger(self) -> bool:
        """Whether the ledger still owes an answer."""
        return self._asking.waits()

    @property
    def asked(self) -> int:
        """How many questions were put to the ledger so far."""
        return self._asking.asked

    def empty(self) -> bool:
        """Whether nobody has a seat or is about to."""
        return len(self.seats) == 0 and not self.waits_for_ledger()

    def takes_newcomers(self) -> bool:
        """Whether anybody may sit down or be called to; false also when the room is going down."""
        return not (self.closing or self._stopped or self._table.ending.draining)

    # --- sitting down and buying ------------------------------------------------------------------------------------

    def reserve_seat(self, viewer: Viewer, message: wire.ReserveSeat) -> None:
        """Holds a free seat while its holder decides on his buy-in."""
        self._holds.reserve(viewer, message)

    def release_seat(self, viewer: Viewer, message: wire.ReleaseSeat) -> None:
        """Gives up a held seat."""
        self._holds.release(viewer, message)

    def offer_seat(self, account: int, told: SeatOffered) -> None:
        """Holds a free seat for the first of a waiting list; `told` hears which, at once."""
        self._holds.offer(account, told)

    def withdraw_offer(self, account: int) -> None:
        """Who was called from a waiting list waits no longer, or is not there: the seat is free for the next."""
        self._holds.withdraw(account, offered_only=True)

    def sit_down(self, viewer: Viewer, message: wire.SitDown) -> None:
        """Reserves a seat and buys in."""
        self._buying.sit_down(viewer, message)

    def sat_down(self, seat: Seat) -> None:
        """A buy-in is booked."""
        seat.state = SeatState.PLAYING
        self._sat_in_order.append(seat.account)
        taken = wire.SeatTaken(
            table=self._settings.table,
            seq=self._table.next_seq(),
            seat=seat.number,
            name=seat.name,
            stack=seat.stack,
            status=seat.status(),
            bot=is_house_bot(seat.name),
        )
        self._table.tell(views.public(taken))

    def top_up(self, viewer: Viewer, message: wire.TopUp) -> None:
        """Buys more chips; those bought during a hand play from the next one on (A3)."""
        seat = self.own_seat(viewer, message)
        if seat is not None:
            self._buying.top_up(viewer, message, seat)

    def opened(self) -> None:
        """A seat is free, or held no longer: somebody may wait for it."""
        if self.takes_newcomers():
            self._world.seating.opening(self._settings.table)

    # --- other wishes -----------------------------------------------------------------------------------------------

    def sit_out(self, viewer: Viewer, message: wire.SitOut) -> None:
        """See `SeatRequests`."""
        self._wishes.sit_out(viewer, message)

    def sit_in(self, viewer: Viewer, message: wire.SitIn) -> None:
        """See `SeatRequests`."""
        self._wishes.sit_in(viewer, message)

    def stand_up(self, viewer: Viewer, message: wire.StandUp) -> None:
        """See `SeatRequests`."""
        self._wishes.stand_up(viewer, message)

    def set_options(self, viewer: Viewer, message: wire.SeatOptions) -> None:
        """See `SeatRequests`."""
        self._wishes.set_options(viewer, message)

    def own_seat(self, viewer: Viewer, message: wire.Request) -> Seat | None:
        """The seat that somebody may wish something about; else he is refused."""
        seat = self.seats.of(viewer.account)
        code = Code.NOT_SEATED if seat is None else _NOT_NOW.get(seat.state)
        if code is not None:
            self._table.refuse(viewer, message, code)
            return None
        return seat

    # --- presence ---------------------------------------------------------------------------------------------------

    def viewer_gone(self, viewer: Viewer) -> None:
        """A connection is lost, or was logged out: a seat held for its account is free, his own is kept a while."""
        account = viewer.account
        if account is None or self._table.is_connected(account):
            return
        self._holds.withdraw(account)
        seat = self.held_by(account)
        if seat is not None and seat.connected:
            self.went_away(seat)

    def went_away(self, seat: Seat) -> None:
        """His last connection is lost. His clock runs on; his seat is kept for `away_limit_s`.

        A room that goes down waits for no hand that nobody is there to play [D].
        """
        seat.gone_since_ms = self._world.now_ms()
        self.changed(seat)
        self._absences.expect(seat)
        self._table.ending.consider()

    def attached(self, seat: Seat) -> None:
        """He watches his table again."""
        seat.gone_since_ms = None
        seat.overdue = False
        self._absences.end(seat)
        self.return_to_play(seat)
        self.changed(seat)
        if self._table.hands.chips_of(seat) == 0:
            self._absences.expect(seat)
        self._table.hands.consider_dealing()

    # --- between hands ----------------------------------------------------------------------------------------------

    def add_top_ups(self) -> None:
        """After a hand: what was bought during it is behind the player now (A3)."""
        for seat in self.seats:
            if seat.topped_up:
                seat.stack += seat.topped_up
                seat.topped_up = 0
                self.changed(seat)

    def top_up_automatically(self) -> None:
        """After a hand: those who have chosen so are topped up from their wallets. The next hand does not wait."""
        for seat in self.seats:
            self._buying.top_up_automatically(seat)

    def settle_debts(self) -> None:
        """After a hand: those who leave are cashed out, those without chips sit out until they top up.

        Who has no chips keeps the seat for `away_limit_s` only. From a closing table all leave.
        """
        for seat in list(self.seats):
            if seat.state is SeatState.LEAVING:
                self._buying.cash_out(seat)
            elif self.closing:
                self.leave(seat)
            elif seat.overdue:
                seat.overdue = False
                self._away_too_long(seat)
            elif seat.state is SeatState.PLAYING and seat.stack == 0:
                seat.state = SeatState.SITTING_OUT
                seat.returns_playing = True
                self.changed(seat)
                self._absences.expect(seat)
            elif seat.stack == 0 and not self._absences.expects(seat) and not seat.busy:
                self._absences.expect(seat)

    def leave(self, seat: Seat) -> None:
        """He loses the seat: now, or once the ledger or the hand that he plays has come to its end."""
        if seat.state is SeatState.RESERVED or self._table.hands.in_hand(seat):
            return
        seat.state = SeatState.LEAVING
        self.changed(seat)
        self._buying.cash_out(seat)

    def left(self, seat: Seat) -> None:
        """His stack is in his wallet."""
        self._absences.end(seat)
        self.seats.remove(seat)
        self._sat_in_order.remove(seat.account)
        self._world.seating.freed(seat.account, self._settings.table)
        self._table.hands.decisions.forget(seat.account)
        left = wire.SeatLeft(
            table=self._settings.table, seq=self._table.next_seq(), seat=seat.number, name=seat.name
        )
        self._table.tell(views.public(left), left=partial(self._table.snapshots.lost_seat, seat.account))
        self._table.hands.note_seats()  # else his next sitting would begin with what he wished in this one
        self.opened()

    def return_to_play(self, seat: Seat) -> None:
        """He plays on if nothing else kept him from it, and he is here and has chips."""
        if seat.returns_playing and seat.connected and seat.stack > 0 and seat.state is SeatState.SITTING_OUT:
            seat.returns_playing = False
            seat.state = SeatState.PLAYING
            self._absences.end(seat)

    def changed(self, seat: Seat) -> None:
        """Tells everybody how the seat stands; its stack not before the ledger has the hand that made it so."""
        self._table.hands.when_settled(partial(self._tell_changed, seat), first=True)

    # --- the table as a whole ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """By the operator: nobody sits down any more, and all leave, those in a hand when it has ended."""
        self.closing = True
        self._table.hands.note_closing(closing=True)
        self._world.seating.closed(self._settings.table)
        self._holds.end_all()
        for seat in list(self.seats):
            if seat.state is not SeatState.LEAVING:
                self.leave(seat)

    def reopen(self) -> None:
        """By the operator: players may sit down again, and who is still here stays unless he is leaving."""
        self.closing = False
        self._table.hands.note_closing(closing=False)
        self.opened()

    def stop(self) -> None:
        """Cancels the timers; none is set again."""
        self._stopped = True
        self._holds.forget()
        self._absences.stop()

    def abandon(self) -> None:
        """The table is about to begin anew: answers of the ledger that still come are for their clients alone."""
        self.abandoned = True
        self.stop()
        self._world.seating.calls_lost(self._settings.table)

    def successor(self) -> SeatManager:
        """New chairs for the same table, after a fault: the operator's word stands, the rest is to be restored."""
        after = SeatManager(self._table)
        after.closing, after._succeeds = self.closing, True
        return after

    # --- restarts ---------------------------------------------------------------------------------------------------

    def facts(self) -> list[Any]:
        """What the ledger does not know, as plain values: whether the table is closing, and then of its seats.

        The seats come in the order in which they were taken (B1), and behind them those that are being bought.
        """
        sitting = [self.seats.of(account) for account in self._sat_in_order]
        reserved = [seat for seat in self.seats if seat.state is SeatState.RESERVED]
        seats = [SeatFacts.of(seat).to_data() for seat in (*sitting, *reserved) if seat is not None]
        return [self.closing, seats]

    def restore(self, rows: Iterable[SeatRow], facts: Sequence[Any] = ()) -> None:
        """Seats held when the table last stopped; with the facts of that time, where there are any.

        Who was playing plays on when he is back, others when they say so; they have `away_limit_s` for it [D]. Facts
        are of one sitting, that is of an account in a chair: of whom there are none has sat down since, unless there
        are none at all. A table that was closing closes on.
        """
        closing, seats = facts or (False, ())
        if closing and not self._succeeds:
            self.closing = True
            self._table.close()  # all who are still here leave, and then it is told that the table is closed
        known = {(fact.account, fact.seat): fact for fact in map(SeatFacts.from_data, seats)}
        order = {sitting: position for position, sitting in enumerate(known)}
        for row in sorted(rows, key=lambda row: order.get((row.account, row.seat), len(order))):
            fact, here = known.get((row.account, row.seat)), self._table.is_connected(row.account)
            time_bank_ms = self._settings.time_bank_s * 1000
            seat = restored_seat(row, fact, running=bool(facts) or here, time_bank_ms=time_bank_ms)
            seat.gone_since_ms = None if here else self._world.now_ms()
            self.seats.add(seat)
            self._sat_in_order.append(seat.account)
            self.return_to_play(seat)
            if not here or seat.stack == 0:
                self._absences.expect(seat)
        # behind the hand in progress, which may have to be restored
        self._table.mailbox.post(self.settle_debts)
        self._table.mailbox.post(self._table.consider_closed)
        self._world.seating.calls_lost(self._settings.table)  # what the chairs before these were asked for
        self.opened()

    def take_part(self, play: HandPlay) -> None:
        """A hand goes on after a restart: what a seat has beyond its stack at the start was bought meanwhile (A3)."""
        for seat, stack in zip(play.seats, play.stacks_at_start, strict=True):
            seat.topped_up, seat.stack = seat.stack - stack, stack
            assert seat.topped_up >= 0

    # --- inside -----------------------------------------------------------------------------------------------------

    def _tell_changed(self, seat: Seat) -> None:
        if self.seats.of(seat.account) is not seat:
            return  # he was in no hand, and has left while its result was awaited
        event = wire.SeatChanged(
            table=self._settings.table,
            seq=self._table.next_seq(),
            seat=seat.number,
            stack=self._table.hands.stack_of(seat),
            status=seat.status(),
            connected=seat.connected,
            gone_since_ms=seat.gone_since_ms,
        )
        self._table.tell(views.public(event))

    def _limit_is_over(self, seat: Seat) -> None:
        self._table.mailbox.post(self._away_too_long, seat)

    def _away_too_long(self, seat: Seat) -> None:
        """H6: who is away for the table's limit, or has had no chips for so long, loses the seat after his hand.

        A house choice [D]: he need not have been sat out first, so that nobody keeps a seat at an idle table.
        """
        if self.abandoned or self.seats.of(seat.account) is not seat or seat.state is SeatState.LEAVING:
            return
        if seat.connected and self._table.hands.chips_of(seat) > 0:
            return
        # in a hand what the clock decides for him counts first (H2)
        seat.overdue = self._table.hands.in_hand(seat)
        self.leave(seat)
