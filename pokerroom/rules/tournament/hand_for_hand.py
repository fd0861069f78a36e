"""Hand-for-hand: all tables deal together while the next player out decides over a prize or the final table (L8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pokerroom.rules.places import bust_order

_HAND_MS_MAX: Final = 120_000
"""The most that a synchronised hand takes off its level, in milliseconds [D]."""


class TiedEliminations(StrEnum):
    """The places of players eliminated in one synchronised hand."""

    stack = "stack"
    """By their stacks at the start of the hand; equal ones tie (I2)."""
    share = "share"
    """All tie, whatever their stacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EliminatedPlayer:
    """An eliminated player. `position` counts from the first left of the button of the hand, 0 being that player."""

    account: int
    table: int
    position: int
    stack: int
    """The chips at the start of the hand."""


def is_hand_for_hand(
    players: int,
    *,
    paid: int,
    tables: int,
    registration_closed: bool,
    window: int = 1,
    final_table_seats: int = 0,
) -> bool:
    """Return whether all tables deal hand for hand, with so many players left.

    It begins where at most `window` players (0: never) must go out before all are paid, and where one must for the
    final table (`final_table_seats`; 0: that does not count). In a satellite `paid` are the seats that it gives. It
    needs two tables, and no player may be able to join.
    """
    if not window or tables < 2 or not registration_closed:
        return False
    return 1 <= players - paid <= window or 0 < final_table_seats == players - 1


def charged_ms(real_ms: int) -> int:
    """Return what a synchronised hand takes off its level: its time outside of breaks, at most two minutes [D].

    It is counted as the hand ends; between two hands the level stands.
    """
    if real_ms < 0:
        raise ValueError("the elapsed amount must not be negative")
    return min(real_ms, _HAND_MS_MAX)


def elimination_order(
    eliminated: Sequence[EliminatedPlayer], ties: TiedEliminations = TiedEliminations.stack
) -> list[tuple[int, ...]]:
    """Return the accounts that are out in one hand of all tables, the best place first; those that tie in one tuple.

    A tie lists them by table, there from the first left of the button: the odd unit of their prizes goes to the first
    [D]. `places.shared_prizes` takes the order as it is.
    """
    in_order = sorted(eliminated, key=lambda player: (player.table, player.position))
    same = ties is TiedEliminations.share
    groups = bust_order({at: 0 if same else player.stack for at, player in enumerate(in_order)})
    return [tuple(in_order[at].account for at in group) for group in groups]
