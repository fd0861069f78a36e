"""Decisions made before the turn has come: each is taken as it was made, at the price it was made for, or not at all.

A pre-action answers the next decision of its owner, `fold_to_any_bet` every one. It explains that one and no other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

Key = tuple[int, int]
"""Number of the viewer, and id of the request."""


@dataclass(slots=True, kw_only=True)
class _Said:
    """A pre-action, or with None that there is none any more. `certain` once `ok` is told."""

    key: Key
    pre_act: wire.PreAct | None
    certain: bool = False


class PreActionChecker:
    """What the players of all tables have decided in advance."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame
        self._said: defaultdict[tuple[str, str], list[_Said]] = defaultdict(list)
        """(table, name) -> in the order in which it reached the room."""

    def reached(self, name: str, key: Key, request: wire.Request) -> None:
        """A request has reached the room."""
        if isinstance(request, wire.PreAct | wire.CancelPreAct):
            pre_act = request if isinstance(request, wire.PreAct) else None
            self._said[request.table, name].append(_Said(key=key, pre_act=pre_act))

    def answered(self, name: str, key: Key, request: wire.Request, *, accepted: bool) -> None:
        """A request is answered."""
        if not isinstance(request, wire.PreAct | wire.CancelPreAct):
            return
        said = self._said[request.table, name]
        for place in [place for place, one in enumerate(said) if one.key == key]:
            said[place].certain = accepted
            if accepted:
                del said[:place]  # replaced
            else:
                del said[place]

    def restarted(self, table: str | None) -> None:
        """The table, or with None the room, restarts: there are no pre-actions."""
        for where in [where for where in self._said if table in {None, where[0]}]:
            del self._said[where]

    def hand_started(self, table: str) -> None:
        """What was decided for another hand is void."""
        self.restarted(table)

    def _possible(self, table: str, name: str, hand_id: str) -> list[wire.PreAct | None]:
        """What may be decided, the newest first; more than one while answers are under way."""
        found: list[wire.PreAct | None] = []
        for one in reversed(self._said.get((table, name), ())):
            if one.pre_act is None or one.pre_act.hand_id == hand_id:
                found.append(one.pre_act)
                if one.certain:
                    return found
        return [*found, None]

    def acted(
        self,
        facts: CheckedTable,
        turn: wire.Turn | wire.TurnView,
        event: wire.Acted,
        *,
        answered: bool,
        leaves: bool,
    ) -> bool:
        """A player or the clock has acted; True if it was a pre-action.

        `answered`: the player has also sent it. `leaves`: it was decided because the player leaves.
        """
        name, where = facts.seats[event.seat].name, (facts.table, facts.seats[event.seat].name)
        if not self._said.get(where):
            return False
        possible = self._possible(facts.table, name, event.hand_id)
        explained = any(_decides(one, turn) == event.action for one in possible if one is not None)
        ahead = possible[0]
        if len(possible) == 1 and ahead is not None and (wanted := _decides(ahead, turn)) is not None:
            if (event.by_clock or wanted != event.action) and not leaves:
                self._wrong(
                    facts, event, f"had decided in advance ({ahead.action}), and {event.action} is told"
                )
        elif not (event.by_clock or explained or answered) and facts.seats[event.seat].status != "leaving":
            self._unasked(facts, event, possible)
            explained = True  # told already
        kept = [one for one in self._said[where] if self._outlives(one)]
        self._said[where] = kept
        return explained and not event.by_clock

    def _outlives(self, said: _Said) -> bool:
        """What holds for one decision is used up by it."""
        return said.pre_act is None or said.pre_act.action == "fold_to_any_bet" or not said.certain

    def _unasked(self, facts: CheckedTable, event: wire.Acted, possible: list[wire.PreAct | None]) -> None:
        """The player has not sent it: it is a pre-action at another price, or one that was cancelled."""
        how = "at another price" if any(possible) else "and has taken it back"
        self._wrong(facts, event, f"acts ({event.action}) by a pre-action {how}")

    def _wrong(self, facts: CheckedTable, event: wire.Acted, how: str) -> None:
        self._blame(Kind.WISH, facts.table, event.hand_id, f"seat {event.seat} {how}")


def _decides(pre_act: wire.PreAct, turn: wire.Turn | wire.TurnView) -> str | None:
    """What it makes of this turn; None where it is void, since the price is another."""
    if pre_act.action == "fold_to_any_bet":
        return "check" if turn.check else "fold"
    if pre_act.call_amount != turn.call_amount:
        return None
    return "call" if pre_act.action == "call" else "check" if turn.check else "fold"
