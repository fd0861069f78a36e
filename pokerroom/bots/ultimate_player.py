"""A bot's play at one table against the house: bets while the light is green, decides, counts what it sees.

It follows the table by sequence numbers as the protocol asks, but keeps no picture of it beyond what it bets and
decides by: its own box, which boxes are taken, its cards, the board. It knows neither accounts nor how the connection
came about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from msgspec.structs import replace

from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.tally import TableWatch, Tally
from pokerroom.bots.ultimate_habits import Habits
from pokerroom.bots.ultimate_strategy import multiple
from pokerroom_protocol import Code, Encoding, decode_server
from pokerroom_protocol import messages as m

EXCUSED_AFTER_S: Final = 60.0
SLOW_ANSWER_S: Final = 1.0
RATE_LIMITED_PAUSE_S: Final = 0.25
BET_AGAIN_S: Final = 1.0

# A bet that crossed with the end of betting time, or with what somebody else did.
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
# A decision that crossed with the clock, or with the end of the connection it was first sent over.
_DECISION_CROSSED: Final = frozenset(
    {Code.STALE_SEQ, Code.WRONG_ROUND, Code.ROUND_OVER, Code.DECIDED_ALREADY, Code.NOT_YOUR_BOX}
)
_FIRM: Final = frozenset({Code.TABLE_FROZEN, Code.UNAVAILABLE, Code.INSUFFICIENT_BALANCE})
"""The room does not take the decision now, or not this Play: then the bot checks or folds, or the clock does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The table a bot is sent to. `counts`: its rounds are counted in this process, and in no other."""

    name: str
    watch: TableWatch
    counts: bool = True


@dataclass(slots=True, kw_only=True)
class _Round:
    """The round in progress as far as it concerns the bot."""

    round_id: str
    boxes: dict[int, str]
    """Its boxes, with the names of all streets on which they have decided."""
    holes: dict[int | None, list[str]]
    board: list[str]


class UltimatePlayer:
    """See the module. Feed it every message of the connection; `done` fires when it has left, or its link is lost."""

    def __init__(
        self,
        *,
        link: Link,
        name: str,
        table: Table,
        habits: Habits,
        tally: Tally,
        delay_s: Callable[[], float],
        came_back_at: float | None,
        vanish: Callable[[], None],
    ) -> None:
        self.link = link
        self._name = name
        self._table = table
        self._habits = habits
        self._tally = tally
        self._delay_s = delay_s
        self._came_back_at = came_back_at
        self._vanish = vanish
        self._loop = asyncio.get_running_loop()
        self.done: asyncio.Future[None] = self._loop.create_future()
        self._handlers: dict[str, Callable[[dict[str, Any]], None]] = {
            "light_changed": self._on_light,
            "place_taken": lambda event: self._taken.add(event["box"]),
            "place_left": self._on_left,
            "bets_refused": self._on_refused,
            "round_started": self._on_started,
            "hands_dealt": self._on_dealt,
            "decisions": self._on_decisions,
            "decided": self._on_decided,
            "board_dealt": lambda event: self._on_board(event["cards"]),
            "round_ended": self._on_ended,
        }
        self._info: m.UltimateInfo | None = None
        self._seq: int | None = None  # None: no snapshot yet
        self._healing: int | None = None  # our get_snapshot under way
        self._box: int | None = None
        self._taken: set[int] = set()
        self._round: _Round | None = None
        self._has_bet = False  # in this betting time
        self._bet_last = False  # in the round before
        self._betting: dict[int, type[m.Request]] = {}  # requests about the slip that are not answered
        self._deciding: dict[int, tuple[m.Decide, float]] = {}  # under way, and when it was sent
        self._asked: dict[int, tuple[int, float]] = {}  # box -> seq of the question, and when it came
        self._timers: set[asyncio.TimerHandle] = set()
        self._stopping = False
        self._standing_up = False

    # --- life -----------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Gives the place up, after the round if it has bets in one."""
        self._stopping = True
        self._leave_if_free()

    def link_lost(self) -> None:
        """The connection is gone; somebody else goes on."""
        if not self.done.done():
            self.done.set_exception(LinkLost("connection lost"))
            self.done.exception()  # nobody may be waiting yet

    def close(self) -> None:
        """Ends what is still under way."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._set_box(None)

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

    def on_message(self, fields: dict[str, Any], body: bytes) -> None:
        """Any message of the connection, in order."""
        kind, seq = fields["type"], fields.get("seq")
        if seq is None:
            self._on_answer(kind, fields)
            return
        if fields.get("table") != self._table.name:
            return
        if kind == "ultimate_snapshot":
            self._on_snapshot(body)
            return
        if self._seq is None or seq <= self._seq:
            return
        if seq != self._seq + 1:
            self._heal()
            return
        self._seq = seq
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(fields)

    def _heal(self) -> None:
        if self._healing is None:
            self._tally.gaps += 1
            self._healing = self.link.number()
            self.link.send(m.GetSnapshot(id=self._healing, table=self._table.name))

    def _on_snapshot(self, body: bytes) -> None:
        snapshot = decode_server(body, Encoding.MSGPACK)
        assert isinstance(snapshot, m.UltimateSnapshot)
        self._healing = None
        self._info, self._seq = snapshot.info, snapshot.seq
        self._taken = {place.box for place in snapshot.places}
        self._set_box(snapshot.your_box)
        self._round = None
        self._asked.clear()
        if snapshot.round is not None:
            self._begin(snapshot.round)
        else:  # what lay on a slip is lost where the table has begun anew
            self._has_bet = snapshot.your_slip is not None and bool(snapshot.your_slip.bets)
            if snapshot.light.light != "red":
                self._bet_if_open()
        if snapshot.your_box is None and self._standing_up:
            self._finish()
        self._leave_if_free()

    def _begin(self, view: m.RoundView) -> None:
        """A round that was in progress when it came, or came back."""
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

    def _on_light(self, event: dict[str, Any]) -> None:
        if event["light"] == "red":
            self._betting.clear()
            self._has_bet = False  # if no bet stands, betting is open again
        elif self._round is None:
            self._bet_if_open()

    def _bet_if_open(self) -> None:
        if self._has_bet or self._stopping or self._box is None or self._info is None:
            return
        self._has_bet = True
        self._later(self._habits.thinks_s(self._delay_s()), self._bet, self._info)

    def _bet(self, info: m.UltimateInfo) -> None:
        if self._stopping or self._box is None or self._round is not None:
            return
        free = (
            [] if info.boxes is None else [box for box in range(1, info.boxes + 1) if box not in self._taken]
        )
        for request in self._habits.bets(info, free, can_repeat=self._bet_last):
            numbered = replace(request, id=self.link.number())
            self._betting[numbered.id] = type(request)
            self.link.send(numbered)
            self._tally.bets += 1

    def _on_refused(self, event: dict[str, Any]) -> None:
        """What did not stand when betting closed: of the bot's own, by code."""
        for refused in event["refused"]:
            self._tally.refused[refused["code"]] += 1

    # --- the round ------------------------------------------------------------------------------------------

    def _on_started(self, event: dict[str, Any]) -> None:
        self._tally.hand_started()
        mine = {box["box"]: "" for box in event["boxes"] if box["name"] == self._name}
        self._has_bet, self._bet_last = False, bool(mine)
        self._betting.clear()
        self._round = None
        if not mine:
            return
        self._round = _Round(round_id=event["round_id"], boxes=mine, holes={}, board=[])
        after_s = self._habits.vanishes_after_s(2.0)
        if after_s is not None and not self._stopping:
            self._tally.vanished += 1
            self._later(after_s, self._vanish)

    def _on_dealt(self, event: dict[str, Any]) -> None:
        if self._round is not None:
            self._round.holes = {hand["box"]: hand["cards"] for hand in event["hands"]}

    def _on_board(self, cards: list[str]) -> None:
        if self._round is not None:
            self._round.board = [*self._round.board, *cards]

    def _on_decisions(self, event: dict[str, Any]) -> None:
        self._consider(event["boxes"], event["seq"], check=event["check"])

    def _consider(self, boxes: list[int], seq: int, *, check: bool) -> None:
        if self._round is None:
            return
        for box in boxes:
            if box not in self._round.boxes or box in self._asked:
                continue  # the same question with another deadline: its first number stays good
            self._asked[box] = seq, self._loop.time()
            if not self._habits.sleeps():
                thinks_s = self._habits.thinks_s(self._delay_s())
                self._later(thinks_s, self._decide, self._round.round_id, box, seq, check)

    def _decide(self, round_id: str, box: int, seq: int, check: bool) -> None:
        now = self._round
        if now is None or now.round_id != round_id or self._asked.get(box, (None,))[0] != seq:
            return  # decided by the clock meanwhile
        holes = now.holes.get(box) or now.holes.get(None)
        if holes is None:
            self._tally.errors["own_cards_missing"] += 1
            return
        times = multiple(holes, now.board)
        self._send_decision(round_id, box, seq, times=times, check=check)
        tip = self._habits.tips()
        if tip:
            request = m.GiveTip(id=self.link.number(), table=self._table.name, amount=tip)
            self._betting[request.id] = m.GiveTip
            self.link.send(request)

    def _send_decision(self, round_id: str, box: int, seq: int, *, times: int, check: bool) -> None:
        message = m.Decide(
            id=self.link.number(),
            table=self._table.name,
            round_id=round_id,
            seq=seq,
            box=box,
            decision="play" if times else "check" if check else "fold",
            multiple=times or None,
        )
        self._deciding[message.id] = message, perf_counter()
        self.link.send(message)

    def _on_decided(self, event: dict[str, Any]) -> None:
        now = self._round
        if now is None or event["box"] not in now.boxes:
            return
        self._asked.pop(event["box"], None)
        if event["automatic"]:
            self._tally.timeouts += 1

    def _on_ended(self, event: dict[str, Any]) -> None:
        if self._table.watch.hand_ended(event["round_id"]) and self._table.counts:
            self._tally.hand_ended(void=event["void"])
        self._round = None
        self._asked.clear()
        if self._stopping:
            self._leave_if_free()

    # --- answers --------------------------------------------------------------------------------------------

    def _on_answer(self, kind: str, fields: dict[str, Any]) -> None:
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

    def _bet_again(self) -> None:
        """What was asked has not come about: the room could not, for a while."""
        if self._round is None:
            self._has_bet = False
            self._bet_if_open()

    def _on_decision_answered(
        self, message: m.Decide, sent_at: float, kind: str, fields: dict[str, Any]
    ) -> None:
        if kind == "ok":
            self._tally.acted(perf_counter() - sent_at)
            return
        code = fields.get("code", f"answered_with_{kind}")
        asked = self._asked.get(message.box)
        late = asked is None or self._loop.time() - asked[1] > SLOW_ANSWER_S
        back = self._came_back_at
        came_back = back is not None and self._loop.time() - back < EXCUSED_AFTER_S
        leaving = self._standing_up and code in {Code.LEAVING, Code.NOT_SEATED}
        crossed = code in _DECISION_CROSSED and (late or came_back)
        self._count(code, crossed=code in _FIRM or leaving or crossed)
        if code == Code.RATE_LIMITED:
            self._later(RATE_LIMITED_PAUSE_S, self._decide, message.round_id, message.box, message.seq, True)
        elif code == Code.INSUFFICIENT_BALANCE and asked is not None:
            check = self._round is not None and len(self._round.board) < 5
            self._send_decision(message.round_id, message.box, message.seq, times=0, check=check)

    def _count(self, code: str, *, crossed: bool) -> None:
        (self._tally.races if crossed else self._tally.errors)[code] += 1

    # --- the own place --------------------------------------------------------------------------------------

    def _on_left(self, event: dict[str, Any]) -> None:
        self._taken.discard(event["box"])
        if event["box"] == self._box:
            self._set_box(None)
            self._finish()

    def _set_box(self, box: int | None) -> None:
        by = (box is not None) - (self._box is not None)
        self._box = box
        if by:
            self._tally.seated += by
            self._table.watch.seat_changed(by)

    def _leave_if_free(self) -> None:
        if self._stopping and not self._standing_up and self._round is None and self._box is not None:
            self._standing_up = True
            self.link.send(m.StandUp(id=self.link.number(), table=self._table.name))

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)
