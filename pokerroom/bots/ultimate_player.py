"""A bot's play at one table of Ultimate Texas Hold'em: it bets while the light is green, decides, and counts.

It keeps only the state that it needs: its own box, the taken boxes, its cards, the board.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from msgspec.structs import replace

from pokerroom.bots.stay import Handler, Stay, StayContext
from pokerroom.bots.tally import TableWatch
from pokerroom.bots.ultimate_habits import UltimateHabits
from pokerroom.bots.ultimate_strategy import multiple
from pokerroom_protocol import Code, Encoding, decode_server
from pokerroom_protocol import messages as m

SLOW_ANSWER_S: Final = 1.0
RATE_LIMITED_PAUSE_S: Final = 0.25
BET_AGAIN_S: Final = 1.0

# Refusals of a bet that crossed with the end of betting, or with a bet of another player.
_BET_CROSSED: Final = frozenset(
    {
        Code.BETTING_CLOSED,
        Code.BOX_TAKEN,
        Code.NOTHING_TO_REPEAT,
        Code.NOTHING_TO_DOUBLE,
        Code.NOTHING_TO_UNDO,
        Code.DOUBLED_ALREADY,
        Code.BETS_PLACED,
        Code.ANTE_NEEDED,
        Code.OWN_BOX_NEEDED,
        Code.ABOVE_MAXIMUM,
        Code.INSUFFICIENT_BALANCE,
        Code.TABLE_FROZEN,
        Code.TABLE_CLOSING,
        Code.UNAVAILABLE,
        Code.LEAVING,
        Code.NOT_SEATED,
    }
)
# Refusals of a decision that crossed with the clock, or that was first sent over a lost connection.
_DECISION_CROSSED: Final = frozenset(
    {Code.STALE_SEQ, Code.WRONG_ROUND, Code.ROUND_OVER, Code.DECIDED_ALREADY, Code.NOT_YOUR_BOX}
)
_FIRM: Final = frozenset({Code.TABLE_FROZEN, Code.UNAVAILABLE, Code.INSUFFICIENT_BALANCE})
"""Refusals after which the bot, or the clock, checks or folds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateAssignment:
    """The table that a bot plays at. `counts`: this process, and no other, counts its rounds."""

    name: str
    watch: TableWatch
    counts: bool = True


@dataclass(slots=True, kw_only=True)
class _Round:
    """The bot's part of the round in progress."""

    round_id: str
    boxes: dict[int, str]
    """The bot's boxes, with the names of all streets on which they have decided."""
    holes: dict[int | None, list[str]]
    board: list[str]


class UltimateBotPlayer(Stay[None]):
    """See the module. The stay ends when the bot has left."""

    snapshot_type = "ultimate_snapshot"

    def __init__(
        self,
        context: StayContext,
        *,
        name: str,
        habits: UltimateHabits,
        counts_rounds: bool,
        vanish: Callable[[], None],
    ) -> None:
        super().__init__(context)
        self._name = name
        self._counts_rounds = counts_rounds
        self._habits = habits
        self._vanish = vanish
        self._info: m.UltimateInfo | None = None
        self._taken: set[int] = set()
        self._round: _Round | None = None
        self._has_bet = False  # in this betting time
        self._bet_last = False  # in the round before
        self._betting: dict[int, type[m.Request]] = {}  # unanswered requests about the slip
        self._deciding: dict[int, tuple[m.Decide, float]] = {}  # unanswered, with the time of sending
        self._asked: dict[int, tuple[int, float]] = {}  # box -> seq of `decisions`, and when it came
        self._timers: set[asyncio.TimerHandle] = set()
        self._stopping = False
        self._standing_up = False
        self._stand_up = 0
        """The number of the request."""

    # --- what a stay implements -------------------------------------------------------------------------------

    def handlers(self) -> dict[str, Handler]:
        return {
            "light_changed": self._on_light,
            "place_taken": lambda event, _: self._taken.add(event["box"]),
            "place_left": self._on_left,
            "bets_refused": self._on_refused,
            "round_started": self._on_started,
            "hands_dealt": self._on_dealt,
            "decisions": self._on_decisions,
            "decided": self._on_decided,
            "board_dealt": self._on_board,
            "round_ended": self._on_ended,
        }

    def stop(self) -> None:
        """Leave the place, after the round if the bot has bets in it."""
        self._stopping = True
        self._leave_if_free()

    def close(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        super().close()

    def _later(self, after_s: float, work: Callable[..., None], *what: Any) -> None:
        if after_s <= 0:
            work(*what)
            return

        def run() -> None:
            self._timers.discard(timer)
            work(*what)

        timer = self._loop.call_later(after_s, run)
        self._timers.add(timer)

    # --- messages -------------------------------------------------------------------------------------------

    def on_table(self, body: bytes) -> None:
        snapshot = decode_server(body, Encoding.MSGPACK)
        assert isinstance(snapshot, m.UltimateSnapshot)
        self._info, self._seq = snapshot.info, snapshot.seq
        self._taken = {place.box for place in snapshot.places}
        self.sits(snapshot.your_box)
        self._round = None
        self._asked.clear()
        if snapshot.round is not None:
            self._begin(snapshot.round)
        else:  # a restarted table has lost the slip
            self._has_bet = snapshot.your_slip is not None and bool(snapshot.your_slip.bets)
            if snapshot.light.light != "red":
                self._bet_if_open()
        if snapshot.your_box is None and self._standing_up:
            self.finish(None)
        self._standing_up = False  # another node has the table now, and may not have heard it
        self._leave_if_free()

    def _begin(self, view: m.RoundView) -> None:
        """Take up the round that was in progress at the (re)connection."""
        mine = [box for box in view.boxes if box.name == self._name]
        if not mine:
            return
        self._round = _Round(
            round_id=view.round_id,
            boxes={box.box: "" for box in mine},
            holes={hand.box: hand.cards for hand in view.hands},
            board=view.board,
        )
        if view.decisions is not None:
            self._consider(view.decisions.boxes, view.decisions.seq, check=view.decisions.check)

    # --- betting --------------------------------------------------------------------------------------------

    def _on_light(self, event: dict[str, Any], _body: bytes) -> None:
        if event["light"] == "red":
            self._betting.clear()
            self._has_bet = False  # if no bet stands, betting is open again
        elif self._round is None:
            self._bet_if_open()

    def _bet_if_open(self) -> None:
        if self._has_bet or self._stopping or self.seat is None or self._info is None:
            return
        self._has_bet = True
        self._later(self._habits.thinks_s(self._delay_s()), self._bet, self._info)

    def _bet(self, info: m.UltimateInfo) -> None:
        if self._stopping or self.seat is None or self._round is not None:
            return
        free = (
            [] if info.boxes is None else [box for box in range(1, info.boxes + 1) if box not in self._taken]
        )
        for request in self._habits.bets(info, free, can_repeat=self._bet_last):
            numbered = replace(request, id=self.link.number())
            self._betting[numbered.id] = type(request)
            self.link.send(numbered)
            self.tally.bets += 1

    def _on_refused(self, event: dict[str, Any], _body: bytes) -> None:
        """Count the bot's bets that were refused when betting closed, by code."""
        for refused in event["refused"]:
            self.tally.refused[refused["code"]] += 1

    # --- the round ------------------------------------------------------------------------------------------

    def _on_started(self, event: dict[str, Any], _body: bytes) -> None:
        self.tally.hand_started()
        mine = {box["box"]: "" for box in event["boxes"] if box["name"] == self._name}
        self._has_bet, self._bet_last = False, bool(mine)
        self._betting.clear()
        self._round = None
        if not mine:
            return
        self._round = _Round(round_id=event["round_id"], boxes=mine, holes={}, board=[])
        after_s = self._habits.vanishes_after_s(2.0)
        if after_s is not None and not self._stopping:
            self.tally.vanished += 1
            self._later(after_s, self._vanish)

    def _on_dealt(self, event: dict[str, Any], _body: bytes) -> None:
        if self._round is not None:
            self._round.holes = {hand["box"]: hand["cards"] for hand in event["hands"]}

    def _on_board(self, event: dict[str, Any], _body: bytes) -> None:
        if self._round is not None:
            self._round.board = [*self._round.board, *event["cards"]]

    def _on_decisions(self, event: dict[str, Any], _body: bytes) -> None:
        self._consider(event["boxes"], event["seq"], check=event["check"])

    def _consider(self, boxes: list[int], seq: int, *, check: bool) -> None:
        if self._round is None:
            return
        for box in boxes:
            if box not in self._round.boxes or box in self._asked:
                continue  # the same decision with another deadline: its first number stays valid
            self._asked[box] = seq, self._loop.time()
            if not self._habits.sleeps():
                thinks_s = self._habits.thinks_s(self._delay_s())
                self._later(thinks_s, self._decide, self._round.round_id, box, seq, check)

    def _decide(self, round_id: str, box: int, seq: int, check: bool) -> None:
        now = self._round
        if now is None or now.round_id != round_id or self._asked.get(box, (None,))[0] != seq:
            return  # the clock has decided meanwhile
        holes = now.holes.get(box) or now.holes.get(None)
        if holes is None:
            self.tally.errors["own_cards_missing"] += 1
            return
        times = multiple(holes, now.board)
        self._send_decision(round_id, box, seq, times=times, check=check)
        tip = self._habits.tips()
        if tip:
            request = m.GiveTip(id=self.link.number(), table=self.table, amount=tip)
            self._betting[request.id] = m.GiveTip
            self.link.send(request)

    def _send_decision(self, round_id: str, box: int, seq: int, *, times: int, check: bool) -> None:
        message = m.Decide(
            id=self.link.number(),
            table=self.table,
            round_id=round_id,
            seq=seq,
            box=box,
            decision="play" if times else "check" if check else "fold",
            multiple=times or None,
        )
        self._deciding[message.id] = message, perf_counter()
        self.link.send(message)

    def _on_decided(self, event: dict[str, Any], _body: bytes) -> None:
        now = self._round
        if now is None or event["box"] not in now.boxes:
            return
        self._asked.pop(event["box"], None)
        if event["automatic"]:
            self.tally.timeouts += 1

    def _on_ended(self, event: dict[str, Any], _body: bytes) -> None:
        if self._watch.hand_ended(event["round_id"]) and self._counts_rounds:
            self.tally.hand_ended(void=event["void"])
        self._round = None
        self._asked.clear()
        if self._stopping:
            self._leave_if_free()

    # --- answers --------------------------------------------------------------------------------------------

    def on_answer(self, kind: str, fields: dict[str, Any]) -> None:
        re = fields.get("re")
        decided = self._deciding.pop(re, None) if re is not None else None
        if decided is not None:
            self._on_decision_answered(*decided, kind, fields)
            return
        asked = self._betting.pop(re, None) if re is not None else None
        if kind != "error":
            return
        code = fields["code"]
        if re is None or re == self._healing:
            self._healing = None  # the next event asks again
            self._count(code, crossed=code in {Code.REQUEST_PENDING, Code.TABLE_FROZEN})
        elif asked is not None:
            tip = asked is m.GiveTip and code in {Code.ROUND_OVER, Code.INSUFFICIENT_BALANCE}
            self._count(code, crossed=tip or code in _BET_CROSSED)
            if code in {Code.UNAVAILABLE, Code.TABLE_FROZEN}:
                self._later(BET_AGAIN_S, self._bet_again)
        elif re == self._stand_up and code in {Code.UNAVAILABLE, Code.TABLE_FROZEN}:
            self._standing_up = False
            self._count(code, crossed=True)
            self._later(BET_AGAIN_S, self._leave_if_free)

    def _bet_again(self) -> None:
        """Bet again after a refusal because the room was unavailable."""
        if self._round is None:
            self._has_bet = False
            self._bet_if_open()

    def _on_decision_answered(
        self, message: m.Decide, sent_at: float, kind: str, fields: dict[str, Any]
    ) -> None:
        if kind == "ok":
            self.tally.acted(perf_counter() - sent_at)
            return
        code = fields.get("code", f"answered_with_{kind}")
        asked = self._asked.get(message.box)
        late = asked is None or self._loop.time() - asked[1] > SLOW_ANSWER_S
        leaving = self._stopping and code in {Code.LEAVING, Code.NOT_SEATED}
        crossed = code in _DECISION_CROSSED and (late or self.attached())
        self._count(code, crossed=code in _FIRM or leaving or crossed)
        if code == Code.RATE_LIMITED:
            self._later(RATE_LIMITED_PAUSE_S, self._decide, message.round_id, message.box, message.seq, True)
        elif code == Code.INSUFFICIENT_BALANCE and asked is not None:
            check = self._round is not None and len(self._round.board) < 5
            self._send_decision(message.round_id, message.box, message.seq, times=0, check=check)

    def _count(self, code: str, *, crossed: bool) -> None:
        (self.tally.races if crossed else self.tally.errors)[code] += 1

    # --- its place ------------------------------------------------------------------------------------------

    def _on_left(self, event: dict[str, Any], _body: bytes) -> None:
        self._taken.discard(event["box"])
        if event["box"] == self.seat:
            self.sits(None)
            self.finish(None)

    def _leave_if_free(self) -> None:
        if self._stopping and not self._standing_up and self._round is None and self.seat is not None:
            self._standing_up, self._stand_up = True, self.link.number()
            self.link.send(m.StandUp(id=self._stand_up, table=self.table))
