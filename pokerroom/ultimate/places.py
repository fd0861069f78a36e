"""The places of a table of Ultimate Texas Hold'em: which account has which place, and whether it is connected (U10).

A place is a box; where a common hand is dealt, it is one of any number. A place costs nothing: the ledger has it as a
seat without a stack. Bets of a round in progress are played to the end, also when their player has left. Runs inside
the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Unpack

from pokerroom.ledger.api import Facts, SeatRow
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.table.absences import Absences
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.viewer import Viewer, public
from pokerroom.ultimate.state import UltimateState
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


@dataclass(slots=True, kw_only=True, eq=False)
class TakenPlace:
    """One taken place. `booked`: the ledger has it; `leaving`: the ledger is asked to free it."""

    box: int
    account: int
    name: str
    booked: bool = True
    leaving: bool = False
    connected: bool = True
    hidden: bool = False
    """The client says that the player does not see the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceEvents:
    """What the game does when a place changes hands."""

    leaving: Callable[[int], None]
    """The account is about to leave: its bets of an open betting time are dropped."""
    left: Callable[[int], None]
    """The account has left."""
    consider_leaving: Callable[[], None]
    """A place was taken while the table was closing."""


class BoxPlaces:
    """The places of one table. Iteration gives the booked ones, in the order of their numbers."""

    def __init__(
        self, settings: UltimateSettings, ports: GamePorts, state: UltimateState, events: PlaceEvents
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._directory = ports.context.seating
        self._announcer = ports.announcer
        self._snapshots = ports.snapshots
        self._drain = ports.drain
        self._ask = ports.requests.ask
        self._post = ports.mailbox.post
        self._table = ports.table
        self._state = state
        self._events = events
        self._by_box: dict[int, TakenPlace] = {}
        self._by_account: dict[int, TakenPlace] = {}
        self._absences: Absences[TakenPlace] = Absences(
            ports.context.clock, settings.away_limit_s, self._limit_is_over
        )

    def __iter__(self) -> Iterator[TakenPlace]:
        return iter([place for _, place in sorted(self._by_box.items()) if place.booked])

    # --- questions --------------------------------------------------------------------------------------------------

    def of(self, account: int | None) -> TakenPlace | None:
        """Return the place of an account, also one that the ledger has not booked yet."""
        return None if account is None else self._by_account.get(account)

    def held_by(self, account: int | None) -> TakenPlace | None:
        """Return the booked place of an account."""
        place = self.of(account)
        return place if place is not None and place.booked else None

    def accounts(self) -> list[int]:
        """Return the accounts that have a place, or are about to."""
        return list(self._by_account)

    def empty(self) -> bool:
        """Return whether no account has a place or is about to."""
        return not self._by_box

    def free_boxes(self) -> list[int]:
        """Return the boxes that no account holds."""
        return [box for box in range(1, self._settings.terms.boxes + 1) if box not in self._by_box]

    def present(self) -> frozenset[int]:
        """Return the accounts that are connected and stay."""
        return frozenset(place.account for place in self if place.connected and not place.leaving)

    def absent(self) -> frozenset[int]:
        """Return the accounts that are not connected, or do not see the table (U16)."""
        return frozenset(place.account for place in self if not place.connected or place.hidden)

    # --- coming and going -------------------------------------------------------------------------------------------

    def take(self, viewer: Viewer, message: wire.TakePlace) -> None:
        """Take a place, if the ledger agrees."""
        account = viewer.account
        assert account is not None  # a session passes this only when it is logged in
        box = self._box_for(account, message.box)
        if isinstance(box, Code):
            self._announcer.refuse(viewer, message, box)
            return
        if not self._directory.claim(account, self._settings.table):
            self._announcer.refuse(viewer, message, Code.TOO_MANY_TABLES)
            return
        place = TakenPlace(box=box, account=account, name=viewer.name, booked=False)
        self._add(place)
        context, table = self._context, self._settings.table
        key = f"place:{context.random_bytes(16).hex()}"
        self._ask(
            lambda: context.ledger.take_place(key, table, context.epoch, box, account, context.tables_max),
            done=lambda _: self._taken(viewer, message, place),
            refused=partial(self._not_taken, viewer, message, place),
            late=lambda _: self._taken_late(viewer, message, place),
        )

    def stand_up(self, viewer: Viewer, message: wire.StandUp) -> None:
        """Give the place up, with the bets of an open betting time."""
        place = self.of(viewer.account)
        if place is None or place.leaving or not place.booked:
            code = Code.LEAVING if place is not None and place.leaving else Code.REQUEST_PENDING
            self._announcer.refuse(viewer, message, Code.NOT_SEATED if place is None else code)
            return

        def answer() -> None:
            if viewer.account == place.account:
                self._announcer.confirm(viewer, message)

        self.leave(place, answer)

    def leave(self, place: TakenPlace, then: Callable[[], None] = lambda: None) -> None:
        """Free the place as soon as the ledger agrees, and then call `then`."""
        if place.leaving or not place.booked or self._state.abandoned:
            return
        place.leaving = True
        self._events.leaving(place.account)
        context, table = self._context, self._settings.table
        key = f"cashout:{context.random_bytes(16).hex()}"

        def late(_: object) -> None:
            self._directory.freed(place.account, table)
            self._table.after_restart(then)

        def left(_: object) -> None:
            self._left(place)
            then()

        self._ask(
            lambda: context.ledger.cash_out(key, table, context.epoch, place.account),
            done=left,
            refused=fault_of_ours,
            late=late,
        )

    def leave_all(self) -> None:
        """Free all places: the operator closes the table, and no round is in progress."""
        for place in list(self._by_box.values()):
            self.leave(place)

    # --- presence ---------------------------------------------------------------------------------------------------

    def viewer_gone(self, viewer: Viewer) -> None:
        """A connection is lost, or has logged out: keep the place for `away_limit_s` seconds."""
        place = self.held_by(viewer.account)
        if place is not None and place.connected and not self._announcer.is_connected(place.account):
            self._went_away(place)

    def attached(self, place: TakenPlace) -> None:
        """The holder of the place watches the table again, perhaps over another connection."""
        self._absences.end(place)
        place.hidden = False
        if not place.connected:
            place.connected = True
            self._tell_presence(place)

    def set_presence(self, viewer: Viewer, message: wire.SetPresence) -> None:
        """Note whether the player sees the table."""
        place = self.held_by(viewer.account)
        if place is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
            return
        place.hidden = not message.present
        self._announcer.confirm(viewer, message)

    # --- restarts ---------------------------------------------------------------------------------------------------

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """Take the places from the ledger. Absent players have `away_limit_s` seconds to come back."""
        for row in rows:
            here = self._announcer.is_connected(row.account)
            place = TakenPlace(box=row.seat, account=row.account, name=row.name, connected=here)
            self._add(place)
            if not here:
                self._absences.expect(place)

    def stop(self) -> None:
        """Cancel the timers, and set none again."""
        self._absences.stop()

    # --- inside -----------------------------------------------------------------------------------------------------

    def _box_for(self, account: int, wanted: int | None) -> int | Code:
        place = self.of(account)
        if place is not None:
            return Code.ALREADY_SEATED if place.booked else Code.REQUEST_PENDING
        if self._state.closing or self._drain.draining:
            return Code.TABLE_CLOSING
        # a player who has left may still have bets on a box: it is free when they are settled (house choice)
        busy = {*self._by_box, *self._state.boxes_in_play()}
        if self._settings.is_common_hand:
            if wanted is not None:
                return Code.NO_SUCH_BOX
            free = next(number for number in count(1) if number not in busy)
            return free if free <= self._settings.seats_max else Code.TABLE_FULL
        boxes = range(1, self._settings.terms.boxes + 1)
        if wanted is None:
            return next((box for box in boxes if box not in busy), Code.TABLE_FULL)
        if wanted not in boxes:
            return Code.NO_SUCH_BOX
        return Code.BOX_TAKEN if wanted in busy else wanted

    def _add(self, place: TakenPlace) -> None:
        assert place.box not in self._by_box
        assert place.account not in self._by_account
        self._by_box[place.box] = self._by_account[place.account] = place

    def _remove(self, place: TakenPlace) -> None:
        del self._by_box[place.box]
        del self._by_account[place.account]

    def _taken(self, viewer: Viewer, message: wire.TakePlace, place: TakenPlace) -> None:
        place.booked = True
        taken = wire.PlaceTaken(
            table=self._settings.table, seq=self._announcer.next_seq(), box=place.box, name=place.name
        )
        self._announcer.tell(public(taken))
        self._directory.seated(place.account, self._settings.table)
        if viewer.account == place.account:
            self._snapshots.send(viewer, message.id)
        self._snapshots.seated(place.account, but=viewer)
        here = viewer.connected and viewer.account == place.account
        if not here and not self._announcer.is_connected(place.account):
            self._went_away(place)
        if self._state.closing:
            self._events.consider_leaving()

    def _taken_late(self, viewer: Viewer, message: wire.TakePlace, place: TakenPlace) -> None:
        """The table restarts meanwhile, and its next game has the place from the ledger."""
        self._directory.seated(place.account, self._settings.table)

        def answer() -> None:
            if viewer.account == place.account:
                self._table.attached(place.account)
                self._snapshots.send(viewer, message.id)

        self._table.after_restart(answer)

    def _not_taken(
        self, viewer: Viewer, message: wire.TakePlace, place: TakenPlace, code: Code, **facts: Unpack[Facts]
    ) -> None:
        self._remove(place)
        self._directory.freed(place.account, self._settings.table)
        self._announcer.refuse(viewer, message, Code.BOX_TAKEN if code is Code.SEAT_TAKEN else code, **facts)

    def _left(self, place: TakenPlace) -> None:
        self._absences.end(place)
        self._remove(place)
        self._events.left(place.account)
        self._directory.freed(place.account, self._settings.table)
        left = wire.PlaceLeft(
            table=self._settings.table, seq=self._announcer.next_seq(), box=place.box, name=place.name
        )
        self._announcer.tell(public(left))
        self._table.consider_closed()

    def _went_away(self, place: TakenPlace) -> None:
        place.connected = False
        self._tell_presence(place)
        self._absences.expect(place)
        self._drain.consider()

    def _tell_presence(self, place: TakenPlace) -> None:
        if self._state.abandoned:
            return
        changed = wire.PlaceChanged(
            table=self._settings.table,
            seq=self._announcer.next_seq(),
            box=place.box,
            connected=place.connected,
        )
        self._announcer.tell(public(changed))

    def _limit_is_over(self, place: TakenPlace) -> None:
        self._post(self._away_too_long, place)

    def _away_too_long(self, place: TakenPlace) -> None:
        """Free the place of a player who does not come back (house choice); the clock decides for its bets."""
        if not self._state.abandoned and self.of(place.account) is place and not place.connected:
            self.leave(place)
