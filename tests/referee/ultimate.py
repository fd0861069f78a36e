"""Rounds of Ultimate Texas Hold'em as one observer sees them (U1 to U13): decisions, results, pays, the meter."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.referee.cards import KINDS, Strength, best, is_card, kind
from tests.referee.meter import fed_between, wrong_prizes
from tests.referee.model import Difference
from tests.referee.report import Report

Message = Mapping[str, Any]
MULTIPLES = {"preflop": [3, 4], "flop": [2], "river": [1]}
BOARD = {"flop": 3, "river": 2}
TOLERANCE_MS = 2_000


def returned(pays: list[Message], hand: str, stake: int) -> int | None:
    """What a bet with a pay table returns: stake and win; None for a hand that is not in the table."""
    for row in pays:
        if row["hand"] == hand:
            return stake + stake * row["pays"] // row["to"]
    return None


class UltimateTable:
    """Follows one table. `gap` is set when events are missing: the watcher then asks for a snapshot."""

    def __init__(self, table: str, report: Report) -> None:
        self.table = table
        self.gap = True
        self._frozen = False
        self._report = report
        self._seq = -1
        self._info: Message = {}
        self._places: dict[int, str] = {}
        self._meter: int | None = None
        self._fed: Fraction | None = None
        self._clear()

    def _clear(self) -> None:
        self._round: str | None = None
        self._boxes: dict[int, dict[str, Any]] = {}
        self._board: list[str] = []
        self._street = "preflop"
        self._common: list[str] | None = None
        self._pending: Message | None = None

    def _wrong(self, what: str, detail: str) -> None:
        self._report.wrong(Difference(kind=what, detail=detail, hand=self._round or "", table=self.table))

    # --- snapshots --------------------------------------------------------------------------------------------

    def snapshot(self, message: Message) -> None:
        """The whole state. A first one, or one after a gap, is believed; of others places and board are compared."""
        for private in ("your_box", "your_slip"):
            if message[private] is not None:
                self._wrong("private", f"a snapshot for an observer has {private}")
        if message["round"] is not None:
            self._hands(message["round"]["hands"], message["info"]["seating"])
        if self.gap or message.get("re") is None or self._frozen:
            if message["round"] is not None:
                self._report.unchecked["rounds that began before the referee came"] += 1
            self._clear()
            self.gap = self._frozen = False
            self._seq, self._info, self._meter = message["seq"], message["info"], message["meter"]
            self._places = {place["box"]: place["name"] for place in message["places"]}
        elif message["seq"] == self._seq:
            told = {place["box"]: place["name"] for place in message["places"]}
            if told != self._places:
                self._wrong("snapshot", f"the places are {told}, by the events {self._places}")
            board = [] if message["round"] is None else message["round"]["board"]
            if self._round is not None and board != self._board:
                self._wrong("snapshot", f"the board is {board}, by the events {self._board}")

    def _hands(self, hands: list[Message], seating: str) -> None:
        for hand in hands:
            if seating != "common_hand" or hand["box"] is not None:
                self._wrong("hidden_card", f"an observer gets the cards of box {hand['box']}")

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
        if self._round is not None and message.get("round_id", self._round) != self._round:
            self._wrong("round", f"{message['type']} of round {message['round_id']}")
        handler = getattr(self, f"_on_{message['type']}", None)
        if handler is not None:
            handler(message, now_ms)

    def _on_table_notice(self, message: Message, _now: int) -> None:
        """What a frozen table has told of a round may be void."""
        self._frozen = message["state"] == "frozen"

    def _on_place_taken(self, message: Message, _now: int) -> None:
        if message["box"] in self._places:
            self._wrong("places", f"place {message['box']} is taken twice")
        self._places[message["box"]] = message["name"]

    def _on_place_left(self, message: Message, _now: int) -> None:
        if self._places.pop(message["box"], None) != message["name"]:
            self._wrong("places", f"place {message['box']} is left by {message['name']}, who did not have it")

    def _on_bets_refused(self, message: Message, _now: int) -> None:
        if message["refused"]:
            self._wrong("private", "an observer gets the refused bets of a player")

    def _on_round_started(self, message: Message, _now: int) -> None:
        if self._round is not None:
            self._wrong("round", f"round {message['round_id']} begins before this one has ended")
        self._clear()
        self._round = message["round_id"]
        self._boxes = {box["box"]: {**box, "decided": None} for box in message["boxes"]}
        info = self._info
        for number, box in self._boxes.items():
            if not info["ante_min"] <= box["ante"] <= info["ante_max"]:
                self._wrong("bet_limits", f"box {number} has an Ante of {box['ante']}")
            if box["trips"] and not (info["trips_min"] or 0) <= box["trips"] <= (info["trips_max"] or 0):
                self._wrong("bet_limits", f"box {number} has Trips of {box['trips']}")
            stake = (info["progressive"] or {"stake": 0})["stake"]
            if box["progressive"] not in {0, stake}:
                self._wrong("bet_limits", f"box {number} has a progressive bet of {box['progressive']}")
            if any(box["ante"] * row["pays"] % row["to"] for row in info["blind_pays"]):
                self._wrong("bet_limits", f"an Ante of {box['ante']} cannot be paid in whole units")
            if box["play"] and box["play"] not in {3 * box["ante"], 4 * box["ante"]}:
                self._wrong(
                    "play", f"the extra box {number} has a Play of {box['play']}, its Ante is {box['ante']}"
                )
            if bool(box["play"]) != box["extra"]:
                self._wrong("play", f"box {number} has a Play of {box['play']} before the deal")
            if box["play"]:
                box["decided"] = "play"

    def _on_hands_dealt(self, message: Message, _now: int) -> None:
        self._hands(message["hands"], self._info["seating"])
        for hand in message["hands"]:
            if hand["box"] is None:
                self._common = hand["cards"]

    def _on_decisions(self, message: Message, now_ms: int) -> None:
        if self._round is None:
            return
        river = self._street == "river"
        if (message["check"], message["fold"]) != (not river, river) or message["multiples"] not in (
            MULTIPLES[self._street],
            MULTIPLES[self._street][::-1],
        ):
            self._wrong("decisions", f"on the {self._street} legal are {dict(message)}")
        waiting = sorted(number for number, box in self._boxes.items() if box["decided"] is None)
        if sorted(message["boxes"]) != waiting:
            self._wrong("decisions", f"boxes {message['boxes']} are asked, {waiting} have to decide")
        time_ms = message["deadline_ms"] - now_ms
        if self._pending is None and abs(time_ms - self._info["decision_ms"]) > TOLERANCE_MS:
            self._wrong("clock", f"{time_ms} ms for a decision, by the table {self._info['decision_ms']}")
        self._pending = message

    def _on_decided(self, message: Message, now_ms: int) -> None:
        box = self._boxes.get(message["box"])
        if self._round is None or box is None:
            return
        number, decision, amount = message["box"], message["decision"], message["amount"]
        if box["decided"] is not None:
            self._wrong("decisions", f"box {number} decides again: {decision}")
        legal = {"play", "fold"} if self._street == "river" else {"play", "check"}
        if decision not in legal:
            self._wrong("decisions", f"box {number} decides {decision} on the {self._street}")
        allowed = [times * box["ante"] for times in MULTIPLES[self._street]] if decision == "play" else [0]
        if amount not in allowed:
            self._wrong("play", f"box {number} plays {amount} on the {self._street}, legal is {allowed}")
        if self._pending is not None:
            late_ms = now_ms - self._pending["deadline_ms"]
            if message["automatic"] and late_ms < -TOLERANCE_MS and self._places.get(number) == box["name"]:
                self._wrong("clock", f"the clock decides for box {number} {-late_ms} ms before the deadline")
            if not message["automatic"] and late_ms > TOLERANCE_MS:
                self._wrong("clock", f"box {number} decides {late_ms} ms after the deadline")
        if message["automatic"] and decision == "play":
            self._wrong("clock", f"the clock plays for box {number}")
        box["decided"] = decision
        box["play"] += amount

    def _on_board_dealt(self, message: Message, _now: int) -> None:
        if self._round is None:
            return
        following = {"preflop": "flop", "flop": "river"}.get(self._street)
        waiting = [number for number, box in self._boxes.items() if box["decided"] is None]
        if waiting:
            self._wrong(
                "decisions", f"boxes {waiting} have not decided, and the {message['street']} is dealt"
            )
        if message["street"] != following or len(message["cards"]) != BOARD.get(message["street"]):
            self._wrong("street", f"after the {self._street}: {message['street']} with {message['cards']}")
        self._street = message["street"]
        self._board += message["cards"]
        self._pending = None
        for box in self._boxes.values():
            if box["decided"] == "check":
                box["decided"] = None

    # --- the end ----------------------------------------------------------------------------------------------

    def _on_round_ended(self, message: Message, _now: int) -> None:
        if self._round is not None:
            self._end(message)
            self._report.rounds += 1
        elif message["meter"] is not None:
            self._meter = message["meter"]
        self._clear()

    def _end(self, message: Message) -> None:
        if {box["box"] for box in message["boxes"]} != set(self._boxes):
            self._wrong(
                "boxes", f"results of {[box['box'] for box in message['boxes']]}, bets of {list(self._boxes)}"
            )
            return
        for box in message["boxes"]:
            self._staked(box)
        if message["void"]:
            self._void(message)
            return
        bank = message["bank"]
        self._cards(message)
        if len(self._board) != 5:
            self._wrong("street", f"the round ends with the board {self._board}")
            return
        strength = best(bank["cards"], self._board, "holdem")
        needs: Strength = (1, (2, *[-2] * 4)) if self._info["qualification"] == "pair_of_fours" else (1, ())
        qualifies = strength[0] > 1 or (strength[0] == 1 and (not needs[1] or strength[1][0] >= 2))
        if bank["qualifies"] != qualifies:
            self._wrong(
                "qualifies",
                f"the bank has {bank['cards']} with {self._board}, qualifies: {bank['qualifies']}",
            )
        if bank["hand"] != kind(strength):
            self._wrong("rank", f"the bank has {kind(strength)}, told as {bank['hand']}")
        kinds = {}
        for box in message["boxes"]:
            own = best(box["cards"], self._board, "holdem")
            kinds[box["box"]] = kind(own)
            if box["hand"] != kind(own):
                self._wrong("rank", f"box {box['box']} has {kind(own)}, told as {box['hand']}")
            self._paid(box, own, strength, qualifies=qualifies)
        self._progressive(message, kinds)

    def _staked(self, box: Message) -> None:
        of = self._boxes[box["box"]]
        wanted = {"ante": of["ante"], "blind": of["ante"], "trips": of["trips"], "play": of["play"]}
        wanted |= {"progressive": of["progressive"]}
        told = {bet["bet"]: bet["staked"] for bet in box["bets"]}
        if {name: stake for name, stake in wanted.items() if stake} != {n: s for n, s in told.items() if s}:
            self._wrong("staked", f"box {box['box']} has staked {told}, by its bets {wanted}")
        if box["name"] != of["name"]:
            self._wrong("boxes", f"box {box['box']} is of {box['name']}, bets were of {of['name']}")

    def _void(self, message: Message) -> None:
        for box in message["boxes"]:
            if any(bet["paid"] != bet["staked"] for bet in box["bets"]) or box["envy"]:
                self._wrong(
                    "void", f"a void round does not return the bets of box {box['box']}: {box['bets']}"
                )

    def _cards(self, message: Message) -> None:
        hands = {tuple(box["cards"]) for box in message["boxes"]}
        if self._info["seating"] == "common_hand" and len(hands) != 1:
            self._wrong("card", f"boxes of a common hand have {hands}")
        if self._common is not None and hands != {tuple(self._common)}:
            self._wrong("card", f"the common hand was {self._common}, and ends as {hands}")
        boxes = (
            [list(hand) for hand in hands]
            if self._info["seating"] == "common_hand"
            else [box["cards"] for box in message["boxes"]]
        )
        cards = [card for hand in [*boxes, message["bank"]["cards"], self._board] for card in hand]
        if len(set(cards)) != len(cards) or not all(map(is_card, cards)):
            self._wrong("card_twice", f"the cards are {cards}")

    def _paid(self, box: Message, own: Strength, bank: Strength, *, qualifies: bool) -> None:
        of, info = self._boxes[box["box"]], self._info
        ante, play, name = of["ante"], of["play"], kind(own)
        if of["decided"] == "fold":
            outcome, wanted = "folded", {"ante": 0, "blind": 0}
        elif own > bank:
            blind = returned(info["blind_pays"], name, ante)
            outcome = "won"
            wanted = {
                "ante": 2 * ante if qualifies else ante,
                "play": 2 * play,
                "blind": ante if blind is None else blind,
            }
        elif own == bank:
            outcome, wanted = "tied", {"ante": ante, "play": play, "blind": ante}
        else:
            outcome, wanted = "lost", {"ante": 0 if qualifies else ante, "play": 0, "blind": 0}
        if of["trips"]:
            wanted["trips"] = returned(info["trips_pays"], name, of["trips"]) or 0
        told = {bet["bet"]: bet["paid"] for bet in box["bets"] if bet["bet"] != "progressive"}
        if box["outcome"] != outcome:
            self._wrong("outcome", f"box {box['box']} has {outcome}, told as {box['outcome']}")
        if {bet: wanted.get(bet, 0) for bet in told} != told:
            self._wrong(
                "pays", f"box {box['box']} with {name} ({outcome}) is paid {told}, by the rules {wanted}"
            )

    # --- the progressive bet ----------------------------------------------------------------------------------

    def _progressive(self, message: Message, kinds: dict[int, str]) -> None:
        """Fixed prizes, the envy prize, and the meter: what a bet feeds is not told, and has to be one share."""
        terms = self._info["progressive"]
        paid = {
            box["box"]: bet["paid"]
            for box in message["boxes"]
            for bet in box["bets"]
            if bet["bet"] == "progressive"
        }
        bettors = [box for box in message["boxes"] if self._boxes[box["box"]]["progressive"]]
        if terms is None:
            if any(paid.values()) or any(box["envy"] for box in message["boxes"]):
                self._wrong("progressive", f"a table without a progressive bet pays {paid}")
            return
        prizes = {row["hand"]: row for row in terms["prizes"]}
        shares = [
            box for box in bettors if (prizes.get(kinds[box["box"]]) or {"meter_bps": None})["meter_bps"]
        ]
        for box in bettors:
            row = prizes.get(kinds[box["box"]])
            if row is not None and row["meter_bps"] is not None:
                continue
            wanted = 0 if row is None else row["amount"]
            if paid.get(box["box"], 0) != wanted:
                self._wrong(
                    "progressive",
                    f"box {box['box']} with {kinds[box['box']]} gets {paid}, its prize is {wanted}",
                )
        self._envy(message, kinds, terms)
        parts = {box["box"]: prizes[kinds[box["box"]]]["meter_bps"] for box in shares}
        self._meter_moves(message, len(bettors), parts, paid)

    def _meter_moves(self, message: Message, bets: int, parts: dict[int, int], paid: dict[int, int]) -> None:
        stake = self._info["progressive"]["stake"]
        before, self._meter = self._meter, message["meter"] if message["meter"] is not None else self._meter
        if before is None or message["meter"] is None:
            self._report.unchecked["meters that are not told"] += bool(bets)
            return
        if parts:
            self._meter_pays(before, fed_between(self._fed, stake, bets), parts, paid)
            return
        grown, stakes = message["meter"] - before, bets * stake
        if not bets or grown < 0 or grown > stakes:
            if grown:
                self._wrong(
                    "meter", f"the meter goes from {before} to {message['meter']} with bets of {stakes}"
                )
            return
        self._fed = Fraction(grown, stakes) if self._fed is None else self._fed
        if abs(grown - self._fed * stakes) >= bets:
            self._wrong("meter", f"bets of {stakes} feed the meter {grown}, before a share of {self._fed}")

    def _meter_pays(
        self, before: int, fed: tuple[int, int], parts: dict[int, int], paid: dict[int, int]
    ) -> None:
        """The largest part is paid first; what the house then adds is not told."""
        first = max(parts.values())
        if min(parts.values()) < first:
            self._report.unchecked["a second part of a meter in one round"] += 1
        equal = [paid.get(box, 0) for box in sorted(parts) if parts[box] == first]
        if (reason := wrong_prizes(before, fed, first, equal)) is not None:
            self._wrong("meter", reason)

    def _envy(self, message: Message, kinds: dict[int, str], terms: Message) -> None:
        royal, common = KINDS[-1], self._info["seating"] == "common_hand"
        names = {box["name"] for box in message["boxes"]}
        holders = {box["name"] for box in message["boxes"] if kinds[box["box"]] == royal}
        seen: set[str] = set()
        for box in message["boxes"]:
            bets = bool(self._boxes[box["box"]]["progressive"]) and box["name"] not in seen
            others = len(names) > 1 if common else bool(holders - {box["name"]})
            wanted = terms["envy_prize"] if holders and bets and others else 0
            if wanted:
                seen.add(box["name"])
            if box["envy"] != wanted and not holders:
                self._wrong(
                    "envy", f"box {box['box']} gets an envy prize of {box['envy']}, no player has a top hand"
                )
            elif box["envy"] != wanted:
                self._report.unchecked["envy prizes: which box of a player gets it"] += 1
