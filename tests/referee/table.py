"""A poker table as one observer sees it: snapshots and events in, differences out. No sockets, no clock of its own."""

from collections.abc import Mapping
from typing import Any

from tests.referee.cards import is_card
from tests.referee.judge import judge
from tests.referee.model import Difference, Hand, Rake, Seat, Step, Terms, Turn
from tests.referee.positions import Positions, positions_of, wrong_move
from tests.referee.pots import UNITS
from tests.referee.report import Report
from tests.referee.tournament import Tournament
from tests.referee.turns import TurnClock

Message = Mapping[str, Any]

CARDS_IN = {"street_dealt": {"cards"}, "shown": {"cards"}, "chat_said": {"text", "name"}}
"""Where an event may have the text of a card. An observer's `hole_cards` has none."""
NAMES = frozenset({"name", "text", "message", "table", "hand_id"})


def terms_of(info: Message) -> Terms:
    """Game and stakes from the line of a table."""
    rake = info.get("rake")
    return Terms(
        game=info["game"],
        structure=info["structure"],
        hole_cards=info["hole_cards"],
        small_blind=info["small_blind"],
        big_blind=info["big_blind"],
        small_bet=info["small_bet"] or 0,
        big_bet=info["big_bet"] or 0,
        ante=info["ante"],
        big_blind_ante=info["big_blind_ante"],
        straddle=info["straddle"],
        rake=None
        if rake is None
        else Rake(
            bps=rake["bps"],
            unit=rake["unit"],
            caps=tuple((cap["players"], cap["amount"]) for cap in rake["caps"]),
            no_flop_no_drop=rake["no_flop_no_drop"],
            min_pot=rake["min_pot"],
        ),
        tournament=bool(info["offer"]),
    )


class PokerTable:
    """Follows one table. `gap` is set when events are missing: the watcher then asks for a snapshot."""

    def __init__(self, table: str, report: Report, clock: tuple[int, int] | None = None) -> None:
        self.table = table
        self.gap = True
        self._report = report
        self._seq = -1
        self._info: dict[str, Any] = {}
        self._seats: dict[int, dict[str, Any]] = {}
        self._hand: Hand | None = None
        self._board: list[str] = []
        self._before: Positions | None = None
        self._rules = {"moving", "dead"}
        self._units = set(UNITS)
        self._turns = TurnClock(clock)
        self._tournament: Tournament | None = None
        self._frozen = False

    def _wrong(self, kind: str, detail: str, hand: str = "") -> None:
        hand = hand or (self._hand.hand_id if self._hand is not None else "")
        self._report.wrong(Difference(kind=kind, detail=detail, hand=hand, table=self.table))

    def know_offer(self, offer: Message | None) -> None:
        """The line of a tournament's offer: its schedule, chips and prizes."""
        if self._tournament is not None and offer is not None:
            self._tournament.offer = offer

    @property
    def _is_one_of_several(self) -> bool:
        """Whether players come from other tables of its tournament, and go there."""
        return self._tournament is not None and self._tournament.several

    # --- snapshots --------------------------------------------------------------------------------------------

    def snapshot(self, message: Message) -> None:
        """The whole state. A first one, or one after a gap, is believed; others are compared."""
        self._no_cards(message)
        if self.gap or message.get("re") is None or self._frozen:
            self._believe(message)
        elif message["seq"] == self._seq:
            self._compare(message)

    def _believe(self, message: Message) -> None:
        if self._hand is not None:
            self._report.unchecked["hands of which events are missing"] += 1
        self.gap = self._frozen = False
        self._seq = message["seq"]
        self._info = dict(message["info"])
        self._seats = {seat["seat"]: dict(seat) for seat in message["seats"]}
        self._hand = self._before = None
        self._turns.forget()
        if message["hand"] is not None:
            self._report.unchecked["hands that began before the referee came"] += 1
        if message["tournament"] is not None:
            self._tournament = self._tournament or Tournament(self.table)
            self._tournament.snapshot(
                message["tournament"],
                self._seats.values(),
                places=self._info["seats"],
                in_hand=message["hand"] is not None,
            )
            if self._tournament.several:
                self._report.unchecked["chips, places and prizes of tournaments over several tables"] += 1

    def _compare(self, message: Message) -> None:
        for seat in message["seats"]:
            kept = self._seats.get(seat["seat"])
            if kept is None or kept["name"] != seat["name"]:
                self._wrong("snapshot", f"seat {seat['seat']} is {seat['name']}, by the events {kept}")
            elif kept["stack"] != seat["stack"]:
                self._wrong(
                    "snapshot", f"seat {seat['seat']} has {seat['stack']}, by the events {kept['stack']}"
                )
        if len(message["seats"]) != len(self._seats):
            self._wrong("snapshot", f"{len(message['seats'])} seats, by the events {sorted(self._seats)}")
        hand = message["hand"]
        if self._hand is not None and (hand is None or hand["hand_id"] != self._hand.hand_id):
            self._wrong("snapshot", "the hand in progress is another than by the events")
        elif self._hand is not None and hand["board"] != self._board:
            self._wrong("snapshot", f"the board is {hand['board']}, by the events {self._board}")

    def _no_cards(self, message: Message) -> None:
        """A hidden card is in no snapshot of an observer: seats show the cards that were turned up, or none."""
        shown = {}
        if self._hand is not None and message["seq"] == self._seq:
            shown = {step.seat: list(step.cards) for step in self._hand.steps if step.what == "show"}
        elif message["hand"] is not None and self._hand is None:
            return  # what was shown before the referee came
        for seat in message["seats"]:
            if (
                seat["cards"] is not None
                and seat["cards"] != shown.get(seat["seat"])
                and message["seq"] == self._seq
            ):
                self._wrong(
                    "hidden_card", f"a snapshot shows cards of seat {seat['seat']}, which were not turned up"
                )
        for private in ("your_seat", "your_options", "your_pre_act"):
            if message[private] is not None:
                self._wrong("private", f"a snapshot for an observer has {private}")

    # --- events -----------------------------------------------------------------------------------------------

    def event(self, message: Message, now_ms: int) -> None:
        """One event; `now_ms` is the room's time when it came."""
        self._report.events += 1
        if self.gap or message["seq"] <= self._seq:
            return
        if message["seq"] != self._seq + 1:
            self._wrong("sequence", f"event {message['seq']} follows {self._seq}")
            self.gap = True
            return
        self._seq = message["seq"]
        self._leaks(message)
        handler = getattr(self, f"_on_{message['type']}", None)
        if handler is not None:
            handler(message, now_ms)

    def _leaks(self, message: Message) -> None:
        for name, value in message.items():
            allowed = name in CARDS_IN.get(message["type"], ()) or name in NAMES
            if not allowed and _has_card(value):
                self._wrong("hidden_card", f"{message['type']} has cards in {name}")
        if message.get("on_timeout") is not None:
            self._wrong("private", "a turn for an observer has on_timeout")

    def _on_seat_taken(self, message: Message, _now: int) -> None:
        if message["seat"] in self._seats:
            self._wrong("seats", f"seat {message['seat']} is taken twice")
        if not self._info["offer"] and message["stack"] < self._info["min_buy_in"]:
            self._wrong("buy_in", f"seat {message['seat']} sits down with {message['stack']}")
        self._seats[message["seat"]] = dict(message)

    def _on_seat_left(self, message: Message, _now: int) -> None:
        if self._hand is not None and message["seat"] in {seat.number for seat in self._hand.seats}:
            self._wrong("seats", f"seat {message['seat']} is free in the middle of its hand")
        self._seats.pop(message["seat"], None)

    def _on_seat_changed(self, message: Message, _now: int) -> None:
        seat = self._seats.get(message["seat"])
        if seat is None:
            self._wrong("seats", f"the free seat {message['seat']} changes")
            return
        dealt = self._hand is not None and message["seat"] in {each.number for each in self._hand.seats}
        fixed = dealt or bool(self._info["offer"])
        if message["stack"] < seat["stack"] or (fixed and message["stack"] != seat["stack"]):
            self._wrong("stack", f"seat {message['seat']} has {message['stack']}, and had {seat['stack']}")
        seat.update(message)

    def _on_table_notice(self, message: Message, _now: int) -> None:
        self._frozen = message["state"] == "frozen"

    # --- a hand -----------------------------------------------------------------------------------------------

    def _on_hand_started(self, message: Message, _now: int) -> None:
        if self._hand is not None:
            self._wrong("hand", f"hand {message['hand_id']} begins before this one has ended")
        seats = [
            Seat(number=seat["seat"], name=seat["name"], stack=seat["stack"]) for seat in message["seats"]
        ]
        self._hand = Hand(
            hand_id=message["hand_id"],
            table=self.table,
            terms=terms_of(self._info),
            button=message["button"],
            small_blind=message["small_blind"],
            big_blind=message["big_blind"],
            seats=seats,
        )
        self._board = []
        self._turns.forget()
        for seat in seats:
            kept = self._seats.get(seat.number)
            if kept is None or kept["name"] != seat.name:
                self._wrong(
                    "seats", f"seat {seat.number} is dealt in as {seat.name}, and is {kept and kept['name']}"
                )
            elif kept["stack"] != seat.stack:
                self._wrong("stack", f"seat {seat.number} begins with {seat.stack}, and had {kept['stack']}")
        if self._tournament is not None:
            self._tell(self._tournament.hand_started(seats, self._info))

    def _tell(self, wrong: list[tuple[str, str]]) -> None:
        for kind, detail in wrong:
            self._wrong(kind, detail)

    def _add(self, message: Message, step: Step) -> None:
        if "stack" in message and message["seat"] in self._seats:
            self._seats[message["seat"]]["stack"] = message["stack"]
        if self._hand is None:
            return
        if message.get("hand_id", self._hand.hand_id) != self._hand.hand_id:
            self._wrong("hand", f"{message['type']} of hand {message['hand_id']}")
        self._hand.steps.append(step)

    def _on_posted(self, message: Message, _now: int) -> None:
        picked = {name: message[name] for name in ("seat", "kind", "amount", "stack", "all_in")}
        self._add(message, Step(what="post", **picked))

    def _on_turn(self, message: Message, now_ms: int) -> None:
        names = ("seat", "check", "call_amount", "min_raise_to", "max_raise_to")
        turn = Turn(**{name: message[name] for name in names})
        self._add(message, Step(what="turn", seat=turn.seat, turn=turn))
        late_ms = 1000 * self._info.get("observer_delay_s", 0)
        if self._hand is not None:
            self._tell(self._turns.asked(message, now_ms - late_ms))

    def _on_acted(self, message: Message, now_ms: int) -> None:
        names = ("seat", "bet", "stack", "all_in", "by_clock")
        step = Step(
            what="act",
            kind=message["action"],
            amount=message["added"],
            **{name: message[name] for name in names},
        )
        self._add(message, step)
        if self._hand is not None:
            late_ms = 1000 * self._info.get("observer_delay_s", 0)
            status = self._seats.get(message["seat"], {}).get("status", "")
            self._tell(self._turns.acted(message, now_ms - late_ms, status))

    def _on_street_dealt(self, message: Message, _now: int) -> None:
        pots = tuple((pot["amount"], tuple(pot["seats"])) for pot in message["pots"])
        self._board += message["cards"]
        self._add(
            message, Step(what="street", kind=message["street"], cards=tuple(message["cards"]), pots=pots)
        )

    def _on_uncalled_bet(self, message: Message, _now: int) -> None:
        picked = {name: message[name] for name in ("seat", "amount", "stack")}
        self._add(message, Step(what="uncalled", **picked))

    def _on_shown(self, message: Message, _now: int) -> None:
        self._add(
            message,
            Step(what="show", seat=message["seat"], cards=tuple(message["cards"]), rank=message["rank"]),
        )

    def _on_mucked(self, message: Message, _now: int) -> None:
        self._add(message, Step(what="muck", seat=message["seat"]))

    def _on_pot_awarded(self, message: Message, _now: int) -> None:
        shares = tuple((share["seat"], share["amount"]) for share in message["shares"])
        rake = message.get("rake", 0)
        self._add(
            message,
            Step(what="award", pot=message["pot"], amount=message["amount"], shares=shares, rake=rake),
        )

    def _on_hand_ended(self, message: Message, _now: int) -> None:
        ends = {seat["seat"]: seat["stack"] for seat in message["stacks"]}
        for seat, stack in ends.items():
            if seat in self._seats:
                self._seats[seat]["stack"] = stack
        hand, self._hand = self._hand, None
        if hand is None:
            return
        if message["hand_id"] != hand.hand_id:
            self._wrong("hand", f"hand {message['hand_id']} ends, which had not begun", hand.hand_id)
        hand.ends, hand.void = ends, message["void"]
        self._judge(hand)

    def _judge(self, hand: Hand) -> None:
        verdict = judge(hand)
        self._report.hands += 1
        self._report.unchecked.update(verdict.unchecked)
        for difference in verdict.differences:
            self._report.wrong(difference)
        left = self._units & verdict.units
        if verdict.units and not left:
            self._wrong("odd_chip", "no smallest chip explains the splits of this table", hand.hand_id)
        self._units = left or set(UNITS)
        now = positions_of(hand, self._before)
        if self._before is not None and self._is_one_of_several:
            self._report.unchecked["moves of the button at one of several tables"] += 1
        elif self._before is not None:
            wrong, matched = wrong_move(
                self._before, now, tournament=hand.terms.tournament, allowed=self._rules
            )
            if wrong is not None:
                self._wrong("button_moved", wrong, hand.hand_id)
            elif not matched:
                self._report.unchecked["moves of the button while players came and went"] += 1
            elif not hand.terms.tournament:
                self._rules = matched
        self._before = None if hand.void else now
        if self._tournament is not None and not hand.void:
            self._tell(self._tournament.hand_ended(hand))

    # --- sit-and-gos ------------------------------------------------------------------------------------------

    def _level(self, level: Message) -> None:
        names = ("small_blind", "big_blind", "small_bet", "big_bet", "ante", "big_blind_ante")
        self._info.update({name: level[name] for name in names})
        if self._tournament is not None:
            self._tell(self._tournament.level(level))

    def _on_level_started(self, message: Message, _now: int) -> None:
        self._level(message["level"])

    _on_break_ended = _on_tournament_resumed = _on_level_started

    def _on_player_placed(self, message: Message, _now: int) -> None:
        seat = self._seats.get(message["seat"])
        if seat is not None and seat["name"] == message["name"]:
            del self._seats[message["seat"]]
        elif not self._is_one_of_several:  # else it may be a seat of another table
            self._wrong("place", f"seat {message['seat']} of {message['name']} is placed, and has no player")
        if self._tournament is not None:
            self._tell(self._tournament.placed(message))

    def _on_tournament_ended(self, message: Message, _now: int) -> None:
        if self._tournament is not None:
            wrong, checked = self._tournament.ended(message["phase"])
            self._report.tournaments += checked
            self._tell(wrong)


def _has_card(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_has_card(inner) for name, inner in value.items() if name not in NAMES)
    if isinstance(value, list | tuple):
        return any(map(_has_card, value))
    return is_card(value)
