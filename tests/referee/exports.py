"""Exported hands: each hand by itself, and the stacks of a table or tournament from one hand to the next."""

import tomllib
from collections.abc import Iterator, MutableMapping

from tests.referee import ohh, phh, pokerstars
from tests.referee.judge import judge
from tests.referee.model import Difference, Hand
from tests.referee.report import Report


def hands(text: str) -> Iterator[Hand]:
    """The hands of a file in one of the three formats. Raises ValueError if it is none."""
    start = text.lstrip("\ufeff \r\n")
    if start.startswith("PokerStars "):
        yield from pokerstars.hands(start)
    elif start.startswith("{"):
        yield from ohh.hands(start)
    else:
        yield from phh.hands(start)


def check_text(text: str, report: Report, known: MutableMapping[str, dict[str, int]]) -> None:
    """Check a file. `known` has the stacks after the last hand: of each tournament, by name."""
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


def check(hand: Hand, report: Report, known: MutableMapping[str, dict[str, int]]) -> None:
    """Check one hand, and in a tournament that no chip came or went since the last one."""
    verdict = judge(hand)
    report.hands += 1
    report.unchecked.update(verdict.unchecked)
    for difference in verdict.differences:
        report.wrong(difference)
    if not hand.terms.tournament:
        return
    before = known.get(hand.table)
    started = {seat.name: seat.stack for seat in hand.seats}
    if before is not None and started != {name: stack for name, stack in before.items() if stack}:
        report.wrong(
            Difference(
                kind="stack",
                detail=f"stacks are {started}, after the last hand {before}",
                hand=hand.hand_id,
                table=hand.table,
            )
        )
    if verdict.ends is not None:
        known[hand.table] = {seat.name: verdict.ends[seat.number] for seat in hand.seats}
