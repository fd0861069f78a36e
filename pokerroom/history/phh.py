"""Hands written as PHH, read for the rules: hold'em and pot-limit Omaha.

This module reads TOML documents. It knows what a hand must have, not whether its actions are legal; `files` cuts files.
PHH: https://phh.readthedocs.io. Its players are numbered from the first left of the button, as in the rules.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pokerroom.rules.betting import BettingStructure, FixedLimit, NoLimit, PotLimit, structure_named
from pokerroom.rules.cards import Card, parse_card
from pokerroom.rules.rake import RAKE_BPS_MAX, RakeTerms
from pokerroom.rules.variants import HOLDEM, OMAHA, Variant

_VARIANTS = {
    "FT": (HOLDEM, FixedLimit.name),
    "NT": (HOLDEM, NoLimit.name),
    "PO": (OMAHA, PotLimit.name),
}
"""PHH's codes: the game and its betting structure."""
_LIMITS = {"FL": FixedLimit.name, "NL": NoLimit.name, "PL": PotLimit.name}
"""Our own field `_bet_limit`. PHH has no code for pot-limit hold'em: it is NT with PL."""

_DIGITS_MAX = 18
"""Of an amount, before its point and after it."""
_AMOUNT = re.compile(r"\d{1,18}(\.\d{1,18})?", re.ASCII)


class UnreadableHand(Exception):  # noqa: N818 -- says what the file is, as IllegalAction says what an action is
    """Raised for a document that is no hand which the rules could play. `code` is stable, `detail` is for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of `actions`. `player` is None for the dealer."""

    number: int
    """Counted from 1."""
    text: str
    player: int | None
    verb: str
    """f, cc, cbr, sm; dh, db for the dealer."""
    amount: int = 0
    """Of cbr: the raise-to total."""
    cards: tuple[Card | None, ...] = ()
    """Of dh, db and sm; None is a card that the file does not know. A show without cards is a muck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenHand:
    """A hand as its file has it. Amounts are in the smallest unit; `unit` of them are one of the file's."""

    variant: Variant
    structure: BettingStructure
    big_blind: int
    stacks: tuple[int, ...]
    antes: tuple[int, ...]
    """By player, also heads-up."""
    blinds: tuple[int, ...]
    """By player, also heads-up: blinds, straddles and posts."""
    posters: frozenset[int]
    """The players with a newcomer's post, not a straddle."""
    steps: tuple[Step, ...]
    expected: tuple[Fraction, ...] | None
    """`finishing_stacks` in the file's unit."""
    unit: int
    chip: int
    """The smallest chip, in which pots are split (F3)."""
    dead_blind: int
    """The small blind of pot-limit where no player posts one (D4)."""
    rake: RakeTerms | None
    """Terms by which the rake of the hand is what the file says (F4)."""


def read(document: Mapping[str, Any]) -> WrittenHand:
    """Return the hand that a document describes. Raises UnreadableHand where it describes none."""
    variant, structure = _game(document)
    names = ("small_bet", "big_bet") if structure == FixedLimit.name else ("min_bet",)
    raw_stacks = _amounts(document, "starting_stacks")
    raw_antes = _amounts(document, "antes")
    raw_blinds = _amounts(document, "blinds_or_straddles", negative=True)
    players = len(raw_stacks)
    players_max = (len(variant.deck) - variant.board_cards[variant.last_street]) // variant.hole_cards
    if not 2 <= players <= players_max:
        raise UnreadableHand("bad_players", f"2 to {players_max} can play {variant.name}, not {players}")
    if not len(raw_antes) == len(raw_blinds) == players:
        raise UnreadableHand("bad_players", "antes, blinds_or_straddles and starting_stacks differ in length")
    expected = _amounts(document, "finishing_stacks") if "finishing_stacks" in document else None
    if expected is not None and len(expected) != players:
        raise UnreadableHand("bad_players", "finishing_stacks and starting_stacks differ in length")
    lines = document.get("actions")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise UnreadableHand(*_missing("actions", document, "an array of strings"))
    words = [(number, line, line.split("#")[0].split()) for number, line in enumerate(lines, start=1)]
    raw_bets = [_amount_of(document, name) for name in names]
    raises = [_raise_to(number, line, parts) for number, line, parts in words if "cbr" in parts[1:2]]
    raw_chip = _chip(document)
    raw_dead = _amount(document.get("_dead_blind", 0), "_dead_blind")
    raw_rake = (
        _amount(document.get("_rake", 0), "_rake"),
        _amount(document.get("_rake_unit", 0), "_rake_unit"),
    )
    unit = _unit([*raw_stacks, *raw_antes, *raw_blinds, *raw_bets, *raises, raw_chip, raw_dead, *raw_rake])
    bets = {name: int(bet * unit) for name, bet in zip(names, raw_bets, strict=True)}
    stacks = tuple([int(stack * unit) for stack in raw_stacks])
    if min(stacks) < 1:
        raise UnreadableHand("bad_amount", "starting_stacks: more than nothing")
    antes = _taken(document, [int(ante * unit) for ante in raw_antes])
    blinds = [int(blind * unit) for blind in raw_blinds]
    if players == 2:
        # Heads-up, PHH writes antes and blinds the other way round: the first of them is the button's.
        antes.reverse()
        blinds.reverse()
    return WrittenHand(
        variant=variant,
        structure=_structure(document, structure, bets),
        big_blind=bets[names[0]],
        stacks=stacks,
        antes=tuple(antes),
        blinds=tuple([abs(blind) for blind in blinds]),
        posters=frozenset([player for player, blind in enumerate(blinds) if blind < 0]),
        steps=tuple([_step(number, line, parts, players, unit) for number, line, parts in words if parts]),
        expected=None if expected is None else tuple(expected),
        unit=unit,
        chip=max(1, int(raw_chip * unit)),
        dead_blind=int(raw_dead * unit),
        rake=_rake(*[int(amount * unit) for amount in raw_rake]),
    )


def _chip(document: Mapping[str, Any]) -> Fraction:
    """Return the smallest chip, a field of our own; 0 where there is none: then it is the smallest unit."""
    return _amount(document.get("_unit", 0), "_unit")


def _rake(rake: int, unit: int) -> RakeTerms | None:
    """Return terms that take this much: the largest share that there is, capped at it. Both are fields of our own."""
    unit = max(1, unit)
    if rake % unit:
        raise UnreadableHand("bad_amount", "_rake is a multiple of _rake_unit")
    return RakeTerms(bps=RAKE_BPS_MAX, caps=((2, rake),), no_flop_no_drop=False, unit=unit) if rake else None


def _taken(document: Mapping[str, Any], antes: list[int]) -> list[int]:
    """Return the antes that are taken. With `ante_trimming_status`, an ante beyond all others is given back at once.

    Antes that differ even then are bets with pots of their own. The rules have no such antes (B9).
    """
    trimming = document.get("ante_trimming_status", False)
    if type(trimming) is not bool:
        raise UnreadableHand("bad_amount", "ante_trimming_status is true or false")
    if not trimming:
        return antes
    second = sorted(antes)[-2]
    if min(antes) < second:
        raise UnreadableHand(
            "uneven_antes", "antes that differ are played with ante_trimming_status = false only"
        )
    return [second] * len(antes)


def _game(document: Mapping[str, Any]) -> tuple[Variant, str]:
    """Return the game that a document is of, and the name of its betting structure."""
    code, limit = document.get("variant"), document.get("_bet_limit")
    if code is None:
        raise UnreadableHand(*_missing("variant", document, "a text"))
    known = _VARIANTS.get(code) if isinstance(code, str) else None
    if known is not None:
        variant, structure = known
        if limit is None or (isinstance(limit, str) and _LIMITS.get(limit) == structure):
            return known
        if (structure, limit) == (NoLimit.name, "PL"):
            return variant, PotLimit.name
    told = repr(code) if limit is None else f"{code!r} with _bet_limit = {limit!r}"
    codes = ", ".join(_VARIANTS)
    raise UnreadableHand(
        "unknown_variant", f"{told} is not played here: {codes}, and NT with _bet_limit PL are"
    )


def _structure(document: Mapping[str, Any], name: str, bets: Mapping[str, int]) -> BettingStructure:
    """Return the betting structure. Two fields of our own may set fixed limit's cap (D5)."""
    if min(bets.values()) < 1:
        raise UnreadableHand("bad_amount", f"{' and '.join(bets)}: more than nothing")
    if name != FixedLimit.name:
        return structure_named(name, {})
    raises_max = document.get("_raises_max", 3)
    cap_heads_up = document.get("_cap_heads_up", True)
    if type(raises_max) is not int or raises_max < 0 or type(cap_heads_up) is not bool:
        raise UnreadableHand("bad_amount", "_raises_max is a whole number, _cap_heads_up true or false")
    return FixedLimit(
        small_bet=bets["small_bet"],
        big_bet=bets["big_bet"],
        raises_max=raises_max,
        cap_heads_up=cap_heads_up,
    )


def _missing(name: str, document: Mapping[str, Any], kind: str) -> tuple[str, str]:
    if name in document:
        return "bad_amount", f"{name} is not {kind}"
    return "missing_field", f"{name} is missing"


def _amounts(document: Mapping[str, Any], name: str, *, negative: bool = False) -> list[Fraction]:
    values = document.get(name)
    if not isinstance(values, list):
        raise UnreadableHand(*_missing(name, document, "an array of numbers"))
    return [_amount(value, name, negative=negative) for value in values]


def _amount_of(document: Mapping[str, Any], name: str) -> Fraction:
    if name not in document:
        raise UnreadableHand(*_missing(name, document, "a number"))
    return _amount(document[name], name)


def _amount(value: object, name: str, *, negative: bool = False) -> Fraction:
    """Return a number of the file, exactly. `inf` is PHH's word for an unknown stack."""
    if type(value) is not int and not isinstance(value, Decimal):
        raise UnreadableHand("bad_amount", f"{name}: {value!r} is not a number")
    amount = Decimal(value)
    if amount.is_infinite():
        raise UnreadableHand("unknown_amount", f"{name}: an unknown amount (inf) cannot be played")
    if amount.is_nan() or (amount < 0 and not negative) or abs(amount.adjusted()) > _DIGITS_MAX:
        raise UnreadableHand("bad_amount", f"{name}: {value} is no amount")
    return Fraction(amount)


def _raise_to(number: int, line: str, parts: list[str]) -> Fraction:
    if len(parts) != 3 or not _AMOUNT.fullmatch(parts[2]):
        raise UnreadableHand("bad_action", f"action {number}: {line}: cbr needs an amount")
    return Fraction(parts[2])


def _unit(amounts: list[Fraction]) -> int:
    """Return how many smallest units are one of the file's (A1): 1, or at least 100 where an amount is fractional."""
    if all(amount.denominator == 1 for amount in amounts):
        return 1
    unit = 10
    for _ in range(_DIGITS_MAX - 1):
        unit *= 10
        if all(unit % amount.denominator == 0 for amount in amounts):
            return unit
    raise UnreadableHand("bad_amount", f"an amount has more than {_DIGITS_MAX} decimals")


def _step(number: int, line: str, parts: list[str], players: int, unit: int) -> Step:
    """Read one line of actions: `d dh pN cards`, `d db cards`, `pN f`, `pN cc`, `pN cbr X`, `pN sm [cards]`."""

    def step(verb: str, player: str | None, *, amount: int = 0, cards: str = "") -> Step:
        index: int | None = None
        if player is not None:
            index = int(player[1:]) - 1 if re.fullmatch(r"p[1-9]\d?", player, re.ASCII) else players
            if index >= players:
                raise UnreadableHand("bad_action", f"action {number}: {line}: no such player")
        return Step(
            number=number, text=line, player=index, verb=verb, amount=amount, cards=_cards(cards, line)
        )

    match parts:
        case ["d", "dh", player, cards]:
            return step("dh", player, cards=cards)
        case ["d", "db", cards]:
            return step("db", None, cards=cards)
        case [player, "f" | "cc" as verb]:
            return step(verb, player)
        case [player, "cbr", amount]:
            return step("cbr", player, amount=int(Fraction(amount) * unit))
        case [player, "sm"]:
            return step("sm", player)
        case [player, "sm", cards]:
            return step("sm", player, cards="????" if cards == "-" else cards)  # "-": as they were dealt
        case _:
            raise UnreadableHand("bad_action", f"action {number}: {line}: not understood")


def _cards(text: str, line: str) -> tuple[Card | None, ...]:
    if len(text) % 2:
        raise UnreadableHand("bad_cards", f"{line}: cards are written as two letters each")
    cards: list[Card | None] = []
    for at in range(0, len(text), 2):
        written = text[at : at + 2]
        try:
            cards.append(None if "?" in written else parse_card(written))
        except ValueError:
            raise UnreadableHand("bad_cards", f"{line}: {written} is no card") from None
    return tuple(cards)
