"""The plan of a swarm: its tables, chosen by their free seats in the lobby, and the bots at each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from pokerroom_protocol.messages import Structure, TableInfo

PLAYERS_MIN: Final = 2
ANY: Final = "any"
STRUCTURES: Final[tuple[str, ...]] = (*get_args(get_args(Structure)[0]), ANY)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """The number of bots at one table, and the buy-in of each in the smallest unit."""

    table: str
    bots: int
    buy_in: int


def group_sizes(bots: int, tables: int) -> list[int]:
    """Divide the bots evenly among the tables; raise ValueError below two bots a table."""
    if tables < 1 or bots < PLAYERS_MIN * tables:
        raise ValueError(
            f"{bots} bots are too few for {tables} tables: use at least {PLAYERS_MIN} bots per table"
        )
    each, more = divmod(bots, tables)
    return [each + 1] * more + [each] * (tables - more)


def of_structure(lobby: Iterable[TableInfo], structure: str) -> list[TableInfo]:
    """Return the open tables with this betting structure, or with any for `ANY`."""
    return [info for info in lobby if structure in {info.structure, ANY} and not info.closing]


def choose_tables(lobby: Sequence[TableInfo], sizes: Sequence[int], buy_in_bb: int) -> list[TablePlan] | None:
    """Choose a table for each group; None while there are too few free seats.

    The order of preference: tables with exactly that many seats, tables with the fewest players, tables of the betting
    structure chosen least often.
    """
    free = list(lobby)
    plans = []
    taken: Counter[str] = Counter()
    for size in sorted(sizes, reverse=True):
        fitting = [info for info in free if info.seats - info.occupied >= size]
        if not fitting:
            return None
        best = min(fitting, key=lambda info: _rank(info, size, taken))
        free.remove(best)
        taken[best.structure] += 1
        buy_in = max(best.min_buy_in, min(buy_in_bb * best.big_blind, best.max_buy_in))
        plans.append(TablePlan(table=best.table, bots=size, buy_in=buy_in))
    return plans


def groups_with_seats(lobby: Iterable[TableInfo], sizes: Iterable[int]) -> int:
    """Return how many of the groups find a table with enough free seats, one group at each."""
    free = sorted((info.seats - info.occupied for info in lobby), reverse=True)
    return sum(seats >= size for seats, size in zip(free, sorted(sizes, reverse=True), strict=False))


def _rank(info: TableInfo, size: int, taken: Counter[str]) -> tuple[bool, int, int, int, str]:
    return info.seats != size, info.occupied, info.seats, taken[info.structure], info.table


def split(plans: Sequence[TablePlan], processes: int) -> list[list[TablePlan]]:
    """Divide whole tables among the processes, with about the same number of bots each and none empty."""
    groups: list[list[TablePlan]] = [[] for _ in range(max(1, min(processes, len(plans))))]
    for plan in sorted(plans, key=lambda plan: -plan.bots):
        min(groups, key=lambda group: sum(each.bots for each in group)).append(plan)
    return groups
