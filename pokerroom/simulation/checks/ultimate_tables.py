"""What tables of Ultimate tell while a round is played: no card too early, the clock neither early nor late.

The simulation knows the cards of every round before anybody is told, and every decision before it is taken. Each event
is judged once, whoever is told it first; cards are judged for every viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pokerroom.simulation.checks.ultimate_rounds import DealtRound
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

LATE_MS: Final = 3_000
"""A decision of the clock is told this late at most, while nothing is away."""
STUCK_S: Final = 30.0
"""After the deadline a street waits for no player any more."""
_BOARD: Final = {"preflop": 0, "flop": 3, "river": 5}


@dataclass(slots=True, kw_only=True)
class _Street:
    """What is asked in a round now."""

    round_id: str
    deadline_ms: int
    waiting: set[int]
    street: str


@dataclass(slots=True)
class _Table:
    seen: int = -1
    """Number of the last event that was judged."""
    street: _Street | None = None
    shown: dict[str, int] = field(default_factory=dict)
    """Round -> how many board cards may be known."""


class UltimateTableChecker:
    """All tables of a simulation. `cards` are those of a round, `seconds` is virtual time."""

    def __init__(
        self, blame: Blame, seconds: Callable[[], float], cards: Callable[[str], DealtRound | None]
    ) -> None:
        self._blame = blame
        self._seconds = seconds
        self._cards = cards
        self._tables: dict[str, _Table] = {}
        self._asked: set[tuple[str, int, str, int]] = set()
        """(round, box, decision, multiple) of every decision that has reached the room."""
        self._ended: set[str] = set()
        self._outage_until_s = 0.0

    def _table(self, name: str) -> _Table:
        return self._tables.setdefault(name, _Table())

    # --- what happens -----------------------------------------------------------------------------------------------

    def outage(self, until_s: float) -> None:
        """Something may be away until then: the clock may be late."""
        self._outage_until_s = max(self._outage_until_s, until_s)

    def restarted(self, table: str | None = None) -> None:
        """A table restarts, or all do: open questions are asked again."""
        for name in [table] if table is not None else list(self._tables):
            self._table(name).street = None

    def reached(self, message: wire.Decide) -> None:
        """A decision has reached the room."""
        self._asked.add((message.round_id, message.box, message.decision, message.multiple or 0))

    def ended(self, round_id: str) -> None:
        """The ledger has the end of a round: everything of one that was played is turned up."""
        self._ended.add(round_id)

    # --- what is told -----------------------------------------------------------------------------------------------

    def event(self, event: wire.UltimateEvent) -> None:
        """An event that no viewer was sent before."""
        table = self._table(event.table)
        if event.seq <= table.seen:
            return
        table.seen = event.seq
        match event:
            case wire.RoundStarted():
                table.shown[event.round_id] = 0
            case wire.Decisions():
                self._questioned(table, event)
            case wire.Decided():
                self._decided(table, event)
            case wire.BoardDealt():
                self._board(table, event)
            case wire.RoundEnded():
                table.street = None
            case _:
                pass

    def _questioned(self, table: _Table, event: wire.Decisions) -> None:
        street = "river" if event.fold else "preflop" if 4 in event.multiples else "flop"
        before = table.street
        if before is not None and before.round_id == event.round_id and before.street == street:
            before.deadline_ms = event.deadline_ms
            return
        table.street = _Street(
            round_id=event.round_id,
            deadline_ms=event.deadline_ms,
            waiting=set(event.boxes),
            street=street,
        )

    def _decided(self, table: _Table, event: wire.Decided) -> None:
        street, now_ms = table.street, self._seconds() * 1000
        if street is not None:
            street.waiting.discard(event.box)
        if not event.automatic:
            known = any(
                asked[:3] == (event.round_id, event.box, event.decision)
                and (event.decision == "play") is bool(asked[3])
                for asked in self._asked
            )
            if not known:
                line = f"box {event.box} is reported with {event.decision}, and no player has sent it"
                self._blame(Kind.TURN, event.table, event.round_id, line)
            return
        if street is None or street.round_id != event.round_id:
            return  # no viewer was sent the question
        if event.decision != ("fold" if street.street == "river" else "check"):
            line = f"the clock decides {event.decision} on the {street.street}"
            self._blame(Kind.CLOCK, event.table, event.round_id, line)
        if now_ms < street.deadline_ms - 1:
            line = f"box {event.box}: the clock decides {street.deadline_ms - now_ms:.0f} ms early"
            self._blame(Kind.CLOCK, event.table, event.round_id, line)
        late_ms = now_ms - max(street.deadline_ms, self._outage_until_s * 1000)
        if late_ms > LATE_MS:
            line = f"box {event.box}: the clock decides {late_ms:.0f} ms late"
            self._blame(Kind.CLOCK, event.table, event.round_id, line)

    def _board(self, table: _Table, event: wire.BoardDealt) -> None:
        street = table.street
        if street is not None and street.round_id == event.round_id and street.waiting:
            line = f"the {event.street} comes while boxes {sorted(street.waiting)} are to decide"
            self._blame(Kind.TURN, event.table, event.round_id, line)
        table.shown[event.round_id] = max(table.shown.get(event.round_id, 0), _BOARD[event.street])
        if street is not None:
            street.waiting.clear()

    def snapshot(self, snapshot: wire.UltimateSnapshot) -> None:
        """The round as it stands: its street, and the board that goes with it."""
        table, view = self._table(snapshot.table), snapshot.round
        if view is None:
            return
        if len(view.board) != _BOARD[view.street]:
            line = f"a snapshot shows {len(view.board)} board cards on the {view.street}"
            self._blame(Kind.CARDS, snapshot.table, view.round_id, line)
        table.shown[view.round_id] = max(table.shown.get(view.round_id, 0), _BOARD[view.street])
        asked = view.decisions
        if snapshot.seq > table.seen and asked is not None:  # no viewer was sent what happened meanwhile
            table.seen = snapshot.seq
            table.street = _Street(
                round_id=view.round_id,
                deadline_ms=asked.deadline_ms,
                waiting={box.box for box in view.boxes if box.status == "waiting"},
                street=view.street,
            )

    def waiting(self, table: str) -> set[int]:
        """The boxes that are to decide there, as far as anybody was told."""
        street = self._table(table).street
        return set() if street is None else street.waiting

    def look(self, frozen: Sequence[str]) -> None:
        """Called every few seconds: no street waits for ever."""
        now_s = self._seconds()
        for name, table in self._tables.items():
            street = table.street
            if street is None or name in frozen or not street.waiting:
                continue
            if now_s > max(street.deadline_ms / 1000, self._outage_until_s) + STUCK_S:
                self._blame(
                    Kind.PROGRESS, name, street.round_id, f"the {street.street} waits long after its deadline"
                )
                table.street = None

    # --- cards ------------------------------------------------------------------------------------------------------

    def cards(
        self, name: str, account: int | None, message: wire.ServerMessage, cards: Sequence[str]
    ) -> None:
        """A viewer is told these texts of cards: the own hand, the board so far, or a round that is over."""
        table: str = getattr(message, "table", "")
        round_id = getattr(message, "round_id", None)
        if isinstance(message, wire.UltimateSnapshot) and message.round is not None:
            round_id = message.round.round_id
        dealt = None if round_id is None else self._cards(round_id)
        if dealt is None:
            self._blame(Kind.CARDS, table, round_id or "", f"{name} is told cards of no round: {cards}")
            return
        if isinstance(message, wire.RoundEnded) and round_id in self._ended and not message.void:
            return
        shown = self._table(table).shown.get(dealt.round_id, 0)
        if isinstance(message, wire.BoardDealt):
            shown = max(shown, _BOARD[message.street])
        known = set(dealt.board[:shown])
        if dealt.common:
            known.update(dealt.holes[0])
        else:
            for (_, player, blind), holes in zip(dealt.boxes, dealt.holes, strict=True):
                if player == account and not blind:
                    known.update(holes)
        for card in sorted(set(cards) - known):
            self._blame(
                Kind.CARDS, table, dealt.round_id, f"{name} is told {card} by {type(message).__name__}"
            )
