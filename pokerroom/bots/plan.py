"""Which tables a swarm goes to, and how many bots to each: chosen from the lobby's free seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom_protocol.messages import TableInfo

PLAYERS_MIN: Final = 2
ANY: Final = "any"
STRUCTURES: Final = ("no_limit", "pot_limit", "fixed_limit", ANY)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """So many bots to this table, each with this buy-in (smallest unit)."""

    table: str
    bots: int
    buy_in: int


def group_sizes(bots: int, tables: int) -> list[int]:
    """How many bots play at each table, as even as can be; raises ValueError below two a table."""
    if tables < 1 or bots < PLAYERS_MIN * tables:
        raise ValueError(f"{bots} bots are not enough for {tables} tables: a table needs {PLAYERS_MIN}")
    each, more = divmod(bots, tables)
    return [each + 1] * more + [each] * (tables - more)


def of_structure(lobby: Iterable[TableInfo], structure: str) -> list[TableInfo]:
    """The tables that play this betting structure (or `ANY`) and take players."""
    return [info for info in lobby if structure in {info.structure, ANY} and not info.closing]


def choose_tables(lobby: Sequence[TableInfo], sizes: Sequence[int], buy_in_bb: int) -> list[TablePlan] | None:
    """A table for each group, or None while there are not enough free seats.

    Tables made for just so many players come first, then those where fewest others sit, then those of the betting
    structure that was taken least often.
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


def _rank(info: TableInfo, size: int, taken: Counter[str]) -> tuple[bool, int, int, int, str]:
    return info.seats != size, info.occupied, info.seats, taken[info.structure], info.table


def split(plans: Sequence[TablePlan], processes: int) -> list[list[TablePlan]]:
    """Whole tables to each process, about the same number of bots to all; no process is left without."""
    groups: list[list[TablePlan]] = [[] for _ in range(max(1, min(processes, len(plans))))]
    for plan in sorted(plans, key=lambda plan: -plan.bots):
        min(groups, key=lambda group: sum(each.bots for each in group)).append(plan)
    return groups
