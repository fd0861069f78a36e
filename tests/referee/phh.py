"""Hands of PHH files (https://phh.readthedocs.io), with the room's own fields that begin with `_`.

Posts are implicit in PHH: they follow from what each player owes. So are returns, pots and shares: the judge works
them out, and compares the stacks at the end.
"""

import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.referee.model import Hand, Seat, Step, Terms

GAMES = {"FT": ("holdem", "fixed_limit"), "NT": ("holdem", "no_limit"), "PO": ("omaha", "pot_limit")}
HOLES = {"holdem": 2, "omaha": 4}


def hands(text: str) -> Iterator[Hand]:
    """The hands of a `.phh` or `.phhs` file. Raises ValueError if it is none."""
    document = tomllib.loads(text, parse_float=Decimal)
    for fields in [document] if "variant" in document else document.values():
        yield hand(fields)


def hand(fields: dict[str, Any]) -> Hand:
    """One hand. Raises ValueError for a variant that the referee does not know."""
    if fields["variant"] not in GAMES:
        raise ValueError(f"unknown variant {fields['variant']}")
    game, structure = GAMES[fields["variant"]]
    if fields.get("_bet_limit") == "PL":
        structure = "pot_limit"
    scale = 1 if "event" in fields else 100
    owed = [[_units(amount, scale) for amount in fields[name]] for name in ("antes", "blinds_or_straddles")]
    if len(owed[0]) == 2:
        for amounts in owed:
            amounts.reverse()  # heads-up PHH names the button's first
    big = _units(fields.get("min_bet", fields.get("small_bet")), scale)
    read = Hand(
        hand_id=str(fields.get("hand", "")),
        table=str(fields.get("event") or fields.get("table", "")),
        later_table="event" in fields and fields["event"] != fields.get("table"),
        terms=Terms(
            game=game,
            structure=structure,
            hole_cards=HOLES[game],
            small_blind=_units(fields["_dead_blind"], scale) if "_dead_blind" in fields else None,
            big_blind=big,
            small_bet=big if structure == "fixed_limit" else 0,
            big_bet=_units(fields.get("big_bet", 0), scale),
            ante=None,
            big_blind_ante=None,
            straddle=None,
            tournament="event" in fields,
            unit=_units(fields["_unit"], scale) if "_unit" in fields else None,
            raises_max=fields.get("_raises_max", 3),
            cap_heads_up=fields.get("_cap_heads_up", True),
        ),
        button=None,
        small_blind=None,
        big_blind=None,
        seats=_seats(fields, scale),
        tells_returns=False,
        show_order_unknown="_kept_back" in fields,
        tells_awards=False,
        rake=_units(fields.get("_rake", 0), scale),
        rake_unit=_units(fields.get("_rake_unit", Decimal("0.01") if scale == 100 else 1), scale),
    )
    _posts(read, *owed)
    _actions(read, fields["actions"], scale)
    if "finishing_stacks" in fields:
        ends = [_units(amount, scale) for amount in fields["finishing_stacks"]]
        read.ends = {seat.number: end for seat, end in zip(read.seats, ends, strict=True)}
    return read


def _units(amount: Decimal | int, scale: int) -> int:
    whole = Decimal(amount) * scale
    if whole != int(whole):
        raise ValueError(f"{amount} is no amount of whole units")
    return int(whole)


def _seats(fields: dict[str, Any], scale: int) -> list[Seat]:
    stacks = [_units(stack, scale) for stack in fields["starting_stacks"]]
    numbers = fields.get("seats", list(range(1, len(stacks) + 1)))
    names = fields.get("players", [f"p{number}" for number in numbers])
    return [
        Seat(number=number, name=name, stack=stack)
        for number, name, stack in zip(numbers, names, stacks, strict=True)
    ]


def _posts(read: Hand, antes: list[int], blinds: list[int]) -> None:
    """Antes first. What a player owes beyond the smallest ante is dead."""
    left = {seat.number: seat.stack for seat in read.seats}
    numbers = [seat.number for seat in read.seats]
    big = read.terms.big_blind

    def post(seat: int, kind: str, owed: int) -> None:
        paid = min(owed, left[seat])
        if owed:
            left[seat] -= paid
            read.steps.append(Step(what="post", seat=seat, kind=kind, amount=paid, bet=owed))

    for seat in numbers:
        post(seat, "ante", min(antes))
    for seat, ante in zip(numbers, antes, strict=True):
        post(seat, "dead_post", ante - min(antes))
    for seat, blind in zip(numbers, blinds, strict=True):
        if blind < 0:
            post(seat, "live_post", -blind)
        elif 0 < blind < big:
            read.small_blind = seat
            post(seat, "small_blind", blind)
        elif blind and read.big_blind is None:
            read.big_blind = seat
            post(seat, "big_blind", blind)
        elif blind:
            post(seat, "straddle", blind)


_ACTION = re.compile(r"(?P<who>d|p\d+) (?P<verb>dh|db|f|cc|cbr|sm)(?: (?P<rest>[^#]*))?(?:#.*)?")


def _actions(read: Hand, lines: list[str], scale: int) -> None:
    numbers = {f"p{at}": seat.number for at, seat in enumerate(read.seats, start=1)}
    streets = iter(("flop", "turn", "river", "more"))
    facing = True
    for line in lines:
        match = _ACTION.fullmatch(line.strip())
        if match is None:
            raise ValueError(f"no action: {line!r}")
        seat, rest = numbers.get(match["who"], 0), (match["rest"] or "").strip()
        match match["verb"]:
            case "db":
                read.steps.append(Step(what="street", kind=next(streets), cards=_cards(rest)))
                facing = False
            case "f":
                read.steps.append(Step(what="act", seat=seat, kind="fold", amount=0))
            case "cc":
                read.steps.append(Step(what="act", seat=seat, kind="check_or_call"))
            case "cbr":
                kind = "raise" if facing else "bet"
                read.steps.append(Step(what="act", seat=seat, kind=kind, bet=_units(Decimal(rest), scale)))
                facing = True
            case "sm" if "?" not in rest:
                what = "show" if rest else "muck"
                read.steps.append(Step(what=what, seat=seat, cards=_cards(rest)))


def _cards(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + 2] for at in range(0, len(text), 2))
