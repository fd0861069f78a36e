"""Hands of Open Hand History files (https://hh-specs.handhistory.org), one JSON object on each line.

OHH has no uncalled bet, no all-in by the clock, and no stacks at the end. What it does not tell follows from the rest:
a player passed over at their turn was all-in by the clock.
"""

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.referee.model import Hand, Seat, Step, Terms

GAMES = {"Holdem": ("holdem", 2), "Omaha": ("omaha", 4)}
STRUCTURES = {"NL": "no_limit", "PL": "pot_limit", "FL": "fixed_limit"}
POSTS = {
    "Post SB": "small_blind",
    "Post BB": "big_blind",
    "Straddle": "straddle",
    "Post Dead": "dead_post",
    "Post Extra Blind": "live_post",
}
ACTIONS = {"Fold": "fold", "Check": "check", "Bet": "bet", "Raise": "raise", "Call": "call"}


def hands(text: str) -> Iterator[Hand]:
    """The hands of a file. Raises ValueError or KeyError if it is none."""
    for line in text.splitlines():
        if line.strip():
            yield hand(json.loads(line, parse_float=Decimal)["ohh"])


def hand(ohh: dict[str, Any]) -> Hand:
    """One hand."""
    tournament = bool(ohh.get("tournament"))
    scale = 1 if tournament else 100

    def units(amount: Decimal | int | None) -> int:
        whole = Decimal(amount or 0) * scale
        if whole != int(whole):
            raise ValueError(f"{amount} is no amount of whole units")
        return int(whole)

    game, hole_cards = GAMES[ohh["game_type"]]
    structure = STRUCTURES[ohh["bet_limit"]["bet_type"]]
    big = units(ohh["big_blind_amount"])
    seat_of = {player["id"]: player["seat"] for player in ohh["players"]}
    steps = list(_steps(ohh["rounds"], seat_of, units))
    posted = {step.kind: step.seat for step in steps if step.what == "post"}
    return Hand(
        hand_id=ohh["game_number"],
        table=ohh["tournament_info"]["tournament_number"] if tournament else ohh["table_name"],
        later_table=tournament and ohh["tournament_info"]["type"] == "MTT",
        terms=Terms(
            game=game,
            structure=structure,
            hole_cards=hole_cards,
            small_blind=units(ohh["small_blind_amount"]),
            big_blind=big,
            small_bet=big,
            big_bet=2 * big,
            ante=None,
            big_blind_ante=None,
            straddle=2 * big if "straddle" in posted else None,
            rake_known=False,
            tournament=tournament,
        ),
        button=ohh["dealer_seat"],
        small_blind=posted.get("small_blind"),
        big_blind=posted.get("big_blind"),
        seats=[
            Seat(number=player["seat"], name=player["name"], stack=units(player["starting_stack"]))
            for player in ohh["players"]
        ],
        steps=[*steps, *_awards(ohh["pots"], seat_of, units)],
        tells_returns=False,
        tells_clock=False,
        tells_blinds=False,
        shows_in_time=False,
    )


def _steps(rounds: list[dict[str, Any]], seat_of: dict[int, int], units: Any) -> Iterator[Step]:
    turned = next((each["actions"] for each in rounds if each["street"] == "Showdown"), [])
    antes = Counter(
        action["player_id"]
        for each in rounds
        for action in each["actions"]
        if action["action"] == "Post Ante"
    )
    common = len(antes) > 1
    seen: set[int] = set()
    for each in rounds:
        name = each["street"].lower()
        if name not in {"preflop", "showdown"}:
            yield Step(what="street", kind=name, cards=tuple(each["cards"]))
        for action in each["actions"]:
            seat, kind = seat_of[action["player_id"]], action["action"]
            amount = units(action.get("amount"))
            if kind == "Post Ante":
                first = common and action["player_id"] not in seen
                seen.add(action["player_id"])
                yield Step(what="post", seat=seat, kind="ante" if first else "big_blind_ante", amount=amount)
            elif kind in POSTS:
                yield Step(what="post", seat=seat, kind=POSTS[kind], amount=amount, all_in=action["is_allin"])
            elif kind in ACTIONS:
                all_in = action["is_allin"] if kind not in {"Fold", "Check"} else None
                yield Step(what="act", seat=seat, kind=ACTIONS[kind], amount=amount, all_in=all_in)
    for action in turned:
        what = "show" if action["action"] == "Shows Cards" else "muck"
        # a player's own file tells their mucked cards, too
        cards = tuple(action["cards"]) if what == "show" else ()
        yield Step(what=what, seat=seat_of[action["player_id"]], cards=cards)


def _awards(pots: list[dict[str, Any]], seat_of: dict[int, int], units: Any) -> Iterator[Step]:
    for pot in sorted(pots, key=lambda pot: -pot["number"]):
        yield Step(
            what="award",
            pot=pot["number"],
            amount=units(pot["amount"]),
            rake=units(pot["rake"]),
            shares=tuple((seat_of[win["player_id"]], units(win["win_amount"])) for win in pot["player_wins"]),
        )
