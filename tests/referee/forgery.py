"""Streams that a room has really sent, changed in one place: what a referee has to find.

A forgery changes a copy of the messages, and says which kind of difference it makes. It raises LookupError if the
stream has no place for it.
"""

import copy
import io
from collections.abc import Callable, Iterator
from typing import Any

from tests.referee.cards import DECK
from tests.referee.report import Report
from tests.referee.watch import Watch

Heard = list[tuple[int, dict[str, Any]]]
Where = Callable[[dict[str, Any]], bool]
Change = Callable[["Stream"], None]


def found_in(heard: Heard) -> Report:
    """What the referee finds in messages that were heard."""
    report = Report(out=io.StringIO())
    watch = Watch(report, name="referee", password="outside eyes")
    watch.connected()
    for now_ms, message in heard:
        watch.take(message, now_ms)
    return report


class Stream:
    """A copy of what was heard, to be changed. Only hands and rounds that were seen whole are used."""

    def __init__(self, heard: Heard) -> None:
        self.heard: Heard = copy.deepcopy(heard)
        started, ended = set(), set()
        for _, message in self.heard:
            of = message.get("hand_id") or message.get("round_id")
            if message["type"] in {"hand_started", "round_started"}:
                started.add(of)
            elif message["type"] in {"hand_ended", "round_ended"}:
                ended.add(of)
        self._whole = started & ended

    def all(self, kind: str, where: Where = lambda message: True) -> Iterator[dict[str, Any]]:
        """The messages of a type, in hands that were seen whole."""
        of: dict[str, str] = {}
        for _, message in self.heard:
            table = message.get("table", "")
            if message["type"] == "hand_started":
                of[table] = message["hand_id"]
            known = message.get("hand_id") or message.get("round_id") or of.get(table)
            if message["type"] == kind and (known in self._whole or known is None) and where(message):
                yield message

    def first(self, kind: str, where: Where = lambda message: True) -> dict[str, Any]:
        """The first of them. Raises LookupError."""
        for message in self.all(kind, where):
            return message
        raise LookupError(kind)

    def after(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Later messages of the same table."""
        at = next(at for at, (_, other) in enumerate(self.heard) if other is message)
        return (other for _, other in self.heard[at + 1 :] if other.get("table") == message["table"])

    def insert_after(self, message: dict[str, Any], new: dict[str, Any]) -> None:
        """Add an event behind another one; later events of the table get the next numbers."""
        for other in self.after(message):
            if "seq" in other:
                other["seq"] += 1
        at = next(at for at, (_, other) in enumerate(self.heard) if other is message)
        self.heard.insert(
            at + 1, (self.heard[at][0], {**new, "table": message["table"], "seq": message["seq"] + 1})
        )

    def remove(self, message: dict[str, Any]) -> None:
        """Take an event away without a trace: later events of the table get the numbers before."""
        for other in self.after(message):
            if "seq" in other:
                other["seq"] -= 1
        self.heard = [(now, other) for now, other in self.heard if other is not message]

    def at(self, message: dict[str, Any], now_ms: int) -> None:
        """Let a message come at another time."""
        self.heard = [(now_ms if other is message else now, other) for now, other in self.heard]

    def when(self, message: dict[str, Any]) -> int:
        """When a message came."""
        return next(now for now, other in self.heard if other is message)

    def hand(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """All events of a hand, its posts among them."""
        events: list[dict[str, Any]] = []
        for _, other in self.heard:
            if other.get("table") != message["table"] or "seq" not in other:
                continue
            if other["type"] == "hand_started":
                events = []
            events.append(other)
            if other["type"] == "hand_ended" and other["hand_id"] == message["hand_id"]:
                return events
        raise LookupError(message["hand_id"])


def change(kind: str, field: str, by: Any, where: Where = lambda message: True) -> Change:
    """Change one field of the first message of a type: by a number, or to what a function makes of it."""

    def forge(stream: Stream) -> None:
        message = stream.first(kind, where)
        message[field] = by(message[field]) if callable(by) else message[field] + by

    return forge


def _to_another_seat(stream: Stream) -> None:
    award = stream.first("pot_awarded", lambda message: len(message["shares"]) == 1)
    events = stream.hand(award)
    seats = [seat["seat"] for seat in events[0]["seats"] if seat["seat"] != award["shares"][0]["seat"]]
    award["shares"][0]["seat"] = seats[0]


def _raise_too_small(stream: Stream) -> None:
    turns = {(turn["table"], turn["hand_id"], turn["seq"]): turn for turn in stream.all("turn")}
    for acted in stream.all(
        "acted", lambda message: message["action"] in {"bet", "raise"} and not message["all_in"]
    ):
        turn = turns.get((acted["table"], acted["hand_id"], acted["seq"] - 1))
        if turn is not None and turn["min_raise_to"] is not None and acted["bet"] == turn["min_raise_to"]:
            acted["bet"] -= 1
            acted["added"] -= 1
            acted["stack"] += 1
            return
    raise LookupError("a smallest raise")


def _shows_mucked(stream: Stream) -> None:
    mucked = stream.first("mucked")
    cards = _unseen(stream.hand(mucked), 2)
    stream.insert_after(mucked, {**mucked, "type": "shown", "cards": cards, "rank": None})


def _unseen(events: list[dict[str, Any]], count: int) -> list[str]:
    seen = {card for event in events for card in event.get("cards") or ()}
    return sorted(DECK - seen)[:count]


def _shows_unasked(stream: Stream) -> None:
    for ended in stream.all("hand_ended", lambda message: not message["void"]):
        events = stream.hand(ended)
        award = next(event for event in events if event["type"] == "pot_awarded")
        if not any(event["type"] in {"shown", "mucked"} for event in events):
            acted = [event for event in events if event["type"] in {"acted", "uncalled_bet"}][-1]
            shown = {
                "type": "shown",
                "hand_id": ended["hand_id"],
                "seat": award["shares"][0]["seat"],
                "rank": None,
            }
            stream.insert_after(acted, {**shown, "cards": _unseen(events, 2)})
            return
    raise LookupError("a hand without a showdown")


def _swaps_showing(stream: Stream) -> None:
    for shown in stream.all("shown"):
        following = next((other for other in stream.after(shown) if "seq" in other), shown)
        if following["type"] == "shown":
            for field in ("seat", "cards", "rank"):
                shown[field], following[field] = following[field], shown[field]
            return
    raise LookupError("two hands that are shown")


def _card_twice(stream: Stream) -> None:
    turn = stream.first("street_dealt", lambda message: message["street"] == "turn")
    flop = next(event for event in stream.hand(turn) if event["type"] == "street_dealt")
    turn["cards"] = [flop["cards"][0]]


def _another_actor(stream: Stream) -> None:
    acted = stream.first("acted")
    seats = [seat["seat"] for seat in stream.hand(acted)[0]["seats"]]
    acted["seat"] = next(seat for seat in seats if seat != acted["seat"])


def _checks_a_bet(stream: Stream) -> None:
    acted = stream.first("acted", lambda message: message["action"] == "call")
    acted.update(
        action="check", bet=acted["bet"] - acted["added"], stack=acted["stack"] + acted["added"], added=0
    )


def _end_stack(stream: Stream) -> None:
    ended = stream.first("hand_ended", lambda message: not message["void"])
    ended["stacks"][0]["stack"] += 1


def _start_stack(stream: Stream) -> None:
    ended = stream.first("hand_ended")
    following = next(other for other in stream.after(ended) if other["type"] == "hand_started")
    following["seats"][0]["stack"] += 100


def _void(stream: Stream) -> None:
    stream.first("hand_ended", lambda message: not message["void"])["void"] = True


def _button_at_the_first(stream: Stream) -> None:
    started = stream.first("hand_started")
    started["button"] = started["seats"][0]["seat"]


def _early_clock(stream: Stream) -> None:
    deadlines = {}
    for turn in stream.all("turn", lambda message: not message["in_time_bank"]):
        deadlines[turn["hand_id"], turn["seat"], turn["seq"] + 1] = turn["deadline_ms"]
    for acted in stream.all("acted"):
        deadline_ms = deadlines.get((acted["hand_id"], acted["seat"], acted["seq"]), 0)
        if not acted["by_clock"] and stream.when(acted) + 3_000 < deadline_ms:
            acted["by_clock"] = True
            if found_in(stream.heard).differences:
                return
            acted["by_clock"] = False  # the player was leaving: their folds need no clock
    raise LookupError("a quick decision")


def _early_for_a_box(stream: Stream) -> None:
    for asked in stream.all("decisions"):
        decided = next((other for other in stream.after(asked) if other["type"] == "decided"), None)
        if decided is None or decided["automatic"] or decided["decision"] == "play":
            continue
        if stream.when(decided) + 3_000 < asked["deadline_ms"]:
            decided["automatic"] = True
            return
    raise LookupError("a quick decision")


def _late_act(stream: Stream) -> None:
    acted = stream.first("acted", lambda message: not message["by_clock"])
    turn = [event for event in stream.hand(acted) if event["type"] == "turn" and event["seq"] < acted["seq"]][
        -1
    ]
    stream.at(acted, turn["deadline_ms"] + 5_000)


def _short_time(stream: Stream) -> None:
    turn = list(stream.all("turn", lambda message: not message["in_time_bank"]))[5]
    turn["deadline_ms"] -= 2_000


def _hidden_in_snapshot(stream: Stream) -> None:
    for _, message in stream.heard:
        if message["type"] == "snapshot" and message["hand"] is not None:
            for seat in message["seats"]:
                if seat["in_hand"] and seat["cards"] is None and not message["hand"]["board"]:
                    seat["cards"] = ["As", "Ad"]
                    if found_in(stream.heard).differences:
                        return
                    seat["cards"] = None
    raise LookupError("a snapshot in a hand")


def _without(kind: str) -> Change:
    return lambda stream: stream.remove(stream.first(kind))


def _lost(stream: Stream) -> None:
    lost = stream.first("acted")
    stream.heard = [(now, other) for now, other in stream.heard if other is not lost]


def _all_of(kind: str, field: str, value: Any) -> Change:
    def forge(stream: Stream) -> None:
        stream.first(kind)[field] = value(stream.first(kind)) if callable(value) else value

    return forge


def _ultimate_bet(bet: str, by: int, where: Where = lambda box: True) -> Change:
    def forge(stream: Stream) -> None:
        for ended in stream.all("round_ended", lambda message: not message["void"]):
            for box in ended["boxes"]:
                for each in box["bets"]:
                    if each["bet"] == bet and where(box):
                        each["paid"] += by
                        return
        raise LookupError(bet)

    return forge


def _bank(field: str, value: Callable[[Any], Any]) -> Change:
    def forge(stream: Stream) -> None:
        bank = stream.first("round_ended", lambda message: message["bank"] is not None)["bank"]
        bank[field] = value(bank[field])

    return forge


def _box(field: str, value: Callable[[Any], Any]) -> Change:
    def forge(stream: Stream) -> None:
        box = stream.first("round_ended", lambda message: message["bank"] is not None)["boxes"][0]
        box[field] = value(box[field])

    return forge


def _play(stream: Stream) -> None:
    stream.first("decided", lambda message: message["decision"] == "play")["amount"] *= 5


def _places_swapped(stream: Stream) -> None:
    placed = stream.first("player_placed", lambda message: message["number"] == message["place"])
    placed["place"] = placed["number"] = placed["number"] + 1


CASH: dict[str, tuple[str, Change]] = {
    "a pot of another size": ("pot", change("pot_awarded", "amount", 1)),
    "a pot for another player": ("winner", _to_another_seat),
    "a share too small": (
        "shares",
        change("pot_awarded", "shares", lambda all_: [{**all_[0], "amount": 1}, *all_[1:]]),
    ),
    "a rake that is not shown": (
        "rake",
        change("pot_awarded", "rake", lambda _: 1, lambda m: m.setdefault("rake", 0) == 0),
    ),
    "a raise below the minimum": ("raise_too_small", _raise_too_small),
    "a raise beyond the stack": (
        "raise_too_large",
        change("acted", "added", 10**7, lambda m: m["action"] == "raise"),
    ),
    "a call of another size": ("call", change("acted", "added", 1, lambda m: m["action"] == "call")),
    "a check that faces a bet": ("check", _checks_a_bet),
    "an action out of turn": ("turn", _another_actor),
    "another player asked": ("turn", _without("acted")),
    "another legal range": ("legal_range", change("turn", "max_raise_to", 1, lambda m: m["max_raise_to"])),
    "another price of a call": ("legal_range", change("turn", "call_amount", 1, lambda m: m["call_amount"])),
    "a bet told wrongly": ("bet", change("acted", "bet", 1, lambda m: m["action"] == "call")),
    "a stack told wrongly": ("stack", change("acted", "stack", 1)),
    "all-in told wrongly": ("all_in", change("acted", "all_in", lambda told: not told)),
    "an uncalled bet kept": ("uncalled", _without("uncalled_bet")),
    "too much returned": ("uncalled", change("uncalled_bet", "amount", 1)),
    "a mucked hand shown": ("shown_mucked", _shows_mucked),
    "a hand shown without a contest": ("shown_unasked", _shows_unasked),
    "hands shown in another order": ("show_order", _swaps_showing),
    "a showdown without a hand": ("showdown", _without("shown")),
    "another kind of hand": ("rank", change("shown", "rank", lambda _: "royal_flush", lambda m: m["rank"])),
    "a card twice": ("card_twice", _card_twice),
    "too few board cards": ("street", change("street_dealt", "cards", lambda cards: cards[:2])),
    "pots of a street": (
        "pot",
        change("street_dealt", "pots", lambda pots: [{**pots[0], "amount": 1}, *pots[1:]]),
    ),
    "cards of a player told": ("hidden_card", change("hole_cards", "cards", lambda _: ["As", "Ad"])),
    "cards of a player in a snapshot": ("hidden_card", _hidden_in_snapshot),
    "cards where none belong": (
        "hidden_card",
        change("acted", "peek", lambda _: ["As"], lambda m: m.setdefault("peek", 0) == 0),
    ),
    "what only the player may know": ("private", change("turn", "on_timeout", lambda _: "fold")),
    "the button at another seat": ("button", _button_at_the_first),
    "a blind at another seat": (
        "blinds",
        change("hand_started", "big_blind", lambda seat: seat % 9 + 1, lambda m: len(m["seats"]) > 2),
    ),
    "a blind too small": ("post", change("posted", "amount", -1, lambda m: m["kind"] == "big_blind")),
    "a blind not posted": ("post", _without("posted")),
    "a stack at the end": ("end_stack", _end_stack),
    "a stack at the start": ("stack", _start_stack),
    "a void hand that moves chips": ("void", _void),
    "an event lost": ("sequence", _lost),
    "the clock too early": ("clock", _early_clock),
    "a decision too late": ("clock", _late_act),
    "a countdown too short": ("clock", _short_time),
}

SIT_AND_GO: dict[str, tuple[str, Change]] = {
    "a prize of another size": ("prize", change("player_placed", "prize", 100)),
    "a place of another player": ("prize", _places_swapped),
    "a place not given": ("place", _without("player_placed")),
    "a level left out": (
        "level",
        change("level_started", "level", lambda level: {**level, "level": level["level"] + 1}),
    ),
    "chips from nowhere": ("tournament_chips", _start_stack),
    "the blinds of another level": (
        "level",
        change("level_started", "level", lambda level: {**level, "big_blind": 1}),
    ),
}

ULTIMATE: dict[str, tuple[str, Change]] = {
    "an Ante paid wrongly": ("pays", _ultimate_bet("ante", 2)),
    "a Blind paid wrongly": ("pays", _ultimate_bet("blind", 100)),
    "a Play paid wrongly": ("pays", _ultimate_bet("play", 1)),
    "Trips paid wrongly": ("pays", _ultimate_bet("trips", 1)),
    "a progressive prize": ("progressive", _ultimate_bet("progressive", 1)),
    "a bank that qualifies or not": ("qualifies", _bank("qualifies", lambda told: not told)),
    "the hand of the bank": ("rank", _bank("hand", lambda _: "royal_flush")),
    "a card of the bank twice": ("card_twice", _bank("cards", lambda cards: [cards[0], cards[0]])),
    "another outcome": ("outcome", _box("outcome", lambda told: "won" if told != "won" else "lost")),
    "the hand of a box": ("rank", _box("hand", lambda _: "royal_flush")),
    "an envy prize": ("envy", _box("envy", lambda _: 500)),
    "a Play of five Antes": ("play", _play),
    "cards of a box told": (
        "hidden_card",
        change("hands_dealt", "hands", lambda _: [{"box": 1, "cards": ["As", "Ad"]}]),
    ),
    "refused bets of a player told": ("private", change("bets_refused", "refused", lambda _: [{"box": 1}])),
    "a street with other cards": ("street", change("board_dealt", "cards", lambda cards: cards[:1])),
    "another multiple offered": ("decisions", change("decisions", "multiples", lambda _: [5])),
    "a box not asked": (
        "decisions",
        change("decisions", "boxes", lambda boxes: boxes[1:], lambda m: m["boxes"]),
    ),
    "the clock too early": ("clock", _early_for_a_box),
    "the clock plays for a player": (
        "clock",
        change("decided", "automatic", lambda _: True, lambda m: m["decision"] == "play"),
    ),
}
