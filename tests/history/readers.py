"""Readers of exported hands, written from the formats and apart from the writers: stacks at the end by seat.

They accept what the formats say and nothing else: a line or a field that they do not know fails the test.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

CARD = r"[2-9TJQKA][cdhs]"
CARDS = rf"\[({CARD}(?: {CARD})*)\]"
MONEY = r"[€£$]?(\d+(?:\.\d\d)?)"
NAME = r"([A-Za-z0-9_.-]+)"

Stacks = dict[int, Decimal]


def returned(live: dict[Any, Decimal]) -> Decimal:
    """What no other player has matched of the largest commitment."""
    first, second, *_ = sorted([*live.values(), Decimal(0)], reverse=True)
    return first - second


# --- Open Hand History ----------------------------------------------------------------------------------------

OHH_SCHEMA = Draft202012Validator(json.loads(Path(__file__).with_name("ohh.schema.json").read_text()))
"""The fields of OHH 1.4.7 as a JSON schema, written from the pages of the format; there is no official one."""

HAND_KEYS = {
    *("spec_version", "site_name", "network_name", "internal_version", "game_number", "start_date_utc"),
    *("table_name", "game_type", "bet_limit", "table_size", "currency", "dealer_seat", "small_blind_amount"),
    *("big_blind_amount", "ante_amount", "flags", "players", "rounds", "pots"),
}
OHH_POSTS = {"Post Ante", "Post SB", "Post BB", "Straddle", "Post Dead", "Post Extra Blind"}
OHH_ACTIONS = {
    *OHH_POSTS,
    "Dealt Cards",
    "Mucks Cards",
    "Shows Cards",
    "Fold",
    "Check",
    "Bet",
    "Raise",
    "Call",
}


def ohh_stacks(text: str) -> Stacks:
    """Check one hand against the fields of OHH 1.4.7, and play it."""
    assert "\n" not in text
    document = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    assert document.keys() == {"ohh"}
    hand = document["ohh"]
    check_ohh(hand)
    stacks = {player["id"]: player["starting_stack"] for player in hand["players"]}
    put_in = dict.fromkeys(stacks, Decimal(0))
    live, antes = dict(put_in), dict(put_in)
    everyone = len({action["player_id"] for action in antes_of(hand)}) == len(stacks)
    for street in hand["rounds"]:
        for action in street["actions"]:
            who, amount = action["player_id"], action["amount"]
            put_in[who] += amount
            if action["action"] == "Post Ante":
                # what all players post is matched as a bet is; a second one, or one of the big blind alone, is dead
                live[who] += amount if everyone and not antes[who] else 0
                antes[who] += amount
            elif action["action"] != "Post Dead":
                live[who] += amount
            assert put_in[who] <= stacks[who]
            if amount:
                assert action["is_allin"] == (put_in[who] == stacks[who])
    back = returned(live)
    pots = hand["pots"]
    assert sum(put_in.values()) == back + sum(pot["amount"] for pot in pots)
    ends = {who: stacks[who] - put_in[who] for who in stacks}
    ends[max(live, key=lambda who: live[who])] += back
    for number, pot in enumerate(pots):
        assert pot["number"] == number
        assert sum(win["win_amount"] for win in pot["player_wins"]) + pot["rake"] == pot["amount"]
        for win in pot["player_wins"]:
            ends[win["player_id"]] += win["win_amount"]
    return {int(player["seat"]): ends[player["id"]] for player in hand["players"]}


def antes_of(hand: dict[str, Any]) -> list[dict[str, Any]]:
    return [action for action in hand["rounds"][0]["actions"] if action["action"] == "Post Ante"]


def check_ohh(hand: dict[str, Any]) -> None:
    """Fields, their types and values, as the pages of the specification have them."""
    more = hand.keys() - HAND_KEYS
    assert more <= {"hero_player_id", "tournament", "tournament_info", "tournament_bounties"}
    assert hand.keys() >= HAND_KEYS
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", hand["start_date_utc"])
    assert hand["game_type"] in {"Holdem", "Omaha"}
    assert hand["bet_limit"]["bet_type"] in {"NL", "PL", "FL"}
    assert 2 <= hand["table_size"] <= 10
    assert re.fullmatch(r"[A-Z]{3}", hand["currency"])
    assert set(hand["flags"]) <= {"Observed"}
    assert ("hero_player_id" in hand) != ("Observed" in hand["flags"])
    ids = [player["id"] for player in hand["players"]]
    assert len(set(ids)) == len(ids) >= 2
    for bounty in hand.get("tournament_bounties", ()):
        assert bounty.keys() == {"player_id", "bounty_won", "defeated_player_id"}
        assert {bounty["player_id"], bounty["defeated_player_id"]} <= set(ids)
    names = [street["street"] for street in hand["rounds"]]
    streets = ["Preflop", "Flop", "Turn", "River"]
    assert [name for name in names if name != "Showdown"] == streets[: len(set(names) - {"Showdown"})]
    for number, street in enumerate(hand["rounds"]):
        assert street.keys() == {"id", "street", "cards", "actions"}
        assert street["id"] == number
        assert len(street["cards"]) == {"Flop": 3, "Turn": 1, "River": 1}.get(street["street"], 0)
        for count, action in enumerate(street["actions"], 1):
            assert action["action_number"] == count
            assert action["player_id"] in ids
            assert action["action"] in OHH_ACTIONS
            assert (action["action"] in OHH_POSTS) <= (street["street"] == "Preflop")
            assert (street["street"], action["action"]) != ("Preflop", "Bet")
            assert (action["amount"] > 0) == (action["action"] in {*OHH_POSTS, "Bet", "Raise", "Call"})
            assert all(re.fullmatch(CARD, card) for card in action.get("cards", ()))


# --- PokerStars -----------------------------------------------------------------------------------------------

HEADER = re.compile(
    rf"PokerStars Hand #\d+: (?: |Tournament #\d+, {MONEY}(?:\+{MONEY}){{1,2}}(?: [A-Z]{{3}})? )(?:Hold'em|Omaha)"
    rf" (?P<limit>No Limit|Pot Limit|Limit)(?: - Level [IVXLC]+)? \({MONEY}/[€£$]?(?P<big>[\d.]+)(?: [A-Z]{{3}})?\)"
    r" - \d{4}/\d\d/\d\d \d\d:\d\d:\d\d UTC \[\d{4}/\d\d/\d\d \d\d:\d\d:\d\d ET\]"
)
TABLE = re.compile(r"Table '[^']+' (\d+)-max (?:\(Play Money\) )?Seat #(\d+) is the button")


class PokerStarsReader:
    """Follows the lines of one hand."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        header = HEADER.fullmatch(lines[0])
        assert header, lines[0]
        assert TABLE.fullmatch(lines[1]), lines[1]
        self.high = Decimal(header["big"]) / (2 if header["limit"] == "Limit" else 1)
        self.big = self.high
        self.seats: dict[str, int] = {}
        self.stacks: dict[str, Decimal] = {}
        self.bets: Counter[str] = Counter()
        self.small_posted = False
        self.collected = Decimal(0)
        self.counts: Counter[str] = Counter()
        for line in lines[2:]:
            self._read(line)
        assert self.counts["total"] == 1

    def _read(self, line: str) -> None:
        for pattern, handler in GRAMMAR:
            if found := pattern.fullmatch(line):
                handler(self, *found.groups())
                self.counts[handler.__name__] += 1
                return
        raise AssertionError(f"no line of the format: {line}")

    def seat(self, number: str, name: str, stack: str) -> None:
        self.seats[name], self.stacks[name] = int(number), Decimal(stack)

    def _pay(self, name: str, amount: Decimal, all_in: str | None) -> None:
        self.stacks[name] -= amount
        assert (self.stacks[name] == 0) == bool(all_in), name

    def ante(self, name: str, amount: str, all_in: str | None) -> None:
        self._pay(name, Decimal(amount), all_in)

    def post(self, name: str, kind: str, amount: str, all_in: str | None) -> None:
        self._pay(name, Decimal(amount), all_in)
        if kind == "small blind" and self.small_posted:
            return  # dead
        self.small_posted |= kind == "small blind"
        self.bets[name] += min(Decimal(amount), self.big) if kind == "small & big blinds" else Decimal(amount)
        if kind == "straddle":
            self.high = 2 * self.big

    def street(self, cards: str) -> None:
        self.bets.clear()
        self.high = Decimal(0)

    def call(self, name: str, amount: str, all_in: str | None) -> None:
        self._pay(name, Decimal(amount), all_in)
        self.bets[name] += Decimal(amount)

    def bet(self, name: str, amount: str, all_in: str | None) -> None:
        assert self.high == 0
        self.call(name, amount, all_in)
        self.high = self.bets[name]

    def raise_to(self, name: str, by: str, to: str, all_in: str | None) -> None:
        assert Decimal(to) - Decimal(by) == self.high
        self._pay(name, Decimal(to) - self.bets[name], all_in)
        self.high = self.bets[name] = Decimal(to)

    def uncalled(self, amount: str, name: str) -> None:
        self.stacks[name] += Decimal(amount)

    def collect(self, name: str, amount: str) -> None:
        self.stacks[name] += Decimal(amount)
        self.collected += Decimal(amount)

    def total(self, amount: str, pots: str | None, *more: str | None) -> None:
        assert Decimal(amount) == self.collected + Decimal(more[-1] or 0)
        named = re.findall(rf"{MONEY}\.(?: |$)", pots or "")
        assert not named or sum(map(Decimal, named)) == Decimal(amount)

    def known(self, *groups: str | None) -> None:
        """A line that moves no chips."""


R = PokerStarsReader
HAND = (
    r"(?:high card|a pair of|two pair,|three of a kind,|a straight,|a flush,|a full house,|four of a kind,"
    r"|a straight flush,|a Royal Flush) ?[A-Za-z ]*"
)
OUTCOME = (
    rf"(?:folded before Flop(?: \(didn't bet\))?|folded on the (?:Flop|Turn|River)|collected \({MONEY}\)"
    rf"|mucked(?: {CARDS})?|showed {CARDS} and (?:won \({MONEY}\)|lost) with {HAND})"
)
ALL_IN = r"( and is all-in)?"
POSITION = r"(?: \(button\))?(?: \((?:small|big) blind\))?"
GRAMMAR: list[tuple[re.Pattern[str], Callable[..., None]]] = [
    (re.compile(pattern), handler)
    for pattern, handler in [
        (rf"Seat (\d+): {NAME} \({MONEY} in chips\)", R.seat),
        (rf"{NAME}: posts the ante {MONEY}{ALL_IN}", R.ante),
        (rf"{NAME}: posts (small blind|big blind|small & big blinds|straddle) {MONEY}{ALL_IN}", R.post),
        (r"\*\*\* (?:HOLE CARDS|SHOW DOWN|SUMMARY) \*\*\*", R.known),
        (rf"Dealt to {NAME} {CARDS}", R.known),
        (rf"\*\*\* FLOP \*\*\* {CARDS}", R.street),
        (rf"\*\*\* (?:TURN|RIVER) \*\*\* \[(?:{CARD} )+{CARD}\] {CARDS}", R.street),
        (rf"{NAME}: (?:folds|checks|mucks hand|doesn't show hand)", R.known),
        (rf"{NAME} has timed out", R.known),
        (rf"{NAME}: calls {MONEY}{ALL_IN}", R.call),
        (rf"{NAME}: bets {MONEY}{ALL_IN}", R.bet),
        (rf"{NAME}: raises {MONEY} to {MONEY}{ALL_IN}", R.raise_to),
        (rf"Uncalled bet \({MONEY}\) returned to {NAME}", R.uncalled),
        (rf"{NAME}: shows {CARDS} \({HAND}\)", R.known),
        (rf"{NAME} collected {MONEY} from (?:pot|main pot|side pot(?:-\d)?)", R.collect),
        (rf"{NAME} finished the tournament in \d+(?:st|nd|rd|th) place(?: and received {MONEY}\.)?", R.known),
        (rf"{NAME} wins the tournament and receives {MONEY} - congratulations!", R.known),
        (rf"{NAME} wins the {MONEY} bounty for eliminating {NAME}", R.known),
        (rf"Total pot {MONEY}((?: (?:Main pot|Side pot(?:-\d)?) {MONEY}\.)*) \| Rake {MONEY}", R.total),
        (rf"Board {CARDS}", R.known),
        (
            rf"Seat \d+: {NAME}{POSITION} {OUTCOME}",
            R.known,
        ),
    ]
]  # fmt: skip


def pokerstars_stacks(text: str) -> Stacks:
    """Read one hand, line by line."""
    reader = PokerStarsReader(text)
    return {seat: reader.stacks[name] for name, seat in reader.seats.items()}
