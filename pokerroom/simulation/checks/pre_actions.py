"""Decisions made before the turn has come: each is taken as it was made, at the price it was made for, or not at all.

A pre-action answers the next decision of its owner, `fold_to_any_bet` every one. It explains that one and no other. It
outlives a lost connection, and every snapshot for its owner has it; it ends with the hand, and with a restart.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from pokerroom.simulation.checks.checker import CheckContext, Checker, Key
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire


@dataclass(slots=True, kw_only=True)
class _Said:
    """A pre-action, or with None that there is none any more. `certain` once `ok` is told."""

    key: Key
    pre_act: wire.PreAct | None
    certain: bool = False


class PreActionChecker(Checker):
    """What the players of all tables have decided in advance."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
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
            if any(one.pre_act is not None for one in self._said[where]):
                self._situations.note(where[0], "a restart ends a pre-action")
            del self._said[where]

    def hand_started(self, table: str) -> None:
        """What was decided for another hand is void."""
        for where in [where for where in self._said if where[0] == table]:
            del self._said[where]

    def snapshot(self, name: str, snapshot: wire.Snapshot) -> None:
        """A viewer is sent a snapshot: a pre-action in it is the viewer's own, of this hand, at the price it names."""
        told, hand = snapshot.your_pre_act, snapshot.hand
        if told is None:
            return
        if hand is None:
            self._blame(Kind.REQUEST, snapshot.table, "", f"{name} is told a pre-action without a hand")
            return
        self._situations.note(snapshot.table, "a snapshot has a pre-action")
        possible = self._possible(snapshot.table, name, hand.hand_id)
        if not any(
            one is not None and (one.action, one.call_amount) == (told.action, told.call_amount)
            for one in possible
        ):
            line = f"{name} is told the pre-action {told.action} and has not decided so in this hand"
            self._blame(Kind.REQUEST, snapshot.table, hand.hand_id, line)
            return
        own = next(seat for seat in snapshot.seats if seat.seat == snapshot.your_seat)
        bet = max(seat.bet for seat in snapshot.seats)
        price = min(bet - own.bet, own.stack)
        if hand.street != "preflop" and told.call_amount not in {None, price}:
            line = f"{name} is told the pre-action {told.action} for {told.call_amount}; the price is {price}"
            self._blame(Kind.REQUEST, snapshot.table, hand.hand_id, line)

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
        if explained:
            self._situations.note(facts.table, "a pre-action decides")
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
        self._blame(Kind.REQUEST, facts.table, event.hand_id, f"seat {event.seat} {how}")


def _decides(pre_act: wire.PreAct, turn: wire.Turn | wire.TurnView) -> str | None:
    """What it makes of this turn; None where it is void, since the price is another."""
    if pre_act.action == "fold_to_any_bet":
        return "check" if turn.check else "fold"
    if pre_act.call_amount != turn.call_amount:
        return None
    return "call" if pre_act.action == "call" else "check" if turn.check else "fold"
