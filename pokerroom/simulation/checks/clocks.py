"""Check the action clock: no action after it, no early or late expiry, and extra time for a reconnect once (H1, H4).

Virtual time is exact, and so is this. When a clock may ring follows from what was told:

* it runs from when its turn is told, which is after the journal has what led to it; a turn that is told more than
  `LATE_MS` after the moment that its times count from is told again with other times;
* a player that reconnects before it expires gets the whole countdown, once per decision (H4);
* the time bank begins in the moment in which the clock would ring.

Times on the wire are whole milliseconds, cut off. If no viewer was sent a decision when it was asked, only a later
snapshot tells it; then the moment is one within `LATE_MS`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from pokerroom.simulation.checks.checker import CheckContext, Checker
from pokerroom.simulation.checks.pre_actions import PreActionChecker
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire

LATE_MS = 500
MS = 0.001
"""What the times on the wire leave out."""

GRAIN_S = 1e-6
"""Of a float that holds the time."""

JOURNAL_S = 0.02
"""While it works the journal has a step within two of its flushes, and what waits for it is told then."""

_Asked = wire.Turn | wire.TurnView


@dataclass(slots=True, kw_only=True)
class _Decision:
    """One that is awaited. Seconds; the clock may ring from `early_s` and must have by `late_s`."""

    hand_id: str
    turn: _Asked
    seqs: set[int]
    told_s: float | None
    """When its first turn was told; None if no viewer was sent it."""
    early_s: float
    late_s: float
    wrong_times: bool = False
    """It was told so late that other times have to follow."""
    graced: bool = False
    back: bool = False
    """The player has reconnected since."""
    owed: bool = False
    """The next message must give the player's time (H4)."""


@dataclass(slots=True)
class _Acts:
    """What reached the room for one hand: (name, seq) -> (when, action, amount)."""

    by_turn: defaultdict[tuple[str, int], list[tuple[float, str, int | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )


class ClockChecker(Checker):
    """The decisions of all tables."""

    def __init__(self, context: CheckContext, pre_acts: PreActionChecker) -> None:
        super().__init__(context)
        self._pre_acts = pre_acts
        self._decisions: dict[str, _Decision] = {}
        self._acts: defaultdict[str, _Acts] = defaultdict(_Acts)
        self._observed: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        """(table, name) -> when the player observed the table, which is how a client comes back."""
        self._outage_until_s = 0.0
        self._banks: dict[tuple[str, str], int] = {}
        """(table, name) -> the most that is left of the time bank, in milliseconds."""

    # --- what is heard beside the events ----------------------------------------------------------------------

    def outage(self, until_s: float) -> None:
        """The journal may be away until then."""
        self._outage_until_s = max(self._outage_until_s, until_s)

    def crashed(self) -> None:
        """Another process asks again."""
        self._decisions.clear()
        self._banks.clear()

    def reached(self, name: str, request: wire.Request) -> None:
        """A request has reached the room."""
        now = self._seconds()
        if isinstance(request, wire.Act):
            acts = self._acts[request.hand_id].by_turn
            acts[name, request.seq].append((now, request.action, request.amount))
        elif isinstance(request, wire.Observe):
            observed = self._observed[request.table, name]
            observed.append(now)
            del observed[:-20]

    def synced(self, facts: CheckedTable) -> None:
        """The facts start again from a snapshot."""
        hand, table = facts.hand, facts.table
        self._forget_banks(table)
        if hand is None or not hand.asked:
            self._decisions.pop(table, None)
            return
        turn, known = hand.asked[-1], self._decisions.get(table)
        if known is not None and turn.seq in known.seqs:
            return
        deadline_s = turn.deadline_ms / 1000
        slack_s = MS if turn.in_time_bank else LATE_MS / 1000 + MS
        self._decisions[table] = _Decision(
            hand_id=hand.hand_id,
            turn=turn,
            seqs={turn.seq},
            told_s=None,
            early_s=deadline_s - GRAIN_S,
            late_s=deadline_s + slack_s,
        )

    def _forget_banks(self, table: str) -> None:
        """The players there now, and their time banks in the journal, are unknown."""
        for key in [key for key in self._banks if key[0] == table]:
            del self._banks[key]

    # --- events -----------------------------------------------------------------------------------------------

    def event(self, facts: CheckedTable, event: wire.Event) -> None:  # noqa: C901, PLR0912 -- one case per event
        """An event about to be applied to the facts. While a table is frozen only what it asks next counts."""
        if facts.frozen:
            if isinstance(event, wire.Turn):
                self._forget_banks(facts.table)
                self._asked_first(facts, event)
            return
        decision = self._decisions.get(facts.table)
        if decision is not None and decision.owed and not isinstance(event, wire.TableNotice):
            decision.owed = False
            if not isinstance(event, wire.Turn):
                self._timeout(facts, decision, "is back in time, and gets no time for it (H4)")
        match event:
            case wire.Turn():
                if decision is not None and facts.hand is not None and facts.hand.asked:
                    self._asked_again(facts, decision, event)
                else:
                    self._asked_first(facts, event)
            case wire.Acted():
                if decision is not None and decision.turn.seat == event.seat:
                    self._acted(facts, decision, event)
                self._decisions.pop(facts.table, None)
            case wire.SeatChanged():
                if decision is not None and decision.turn.seat == event.seat and event.connected:
                    self._came_back(facts, decision)
            case wire.HandStarted():
                self._refilled(facts, event)
            case wire.HandEnded():
                self._decisions.pop(facts.table, None)
                self._acts.pop(event.hand_id, None)
            case wire.SeatLeft():
                self._banks.pop((facts.table, event.name), None)
            case _:
                pass

    def _asked_first(self, facts: CheckedTable, turn: wire.Turn) -> None:
        terms, now = self._terms[facts.table], self._seconds()
        end_s = now + (terms.action_clock_s + terms.countdown_s)
        before_ms = int(now * 1000) + 1000 * (terms.action_clock_s + terms.countdown_s) - turn.deadline_ms
        decision = self._decisions[facts.table] = _Decision(
            hand_id=turn.hand_id, turn=turn, seqs={turn.seq}, told_s=now, early_s=end_s, late_s=end_s
        )
        decision.wrong_times = before_ms > LATE_MS
        if before_ms < 0:
            self._clock(facts, decision, f"is told a deadline {-before_ms} ms after the deadline")
        if turn.countdown_ms != turn.deadline_ms - 1000 * terms.countdown_s or turn.in_time_bank:
            self._clock(facts, decision, "is told other times than the table's (H1)")
        self._bank_told(facts, decision)

    def _asked_again(self, facts: CheckedTable, decision: _Decision, turn: wire.Turn) -> None:
        terms, known = self._terms[facts.table], decision.turn
        clock_s = terms.action_clock_s + terms.countdown_s
        deadline_s = turn.deadline_ms / 1000
        told_ms = None if decision.told_s is None else int(decision.told_s * 1000)
        late = decision.wrong_times or told_ms is None
        decision.seqs.add(turn.seq)
        if turn.in_time_bank:
            early_s, late_s = (at + known.time_bank_ms / 1000 for at in (decision.early_s, decision.late_s))
            if known.in_time_bank or not early_s - MS <= deadline_s <= late_s + MS:
                self._clock(
                    facts, decision, "gets the time bank at another time than at the end of the clock"
                )
        elif (
            late
            and turn.countdown_ms == turn.deadline_ms - 1000 * terms.countdown_s
            and (told_ms is None or abs(told_ms + 1000 * clock_s - turn.deadline_ms) <= 1)
        ):
            decision.wrong_times, decision.turn = False, turn
            if told_ms is None:
                decision.early_s, decision.late_s = deadline_s - GRAIN_S, deadline_s + MS
            return
        else:
            self._grace(facts, decision, turn)
        decision.turn, decision.early_s, decision.late_s = turn, deadline_s - GRAIN_S, deadline_s + MS
        self._bank_told(facts, decision)

    # --- H4 ---------------------------------------------------------------------------------------------------

    def _returns(self, facts: CheckedTable, decision: _Decision) -> list[float]:
        """When the player may have come back, since the decision was told."""
        name = facts.seats[decision.turn.seat].name
        return [at for at in self._observed[facts.table, name] if at > (decision.told_s or 0)]

    def _came_back(self, facts: CheckedTable, decision: _Decision) -> None:
        if facts.seats[decision.turn.seat].connected:
            return
        decision.back = True
        countdown_ms = 1000 * self._terms[facts.table].countdown_s
        returns, turn = self._returns(facts, decision), decision.turn
        decision.owed = (
            decision.told_s is not None
            and not decision.graced
            and not decision.wrong_times
            and bool(returns)
            and all(
                at < decision.early_s
                and (turn.in_time_bank or int(at * 1000) + countdown_ms > turn.deadline_ms)
                for at in returns
            )
        )

    def _grace(self, facts: CheckedTable, decision: _Decision, turn: wire.Turn) -> None:
        countdown_ms = 1000 * self._terms[facts.table].countdown_s
        if decision.graced:
            self._timeout(facts, decision, "gets more time a second time in one decision (H4)")
        elif not decision.back:
            self._timeout(facts, decision, "gets more time, and was not away (H4)")
        elif not any(
            abs(int(at * 1000) + countdown_ms - turn.deadline_ms) <= 1
            for at in self._returns(facts, decision)
        ):
            self._timeout(facts, decision, "gets other time than the countdown from the reconnect (H4)")
        decision.graced = True

    # --- actions ----------------------------------------------------------------------------------------------

    def _acted(self, facts: CheckedTable, decision: _Decision, event: wire.Acted) -> None:
        seat = facts.seats[event.seat]
        leaves = seat.status == "leaving" and event.action == "fold" and not event.by_clock
        if decision.wrong_times and not leaves:  # a leaving player folds before the question
            self._clock(facts, decision, "was sent times that are not those of the clock")
        if event.by_clock:
            self._rang(facts, decision)
            self._pre_acts.acted(facts, decision.turn, event, answered=False, leaves=False)
            return
        sent = self._sent(decision, seat.name)
        arrivals = [at for at, action, amount in sent if _same(action, amount, event)]
        by_wish = self._pre_acts.acted(facts, decision.turn, event, answered=bool(arrivals), leaves=leaves)
        if by_wish or leaves:
            return
        if arrivals:
            self._arrived(facts, decision, min(arrivals))
        elif sent:
            was = " or ".join(sorted({f"{action} {amount or ''}".strip() for _, action, amount in sent}))
            line = f"seat {event.seat} has sent {was}, and {event.action} to {event.bet} is told"
            self._blame(Kind.ACKNOWLEDGED, facts.table, decision.hand_id, line)
        else:
            self._clock(facts, decision, f"acts ({event.action}) without having sent it")

    def _rang(self, facts: CheckedTable, decision: _Decision) -> None:
        now = self._seconds()
        if now < decision.early_s:
            self._clock(facts, decision, f"has {decision.early_s - now:.3f} s left, and the clock rings")
        if decision.turn.time_bank_ms and not decision.turn.in_time_bank:
            self._clock(facts, decision, "has a time bank, and the clock rings")
        if now > max(decision.late_s + JOURNAL_S, self._outage_until_s):
            late_s = now - decision.late_s
            self._clock(facts, decision, f"was due {late_s:.3f} s ago, and the clock rings now")
        self._banks[facts.table, facts.seats[decision.turn.seat].name] = 0

    def _arrived(self, facts: CheckedTable, decision: _Decision, at_s: float) -> None:
        if at_s > decision.late_s:
            self._clock(facts, decision, f"acts {at_s - decision.late_s:.4f} s after the deadline")
        if decision.turn.in_time_bank:
            left_ms = max(0, decision.turn.deadline_ms - int(at_s * 1000))
            self._banks[facts.table, facts.seats[decision.turn.seat].name] = left_ms

    def _sent(self, decision: _Decision, name: str) -> list[tuple[float, str, int | None]]:
        """The answers to this decision. If no viewer was sent it, earlier turns are unknown."""
        return [
            act
            for (who, seq), acts in self._acts[decision.hand_id].by_turn.items()
            if who == name and (seq in decision.seqs or (decision.told_s is None and seq < decision.turn.seq))
            for act in acts
        ]

    # --- time banks -------------------------------------------------------------------------------------------

    def _bank_told(self, facts: CheckedTable, decision: _Decision) -> None:
        if decision.turn.in_time_bank:
            return
        key = (facts.table, facts.seats[decision.turn.seat].name)
        told = decision.turn.time_bank_ms
        most = self._banks.get(key, 1000 * self._terms[facts.table].time_bank_s)
        if told > most + 1 and not decision.graced:
            self._clock(facts, decision, f"is told a time bank of {told} ms and has {most} left at most")
        self._banks[key] = told

    def _refilled(self, facts: CheckedTable, started: wire.HandStarted) -> None:
        terms = self._terms[facts.table]
        for seat in started.seats:
            key = (facts.table, seat.name)
            if key in self._banks:
                more = self._banks[key] + 1000 * terms.time_bank_refill_s
                self._banks[key] = min(1000 * terms.time_bank_s, more)

    # --- inside -----------------------------------------------------------------------------------------------

    def _clock(self, facts: CheckedTable, decision: _Decision, how: str) -> None:
        self._blame(Kind.CLOCK, facts.table, decision.hand_id, f"seat {decision.turn.seat} {how}")

    def _timeout(self, facts: CheckedTable, decision: _Decision, how: str) -> None:
        self._blame(Kind.TIMEOUT, facts.table, decision.hand_id, f"seat {decision.turn.seat} {how}")


def _same(action: str, amount: int | None, event: wire.Acted) -> bool:
    """Whether what was sent is what is told; a bet and a raise are the same wish."""
    if event.action in {"bet", "raise"}:
        return action in {"bet", "raise"} and amount == event.bet
    return action == event.action
