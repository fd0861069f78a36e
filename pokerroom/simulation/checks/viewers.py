"""What one viewer is told: events without a gap, the same as for every other viewer, and one answer to each request."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from msgspec import structs

from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

REMEMBERED = 3000
"""Events of a table that a slower viewer is compared with."""


ANSWER_S = 5.0
"""While nothing fails an answer takes no longer."""


@dataclass(slots=True)
class CheckedViewer:
    """One connection, by its number. `name` is empty before the room has confirmed the account."""

    number: int
    name: str = ""
    account: int | None = None
    address: str = ""
    """As in `CheckedConnection`."""
    logs_out: bool = False
    """The viewer has asked to log out, and is not authenticated since."""
    disturbed: set[str] = field(default_factory=set)
    """Tables that have reported a freeze to this viewer, until the snapshot after their restart."""
    seqs: dict[str, int] = field(default_factory=dict)
    """Table -> the number of the last event, for tables whose snapshot was told."""
    asked: dict[int, tuple[wire.Request, float]] = field(default_factory=dict)
    """Requests without an answer, by their id, and when they reached the room."""
    asked_as: dict[int, tuple[str, int | None]] = field(default_factory=dict)
    """The name and account under which each of them was asked: the connection may have another owner by now."""
    excused: set[int] = field(default_factory=set)
    """Those that were under way when their table froze, or when the viewer asked to log out."""


class OrderChecker:
    """Gaps, and what different viewers are told under the same number."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._events: defaultdict[str, dict[int, wire.Event]] = defaultdict(dict)
        self._oldest: defaultdict[str, deque[int]] = defaultdict(deque)
        self._lost: set[tuple[str, int, int]] = set()
        """(table, last, next): gaps that a fault has made. A delayed viewer sees them later."""
        self._last: dict[str, int] = {}
        """Table -> the largest number that anybody was told."""
        self._before: dict[str, int] = {}
        """Table -> the largest number of the processes before."""

    def event(self, viewer: CheckedViewer, event: wire.Event, *, may_jump: bool) -> bool:
        """A viewer is told an event; True if no viewer was sent it before. `may_jump`: a fault has just lost some."""
        last = viewer.seqs.get(event.table)
        if last is None:
            self._wrong(event.table, f"viewer {viewer.number} is told event {event.seq} before any snapshot")
        elif event.seq != last + 1:
            gap = event.table, last, event.seq
            if may_jump and event.seq > last:
                self._lost.add(gap)
            elif gap not in self._lost:
                self._wrong(event.table, f"viewer {viewer.number} is told event {event.seq} after {last}")
        viewer.seqs[event.table] = event.seq
        self._is_of_this_process(event.table, event.seq)
        return self._is_new(viewer, event)

    def was_told(self, table: str, seq: int) -> bool:
        """Whether anybody was told this event already."""
        return seq in self._events[table]

    def _is_new(self, viewer: CheckedViewer, event: wire.Event) -> bool:
        events = self._events[event.table]
        first = events.get(event.seq)
        if first is None:
            events[event.seq] = _public(event)
            oldest = self._oldest[event.table]
            oldest.append(event.seq)
            if len(oldest) > REMEMBERED:
                events.pop(oldest.popleft(), None)
            return True
        if first is not event and first != _public(event):
            self._wrong(
                event.table, f"viewer {viewer.number} is told another event {event.seq} than others are"
            )
        return False

    def snapshot(self, viewer: CheckedViewer, snapshot: wire.Snapshot, *, may_go_back: bool) -> None:
        """A viewer is sent the whole state: the next events follow it. A viewer that left is delayed again."""
        last = viewer.seqs.get(snapshot.table)
        if last is not None and snapshot.seq < last and not may_go_back:
            self._wrong(
                snapshot.table,
                f"viewer {viewer.number} is told a snapshot of event {snapshot.seq} after event {last}",
            )
        viewer.seqs[snapshot.table] = snapshot.seq
        self._is_of_this_process(snapshot.table, snapshot.seq)

    def _is_of_this_process(self, table: str, seq: int) -> None:
        before = self._before.get(table, -1)
        if seq <= before:
            self._wrong(table, f"number {seq} is told again: the process before has told {before}")
        self._last[table] = max(seq, self._last.get(table, seq))

    def restarted(self) -> None:
        """Another process takes the tables: its numbers are larger than all before, and what was told may be void."""
        self._before = self._last.copy()
        self._events.clear()
        self._oldest.clear()
        self._lost.clear()

    def _wrong(self, table: str, line: str) -> None:
        self._blame(Kind.ORDER, table, "", line)


class AnswerChecker:
    """Requests and their answers, one each."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame

    def reached(self, viewer: CheckedViewer, request: wire.Request, at_s: float) -> None:
        """A request has reached the room."""
        viewer.asked[request.id] = request, at_s
        viewer.asked_as[request.id] = viewer.name, viewer.account

    def told(self, viewer: CheckedViewer, message: wire.Answer, *, struck: bool) -> wire.Request | None:
        """The request that a message answers, if any. `struck`: after its answer a handler has just raised."""
        number: int | None = getattr(message, "re", None)
        if number is None:
            return None
        request, _ = viewer.asked.pop(number, (None, 0.0))
        again = struck and isinstance(message, wire.Error) and message.code == "internal"
        if request is None and not again:
            kind = type(message).__name__
            self._blame(
                Kind.ANSWER, "", "", f"viewer {viewer.number}: {kind} to request {number}, which is not open"
            )
        return request

    def left_open(
        self, viewer: CheckedViewer, now_s: float, excused: AbstractSet[str], struck: Callable[[float], bool]
    ) -> None:
        """The simulation is over: nothing may be without an answer for long, but at excused tables.

        `struck`: whether in the moment in which a request reached the room an exception was injected.
        """
        for number, (request, at_s) in viewer.asked.items():
            table = str(getattr(request, "table", ""))
            if number in viewer.excused or table in excused or struck(at_s):
                continue
            if now_s - at_s > ANSWER_S:
                kind = type(request).__name__
                self._blame(Kind.ANSWER, table, "", f"viewer {viewer.number}: {kind} was never answered")


def _public(event: wire.Event) -> wire.Event:
    if isinstance(event, wire.HoleCards) and event.cards is not None:
        return structs.replace(event, cards=None)
    if isinstance(event, wire.Turn) and event.on_timeout is not None:
        return structs.replace(event, on_timeout=None)
    return event


def differences(before: wire.Snapshot, fresh: wire.Snapshot) -> list[str]:
    """What a snapshot says otherwise than the state that a client has kept up to the same event.

    Left out is what no event tells: the table's line in the lobby, and what only the owner of a seat is told, such as
    that a seat belongs to the viewer.
    """
    found = []
    if before.your_seat is not None and before.your_seat != fresh.your_seat:
        found.append(f"your_seat {before.your_seat}, {fresh.your_seat}")
    if before.reserved != fresh.reserved:
        found.append(f"reserved {before.reserved}, {fresh.reserved}")
    if [seat.seat for seat in before.seats] != [seat.seat for seat in fresh.seats]:
        found.append("other seats are taken")
        return found
    for kept, told in zip(before.seats, fresh.seats, strict=True):
        found += [
            f"seat {told.seat} {name} {getattr(kept, name)!r}, {getattr(told, name)!r}"
            for name in told.__struct_fields__
            if name != "cards"
            and getattr(kept, name) != getattr(told, name)
            and not _is_dealt_in(name, kept, told)
        ]
        if kept.cards != told.cards:
            found.append(f"seat {told.seat} cards differ")
    return found + _hand_differences(before.hand, fresh.hand)


def _is_dealt_in(name: str, kept: wire.SeatView, told: wire.SeatView) -> bool:
    """A player that waited for the big blind plays once dealt in: no event of its own tells it."""
    return name == "status" and (kept.status, told.status) == ("waiting", "playing")


def _without_timeout(hand: wire.HandView) -> wire.HandView:
    """Leave out what the clock will do: the account's allowance may have been used at another table meanwhile."""
    if hand.turn is None:
        return hand
    return structs.replace(hand, turn=structs.replace(hand.turn, on_timeout=None))


def _hand_differences(kept: wire.HandView | None, told: wire.HandView | None) -> list[str]:
    if kept is None or told is None:
        return [] if kept is told else ["only one of them has a hand"]
    kept, told = _without_timeout(kept), _without_timeout(told)
    found = [
        f"hand {name} {getattr(kept, name)!r}, {getattr(told, name)!r}"
        for name in ("hand_id", "street", "board", "button", "small_blind", "big_blind", "turn")
        if getattr(kept, name) != getattr(told, name)
    ]
    pots = sum(pot.amount for pot in kept.pots), sum(pot.amount for pot in told.pots)
    if pots[0] != pots[1]:
        found.append(f"hand pots {pots[0]}, {pots[1]}")
    return found
