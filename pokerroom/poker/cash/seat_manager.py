"""The seats of one cash table: their holders, presence of players, and when a seat is lost.

`seat_reservations` holds free seats for accounts that are about to sit down, `buy_ins` asks the ledger, `seat_requests`
takes what holders request; this module says when. Runs inside the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Final

from pokerroom.ledger.api import SeatRow
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.cash.buy_ins import BuyIns
from pokerroom.poker.cash.seat_requests import SeatRequests
from pokerroom.poker.cash.seat_reservations import SeatReservations
from pokerroom.poker.hand_plan import sit_out_the_timed_out
from pokerroom.poker.journal import SeatingFacts
from pokerroom.poker.ports import HandPorts
from pokerroom.poker.seat_facts import SeatFacts, decode_seat_facts, encode_seat_facts, restored_seat
from pokerroom.poker.seats import Seat, Seats, SeatState
from pokerroom.table.absences import Absences
from pokerroom.table.api import SeatOffered
from pokerroom.table.game import GamePorts
from pokerroom.table.house_bots import is_house_bot
from pokerroom.table.viewer import Viewer, public
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_NOT_NOW = {SeatState.RESERVED: Code.REQUEST_PENDING, SeatState.LEAVING: Code.LEAVING}
"""Holders who may request nothing about their seat: the buy-in is at the ledger, or they are leaving."""

# Reading an enum's member takes several times as long as reading a name.
_RESERVED: Final = SeatState.RESERVED


class SeatManager:
    """The seats of a cash table (`ports.PokerSeats`)."""

    def __init__(self, settings: TableSettings, ports: GamePorts, hands: HandPorts) -> None:
        self._settings = settings
        self._host = ports.context.host
        self._announcer = ports.announcer
        self._snapshots = ports.snapshots
        self._mailbox = ports.mailbox
        self._requests = ports.requests
        self._drain = ports.drain
        self._table = ports.table
        self._now_ms = ports.context.now_ms
        self._directory = ports.context.seating
        self._hands = hands
        self.seats = Seats(settings.seats_max)
        self.reservations = SeatReservations(settings, ports, self)
        self.buy_ins = BuyIns(settings, ports, hands, self, self.reservations)
        self.requests = SeatRequests(ports, hands, self, self.buy_ins)
        self._sat_in_order: list[int] = []
        self._absences = Absences(ports.context.clock, settings.away_limit_s, self._limit_is_over)
        self._sit_outs = Absences(ports.context.clock, settings.sit_out_limit_s, self._sit_out_is_over)
        self._stopped = False
        self.abandoned = False
        """Another game has taken the place of this one: nothing changes here any more."""
        self.closing = False
        """The operator has closed the table."""
        self._closing_is_known = False
        """Whether `closing` is the operator's last order; else the journal knows it."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def settings_now(self) -> TableSettings:
        """The settings as they were told last."""
        return self._decided(self._host.settings)

    @property
    def settings_dealt(self) -> TableSettings:
        """The settings of a hand that begins now."""
        return self._decided(self._host.dealt)

    def _decided(self, settings: object) -> TableSettings:
        return settings if isinstance(settings, TableSettings) else self._settings

    def first_sitter(self) -> int | None:
        """Return the seat of the first player who sat down and is still here: it gets the first button (B1)."""
        playing = {candidate.seat for candidate in self.seats.candidates()}
        held = (self.seats.of(account) for account in self._sat_in_order)
        return next((seat.number for seat in held if seat is not None and seat.number in playing), None)

    def held_by(self, account: int | None) -> Seat | None:
        """Return the seat of an account once its buy-in is booked; clients are not told of one that is reserved."""
        seat = self.seats.of(account)
        return None if seat is None or seat.state is _RESERVED else seat

    def holds_seat(self, account: int | None) -> bool:
        return self.seats.of(account) is not None

    def reserved(self) -> list[int]:
        return self.reservations.seat_numbers()

    def holders(self) -> list[int]:
        return [seat.account for seat in self.seats]

    def seated(self) -> list[int]:
        return [account for account in self.holders() if self.held_by(account) is not None]

    def connected(self) -> int:
        return sum(seat.connected for seat in self.seats)

    def empty(self) -> bool:
        return len(self.seats) == 0 and not self._requests.waits()

    def takes_newcomers(self) -> bool:
        """Return whether a player may sit down or be called to a seat; not when the room shuts down either."""
        return not (self.closing or self._stopped or self._drain.draining)

    def own_seat(self, viewer: Viewer, message: wire.Request) -> Seat | None:
        """Return the seat that the viewer may request something about; else refuse and return None."""
        seat = self.seats.of(viewer.account)
        code = Code.NOT_SEATED if seat is None else _NOT_NOW.get(seat.state)
        if code is not None:
            self._announcer.refuse(viewer, message, code)
            return None
        return seat

    def address_is_full(self, viewer: Viewer) -> bool:
        """Return whether as many other players of the viewer's address sit here as may.

        A player counts for the address that sat down, also while the line is lost or the ledger books the buy-in, and
        for that of the connection which watches now.
        """
        most, group = (
            self._settings.seats_per_address,
            viewer.address_group if self._settings.seats_per_address else "",
        )
        if not group:
            return False
        others = {other.account for other in self._announcer.outbox.viewers() if other.address_group == group}
        counted = [seat for seat in self.seats if seat.address_group == group or seat.account in others]
        return sum(seat.account != viewer.account for seat in counted) >= most

    # --- sitting down -----------------------------------------------------------------------------------------------

    def offer_seat(self, account: int, offered: SeatOffered) -> None:
        """See `GameSeats`; `offered` is called at once."""
        self.reservations.offer(account, offered)

    def withdraw_offer(self, account: int) -> None:
        """See `GameSeats`: the seat is free for the next account."""
        self.reservations.withdraw(account, offered_only=True)

    def sat_down(self, seat: Seat) -> None:
        """A buy-in is booked."""
        seat.state = SeatState.PLAYING
        self._sat_in_order.append(seat.account)
        taken = wire.SeatTaken(
            table=self._settings.table,
            seq=self._announcer.next_seq(),
            seat=seat.number,
            name=seat.name,
            stack=seat.stack,
            status=seat.status(),
            bot=is_house_bot(seat.name),
        )
        self._announcer.tell(public(taken))

    def opened(self) -> None:
        """A seat is free, or held no longer: a waiting account may have it."""
        if self.takes_newcomers():
            self._directory.opening(self._settings.table)

    # --- presence ---------------------------------------------------------------------------------------------------

    def attached(self, account: int | None) -> None:
        """See `GameSeats`; called before a snapshot, which has the player's presence and grace."""
        seat = self.held_by(account)
        if seat is not None and not seat.connected:
            self._back(seat)
            self._hands.grace(seat)

    def detached(self, viewer: Viewer) -> None:
        """See `GameSeats`: a seat held for its account is free; the account's own seat is kept a while."""
        account = viewer.account
        if account is None or self._announcer.is_connected(account):
            return
        self.reservations.withdraw(account)
        seat = self.held_by(account)
        if seat is not None and seat.connected:
            self.went_away(seat)

    def went_away(self, seat: Seat) -> None:
        """The holder's last connection is lost. The clock runs on; the seat is kept for `away_limit_s`.

        A room that shuts down waits for no hand without a player who is there [D].
        """
        seat.gone_since_ms = self._now_ms()
        self.changed(seat)
        self._absences.expect(seat)
        self._drain.consider()

    def _back(self, seat: Seat) -> None:
        seat.gone_since_ms = None
        seat.overdue = False
        self._absences.end(seat)
        self.return_to_play(seat)
        self.changed(seat)
        if self._hands.hand.chips_of(seat) == 0:
            self._absences.expect(seat)
        self._hands.consider_dealing()

    # --- between hands ----------------------------------------------------------------------------------------------

    def hand_settled(self, timed_out: Collection[int], acted: Collection[int]) -> None:
        """After a hand: put top-ups behind their players, sit out absent players, settle debts, top up automatically.

        `timed_out` and `acted` are the accounts that let the clock decide, or decided, in it. The next hand does not
        wait for the ledger.
        """
        for seat in self.seats:
            if seat.topped_up:  # bought during the hand (A3)
                seat.stack += seat.topped_up
                seat.topped_up = 0
                self.changed(seat)
        sit_out_the_timed_out(self.seats, timed_out, acted, sits_out=self.changed)
        self._settle_debts()
        for seat in self.seats:
            self.buy_ins.top_up_automatically(seat)

    def _settle_debts(self) -> None:
        """Pay out those who leave, and sit out those without chips.

        A player without chips keeps the seat for `away_limit_s` only. From a closing table all players leave, and from
        a private one those that its host has removed.
        """
        for seat in list(self.seats):
            if seat.state is SeatState.LEAVING:
                self.buy_ins.cash_out(seat)
            elif self.closing or not self._host.admits(seat.account):
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
        """Take the seat away: now, or once the ledger or the hand has ended."""
        if seat.state is SeatState.RESERVED or self._hands.hand.in_hand(seat):
            return
        seat.state = SeatState.LEAVING
        self.changed(seat)
        self.buy_ins.cash_out(seat)

    def left(self, seat: Seat) -> None:
        """The stack of the seat is in its holder's wallet."""
        self._absences.end(seat)
        self._sit_outs.end(seat)
        self.seats.remove(seat)
        self._sat_in_order.remove(seat.account)
        self._directory.freed(seat.account, self._settings.table)
        self._hands.forget(seat.account)
        left = wire.SeatLeft(
            table=self._settings.table, seq=self._announcer.next_seq(), seat=seat.number, name=seat.name
        )
        self._announcer.tell(public(left), left=partial(self._snapshots.lost_seat, seat.account))
        self._hands.journal.note()  # else the next sitting would begin with the requests of this one
        self.opened()

    def return_to_play(self, seat: Seat) -> None:
        """Let the player play on if nothing else keeps them from it, and they are here and have chips."""
        if seat.returns_playing and seat.connected and seat.stack > 0 and seat.state is SeatState.SITTING_OUT:
            seat.returns_playing = False
            seat.state = SeatState.PLAYING
            self._absences.end(seat)
            self._sit_outs.end(seat)

    def changed(self, seat: Seat) -> None:
        """Tell all viewers how the seat stands; its stack not before the ledger has the hand that made it so.

        A player who sits out has a limit for it from now on (H6).
        """
        if seat.state is not SeatState.SITTING_OUT:
            self._sit_outs.end(seat)
        elif not self._sit_outs.expects(seat):
            self._expect_to_sit_in(seat)
        self._hands.settlement.when_settled(partial(self._tell_changed, seat), first=True)

    # --- the table as a whole ---------------------------------------------------------------------------------------

    def close_doors(self) -> None:
        """See `GameSeats`: all players leave, those in a hand when it has ended."""
        self.closing = True
        self._hands.journal.note_closing(closing=True)
        self._directory.closed(self._settings.table)
        self.reservations.end_all()
        for seat in list(self.seats):
            if seat.state is not SeatState.LEAVING:
                self.leave(seat)

    def open_doors(self) -> None:
        """See `GameSeats`: a player who is still here stays unless they are leaving."""
        self.closing = False
        self._hands.journal.note_closing(closing=False)
        self.opened()

    def stop(self) -> None:
        """See `GameSeats`; no timer is set again."""
        self._stopped = True
        self.reservations.forget()
        self._absences.stop()
        self._sit_outs.stop()

    def abandon(self) -> None:
        """See `GameSeats`: answers of the ledger that still come are for their clients alone."""
        self.abandoned = True
        self.stop()
        self._directory.calls_lost(self._settings.table)

    # --- restarts ---------------------------------------------------------------------------------------------------

    def take_over(self, before: SeatManager, rows: Iterable[SeatRow]) -> None:
        """After a fault: the operator's order stands, and accounts that have left meanwhile are free."""
        for account in set(before.holders()) - {row.account for row in rows}:
            self._directory.freed(account, self._settings.table)
        self.closing, self._closing_is_known = before.closing, True

    def facts(self) -> SeatingFacts:
        """See `PokerSeats`: whether the table is closing, and then the facts of its seats.

        The seats come in the order in which they were taken (B1), and behind them those that are being bought.
        """
        sitting = [self.seats.of(account) for account in self._sat_in_order]
        reserved = [seat for seat in self.seats if seat.state is SeatState.RESERVED]
        seats = [SeatFacts.of(seat) for seat in (*sitting, *reserved) if seat is not None]
        return SeatingFacts(closing=self.closing, seats=encode_seat_facts(seats))

    def restore(self, rows: Iterable[SeatRow], facts: SeatingFacts | None = None) -> None:
        """Seat the players who sat when the table last stopped; with the facts of that time, where there are any.

        Players who took part play on when they are back, others when they say so; they have `away_limit_s` for it [D].
        Facts are of one sitting, that is of an account in a seat: an account without facts has sat down since, unless
        there are none at all. A table that was closing closes on.
        """
        seats = [] if facts is None else decode_seat_facts(facts.seats)
        known_seats = facts is not None and facts.knows_seats
        if facts is not None and facts.closing and not self._closing_is_known:
            self.closing = True
            self._table.close()  # all players who are still here leave, and then the table is told to be closed
        known = {(fact.account, fact.seat): fact for fact in seats}
        order = {sitting: position for position, sitting in enumerate(known)}
        for row in sorted(rows, key=lambda row: order.get((row.account, row.seat), len(order))):
            fact, here = known.get((row.account, row.seat)), self._announcer.is_connected(row.account)
            time_bank_ms = self._settings.time_bank_s * 1000
            seat = restored_seat(row, fact, running=known_seats or here, time_bank_ms=time_bank_ms)
            seat.gone_since_ms = None if here else self._now_ms()
            self.seats.add(seat)
            self._sat_in_order.append(seat.account)
            self.return_to_play(seat)
            if not here or seat.stack == 0:
                self._absences.expect(seat)
            if seat.state is SeatState.SITTING_OUT:
                self._expect_to_sit_in(seat)
        # behind the hand in progress, which may have to be restored
        self._mailbox.post(self._settle_debts)
        self._mailbox.post(self._table.consider_closed)
        self._directory.calls_lost(self._settings.table)  # what the seats before these were asked for
        self.opened()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _tell_changed(self, seat: Seat) -> None:
        if self.seats.of(seat.account) is not seat:
            return  # the player was in no hand, and has left while its result was awaited
        event = wire.SeatChanged(
            table=self._settings.table,
            seq=self._announcer.next_seq(),
            seat=seat.number,
            stack=self._hands.hand.stack_of(seat),
            status=seat.status(),
            connected=seat.connected,
            gone_since_ms=seat.gone_since_ms,
            waiting_top_up=seat.topped_up,
        )
        self._announcer.tell(public(event))

    def _limit_is_over(self, seat: Seat) -> None:
        self._mailbox.post(self._away_too_long, seat)

    def _expect_to_sit_in(self, seat: Seat) -> None:
        if self._settings.sit_out_limit_s:
            self._sit_outs.expect(seat)

    def _sit_out_is_over(self, seat: Seat) -> None:
        self._mailbox.post(self._sat_out_too_long, seat)

    def _sat_out_too_long(self, seat: Seat) -> None:
        """H6: a player who sits out for the table's limit loses the seat, connected or not.

        A player still in a hand, or with a top-up at the ledger, has the limit once more.
        """
        if (
            self.abandoned
            or self.seats.of(seat.account) is not seat
            or seat.state is not SeatState.SITTING_OUT
        ):
            return
        if self._hands.hand.in_hand(seat) or seat.busy:
            self._expect_to_sit_in(seat)
        else:
            self.leave(seat)

    def _away_too_long(self, seat: Seat) -> None:
        """H6: a player who is away, or has no chips, for the table's limit loses the seat after their hand.

        A house choice [D]: the player need not be sitting out first, so that a seat at an idle table becomes free, too.
        """
        if self.abandoned or self.seats.of(seat.account) is not seat or seat.state is SeatState.LEAVING:
            return
        if seat.connected and self._hands.hand.chips_of(seat) > 0:
            return
        # in a hand what the clock decides comes first (H2)
        seat.overdue = self._hands.hand.in_hand(seat)
        self.leave(seat)
