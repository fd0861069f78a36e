"""One player to act at a time, and nobody acts after his clock.

The times are those that were told: a decision may be answered until the last deadline that a `turn` named for it, and
what was told of the time bank.
"""

from __future__ import annotations

from collections import defaultdict

from pokerroom.simulation.checks.table_facts import HandFacts, TableFacts
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

LATE_MS_MAX = 500
"""A turn may be told so much after the moment from which its times count: then the room tells other times."""


class OneToAct:
    """Turns and actions alternate."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame

    def event(self, facts: TableFacts, event: wire.Event) -> None:
        """An event about to be applied to the facts."""
        if not isinstance(event, wire.Turn | wire.Acted):
            return
        hand = facts.hand
        kind, table, hand_id = type(event).__name__, facts.table, event.hand_id
        if hand is None or hand.hand_id != event.hand_id:
            self._blame(Kind.TURN, table, hand_id, f"{kind} of seat {event.seat} without this hand")
        elif isinstance(event, wire.Turn):
            if hand.asked and hand.asked[-1].seat != event.seat:
                first = hand.asked[-1].seat
                self._blame(
                    Kind.TURN, table, hand_id, f"seat {event.seat} is asked while seat {first} is to act"
                )
        elif not hand.asked or hand.asked[-1].seat != event.seat:
            asked = f"seat {hand.asked[-1].seat}" if hand.asked else "nobody"
            self._blame(Kind.TURN, table, hand_id, f"seat {event.seat} acts while {asked} is asked")


class InTime:
    """When each answer reached the room, and whether one that counted came too late."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._reached: defaultdict[str, dict[tuple[str, int], int]] = defaultdict(dict)
        """By hand: (name of the account, seq of the turn) -> when the first such answer reached the room, in ms."""
        self._decided_ahead: set[tuple[str, str]] = set()
        """(hand, name): who has sent a pre-action, which acts without an answer to a turn."""

    def reached(self, name: str, request: wire.Request, now_ms: int) -> None:
        """A request has reached the room."""
        if isinstance(request, wire.Act):
            self._reached[request.hand_id].setdefault((name, request.seq), now_ms)
        elif isinstance(request, wire.PreAct):
            self._decided_ahead.add((request.hand_id, name))

    def event(self, facts: TableFacts, event: wire.Event) -> None:
        """An event about to be applied to the facts."""
        if isinstance(event, wire.HandEnded):
            self._reached.pop(event.hand_id, None)
        hand = facts.hand
        if not isinstance(event, wire.Acted) or event.by_clock or hand is None or not hand.asked:
            return
        seat = facts.seats[event.seat]
        leaves = seat.status == "leaving" and event.action == "fold"
        if leaves or (event.hand_id, seat.name) in self._decided_ahead:
            return  # decided without an answer to this turn
        answers = self._reached[event.hand_id]
        arrivals = [answers[seat.name, turn.seq] for turn in hand.asked if (seat.name, turn.seq) in answers]
        if not arrivals:
            self._late(facts, hand, event, "without having sent it")
            return
        deadline_ms = max(_end_ms(turn) for turn in hand.asked) + LATE_MS_MAX
        if min(arrivals) > deadline_ms:
            self._late(facts, hand, event, f"{min(arrivals) - deadline_ms + LATE_MS_MAX} ms after his clock")

    def _late(self, facts: TableFacts, hand: HandFacts, event: wire.Acted, how: str) -> None:
        self._blame(Kind.CLOCK, facts.table, hand.hand_id, f"seat {event.seat} acts ({event.action}) {how}")


def _end_ms(turn: wire.Turn | wire.TurnView) -> int:
    return turn.deadline_ms + (0 if turn.in_time_bank else turn.time_bank_ms)
