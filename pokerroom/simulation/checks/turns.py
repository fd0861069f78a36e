"""One player to act at a time."""

from __future__ import annotations

from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


class TurnChecker:
    """Turns and actions alternate."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame

    def event(self, facts: CheckedTable, event: wire.Event) -> None:
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
            asked = f"seat {hand.asked[-1].seat}" if hand.asked else "no player"
            self._blame(Kind.TURN, table, hand_id, f"seat {event.seat} acts while {asked} is asked")
