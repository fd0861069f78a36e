"""Exported hands, changed in one place. A forgery returns the changed text, or None if the hand has no place for it."""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

Forgery = Callable[[str], str | None]


def _ohh(forge: Callable[[dict[str, Any]], bool]) -> Forgery:
    def forged(text: str) -> str | None:
        hand = json.loads(text)
        return json.dumps(hand) if forge(hand["ohh"]) else None

    return forged


def _actions(ohh: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    return [action for each in ohh["rounds"] for action in each["actions"] if action["action"] in names]


def _odd_chip(ohh: dict[str, Any]) -> bool:
    """The first left of the button gets the odd chip; give it to the other."""
    for pot in ohh["pots"]:
        wins = pot["player_wins"]
        amounts = [Decimal(str(win["win_amount"])) for win in wins]
        if len(wins) == 2 and amounts[0] != amounts[1]:
            wins[0]["win_amount"], wins[1]["win_amount"] = wins[1]["win_amount"], wins[0]["win_amount"]
            return True
    return False


def _pot(ohh: dict[str, Any]) -> bool:
    ohh["pots"][0]["amount"] += 1
    return True


def _rake(ohh: dict[str, Any]) -> bool:
    ohh["pots"][0]["rake"] += 1
    return True


def _winner(ohh: dict[str, Any]) -> bool:
    shown = [action["player_id"] for action in _actions(ohh, "Shows Cards")]
    wins = ohh["pots"][0]["player_wins"]
    losers = [player for player in shown if player not in {win["player_id"] for win in wins}]
    if len(wins) != 1 or not losers:
        return False
    wins[0]["player_id"] = losers[0]
    return True


def _mucked_wins(ohh: dict[str, Any]) -> bool:
    winner = ohh["pots"][0]["player_wins"][0]["player_id"]
    shows = _actions(ohh, "Shows Cards")
    for action in shows[1:]:
        if action["player_id"] == winner:
            action["action"] = "Mucks Cards"
            return True
    return False


def _button(ohh: dict[str, Any]) -> bool:
    ohh["dealer_seat"] = ohh["players"][0]["seat"]
    return True


def _folds_out_of_turn(ohh: dict[str, Any]) -> bool:
    flop = next((each for each in ohh["rounds"] if each["street"] == "Flop"), None)
    if flop is None or len(flop["actions"]) < 2 or len({a["player_id"] for a in flop["actions"][:2]}) < 2:
        return False
    first, second = flop["actions"][:2]
    first["player_id"], second["player_id"] = second["player_id"], first["player_id"]
    return True


def _call(ohh: dict[str, Any]) -> bool:
    calls = [action for action in _actions(ohh, "Call") if not action["is_allin"]]
    if calls:
        calls[0]["amount"] += 1
    return bool(calls)


OHH: dict[str, tuple[set[str], Forgery]] = {
    "a pot of another size": ({"pot"}, _ohh(_pot)),
    "a rake too much": ({"shares"}, _ohh(_rake)),
    "the odd chip for the other winner": ({"odd_chip"}, _ohh(_odd_chip)),
    "a pot for a beaten hand": ({"winner"}, _ohh(_winner)),
    "a mucked hand wins": ({"mucked_won"}, _ohh(_mucked_wins)),
    "the button at another seat": ({"button"}, _ohh(_button)),
    "a call of another size": ({"call"}, _ohh(_call)),
    "two actions in another order": ({"turn", "check", "call", "bet"}, _ohh(_folds_out_of_turn)),
}


def _bump(match: re.Match[str]) -> str:
    return f"{match[1]}{Decimal(match[2]) + 1}{match[3]}"


def _text(pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Forgery:
    def forged(text: str) -> str | None:
        changed, count = re.subn(pattern, replacement, text, count=1, flags=re.MULTILINE)
        return changed if count else None

    return forged


POKERSTARS: dict[str, tuple[set[str], Forgery]] = {
    "too much returned": ({"uncalled"}, _text(r"(Uncalled bet \()([\d.]+)(\))", _bump)),
    "a total pot that does not add up": ({"unreadable"}, _text(r"(Total pot )([\d.]+)( )", _bump)),
    "a winner who collects more": (
        {"shares", "rake", "unreadable"},
        _text(r"( collected )([\d.]+)( from)", _bump),
    ),
    "a call of another size": ({"call"}, _text(r"(: calls )([\d.]+)($)", _bump)),
    "a card twice": ({"card_twice"}, _text(r"(\*\*\* TURN \*\*\* \[(\S\S).*\]) \[..\]", r"\1 [\2]")),
    "a blind too large": ({"post"}, _text(r"(: posts big blind )([\d.]+)($)", _bump)),
    "a bet below the minimum": ({"raise_too_small"}, _text(r": bets \d[\d.]*$", ": bets 0.01")),
}


def _stacks(text: str) -> str | None:
    line = re.search(r"^finishing_stacks = \[(.*)\]$", text, re.MULTILINE)
    stacks = [Decimal(part) for part in (line[1] if line else "").split(",")]
    richest = max(range(len(stacks)), key=lambda at: stacks[at])
    stacks[richest] -= Decimal("0.01")
    stacks[richest - 1] += Decimal("0.01")
    return re.sub(
        r"^finishing_stacks = .*$",
        f"finishing_stacks = [{', '.join(map(str, stacks))}]",
        text,
        flags=re.MULTILINE,
    )


PHH: dict[str, tuple[set[str], Forgery]] = {
    "a chip to another player": ({"end_stack"}, _stacks),
    "a raise below the minimum": ({"raise_too_small"}, _text(r"cbr \d[\d.]*", "cbr 0.01")),
    "a raise beyond the stack": ({"raise_too_large"}, _text(r"cbr \d[\d.]*", "cbr 99999")),
    "a card twice": ({"card_twice"}, _text(r"'d db (..)(..)(..)'(.*)'d db ..'", r"'d db \1\2\3'\4'd db \1'")),
    "a street left out": ({"street", "turn", "unreadable"}, _text(r"'d db ..', ", "")),
    "two players change places": (
        {"seats"},
        _text(r"^seats = \[(\d+), (\d+), (\d+)", r"seats = [\2, \1, \3"),
    ),
}
