"""Exported hands: each hand by itself, and the stacks of a table or tournament from one hand to the next."""

import tomllib
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field

from tests.referee import ohh, phh, pokerstars
from tests.referee.judge import judge
from tests.referee.model import Difference, Hand
from tests.referee.report import Report


@dataclass(slots=True)
class TournamentStacks:
    """The stacks of a tournament by name, each after the last hand of its player. `several`: it has several tables."""

    by_name: dict[str, int] = field(default_factory=dict)
    several: bool = False


def hands(text: str) -> Iterator[Hand]:
    """The hands of a file in one of the three formats. Raises ValueError if it is none."""
    start = text.lstrip("\ufeff \r\n")
    if start.startswith("PokerStars "):
        yield from pokerstars.hands(start)
    elif start.startswith("{"):
        yield from ohh.hands(start)
    else:
        yield from phh.hands(start)


def check_text(text: str, report: Report, known: MutableMapping[str, TournamentStacks]) -> None:
    """Check a file. `known` has what the files before tell of each tournament."""
    reading = hands(text)
    while True:
        try:
            hand = next(reading)
        except StopIteration:
            return
        except (ValueError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
            report.wrong(Difference(kind="unreadable", detail=f"{type(error).__name__}: {error}"))
            return
        check(hand, report, known)


def check(hand: Hand, report: Report, known: MutableMapping[str, TournamentStacks]) -> None:
    """Check one hand, and in a tournament that its players have the stacks that they had after their last hands.

    At a single table each player with chips is there. A player without chips may enter again.
    """
    verdict = judge(hand)
    report.hands += 1
    report.unchecked.update(verdict.unchecked)
    for difference in verdict.differences:
        report.wrong(difference)
    if not hand.terms.tournament:
        return
    before = known[hand.table]
    before.several |= hand.later_table
    started = {seat.name: seat.stack for seat in hand.seats}
    had = {name: stack for name, stack in before.by_name.items() if stack}
    gone = had.keys() - started.keys()
    if (gone and not before.several) or any(had.get(name, stack) != stack for name, stack in started.items()):
        report.wrong(
            Difference(
                kind="stack",
                detail=f"stacks are {started}, after the last hand {had}",
                hand=hand.hand_id,
                table=hand.table,
            )
        )
    if verdict.ends is not None:
        before.by_name.update({seat.name: verdict.ends[seat.number] for seat in hand.seats})
