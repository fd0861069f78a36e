"""What a table has told so far, as plain facts: the ground on which the checkers stand.

It follows the events of one table of one process in the order in which they left the room, and says nothing about
whether they may be so. It knows poker only so far as that chips move from a stack to the middle and back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pokerroom_protocol import messages as wire

DEAD = frozenset({"ante", "big_blind_ante", "dead_post"})


@dataclass(slots=True, kw_only=True)
class CheckedSeat:
    """A taken seat."""

    name: str
    stack: int
    status: str
    connected: bool
    bet: int = 0


@dataclass(slots=True, kw_only=True)
class CheckedHand:
    """The hand in progress. `start` is known only of a hand whose beginning was told."""

    hand_id: str
    dealt_in: tuple[int, ...]
    start: dict[int, int]
    middle: int = 0
    """Bets and pots."""
    rake: int = 0
    """What was taken of the pots that were awarded."""
    asked: list[wire.Turn | wire.TurnView] = field(default_factory=list)
    """The turns of the decision that is awaited, oldest first; empty when none is."""
    decisions: int = 0
    stakes: tuple[tuple[int, int], ...] = ()
    """The blinds that it may have: of the hand before, and what was told since. Empty where that was not seen."""
    whole: bool = False
    """Everything since its beginning was seen."""


class CheckedTable:
    """One table as told by one process. `synced` is False while no viewer is sent its events."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.synced = False
        self.seq = 0
        self.seats: dict[int, CheckedSeat] = {}
        self.hand: CheckedHand | None = None
        self.frozen = False
        self.closing = False
        self.paused = False
        self.stakes = (0, 0)
        """The small and the big blind that were told last."""
        self._stakes_since: tuple[tuple[int, int], ...] = ()
        """Those of the last hand, and what was told since. Empty where something was not seen."""
        self.noticed_seq = 0
        """Number of the last notice, from which both of them are."""

    def sync(self, snapshot: wire.Snapshot, known: CheckedHand | None) -> None:
        """Start again from a snapshot; `known` is what an earlier process or snapshot told of the hand."""
        self.synced = True
        seq, self.seq = self.seq, snapshot.seq
        self.closing = snapshot.info.closing
        self.paused = snapshot.paused
        self.stakes = snapshot.info.small_blind, snapshot.info.big_blind
        if self.stakes not in self._stakes_since[-1:]:
            self._stakes_since = ()
        self.seats = {
            seat.seat: CheckedSeat(
                name=seat.name, stack=seat.stack, status=seat.status, connected=seat.connected, bet=seat.bet
            )
            for seat in snapshot.seats
        }
        before, self.hand = self.hand, None
        whole = before is not None and before.whole and seq == snapshot.seq
        view = snapshot.hand
        if view is None:
            return
        asked: list[wire.Turn | wire.TurnView] = [] if view.turn is None else [view.turn]
        if before is not None and before.asked and asked and before.asked[-1].seq == asked[0].seq:
            asked = before.asked  # the same decision: its earlier turns may be answered, too
        middle = sum(seat.bet for seat in snapshot.seats) + sum(pot.amount for pot in view.pots)
        same = known is not None and known.hand_id == view.hand_id
        self.hand = CheckedHand(
            hand_id=view.hand_id,
            dealt_in=known.dealt_in if known is not None and same else (),
            start=known.start if known is not None and same else {},
            middle=middle,
            asked=asked,
            whole=whole and before is not None and before.hand_id == view.hand_id,
        )

    def apply(self, event: wire.Event) -> None:  # noqa: C901, PLR0912 -- one case per event
        """The next event."""
        self.seq = event.seq
        hand = self.hand
        match event:
            case wire.Acted():
                self._moved(event.seat, event.stack, event.added)
                self.seats[event.seat].bet = event.bet
                if hand is not None:
                    hand.asked.clear()
                    hand.decisions += 1
            case wire.Turn():
                if hand is not None:
                    hand.asked.append(event)
            case wire.Posted():
                self._moved(event.seat, event.stack, event.amount)
                if event.kind not in DEAD:
                    self.seats[event.seat].bet += event.amount
            case wire.StreetDealt():
                for seat in self.seats.values():
                    seat.bet = 0
            case wire.UncalledBet():
                self._moved(event.seat, event.stack, -event.amount)
                self.seats[event.seat].bet -= event.amount
            case wire.PotAwarded():
                for share in event.shares:
                    self._moved(share.seat, self.seats[share.seat].stack + share.amount, -share.amount)
                if self.hand is not None:
                    self.hand.middle -= event.rake or 0
                    self.hand.rake += event.rake or 0
            case wire.HandStarted():
                start = {seat.seat: seat.stack for seat in event.seats}
                self.hand = CheckedHand(
                    hand_id=event.hand_id,
                    dealt_in=tuple(start),
                    start=start,
                    stakes=self._stakes_since,
                    whole=True,
                )
                for number, stack in start.items():
                    self.seats[number].stack = stack
            case wire.HandEnded():
                self.hand = None
                for ended in event.stacks:
                    if ended.seat in self.seats:
                        self.seats[ended.seat].stack = ended.stack
                for seat in self.seats.values():
                    seat.bet = 0
            case wire.SeatTaken():
                self.seats[event.seat] = CheckedSeat(
                    name=event.name, stack=event.stack, status=event.status, connected=True
                )
            case wire.SeatChanged():
                seat = self.seats[event.seat]
                seat.stack, seat.status, seat.connected = event.stack, event.status, event.connected
            case wire.TablePaused():
                self.paused = event.paused
            case wire.StakesChanged():
                self._told((event.small_blind, event.big_blind))
            case wire.SeatLeft():
                self.seats.pop(event.seat, None)
            case _:
                pass

    def _told(self, stakes: tuple[int, int]) -> None:
        self.stakes = stakes
        if self._stakes_since:
            self._stakes_since += (stakes,)

    def dealt(self, stakes: tuple[int, int]) -> None:
        """A hand has had these blinds: the next one has none that were told before them."""
        known = self._stakes_since
        self._stakes_since = known[known.index(stakes) :] if stakes in known else (stakes, self.stakes)

    def knows_seats_of(self, event: wire.Event) -> bool:
        """Whether every seat that the event moves is taken."""
        match event:
            case wire.Acted() | wire.Posted() | wire.UncalledBet() | wire.SeatChanged():
                return event.seat in self.seats
            case wire.PotAwarded():
                return all(share.seat in self.seats for share in event.shares)
            case wire.HandStarted():
                return all(seat.seat in self.seats for seat in event.seats)
            case _:
                return True

    def _moved(self, seat: int, stack: int, to_middle: int) -> None:
        self.seats[seat].stack = stack
        if self.hand is not None:
            self.hand.middle += to_middle

    def seat_of(self, name: str) -> int | None:
        """The seat of an account's name."""
        return next((number for number, seat in self.seats.items() if seat.name == name), None)
