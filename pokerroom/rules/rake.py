"""The rake of a hand (F4) and each player's part of it (F5). Plain arithmetic.

The terms are data of the hand's setup. `showdown` takes the rake once, as it awards the pots; all others read what it
took.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.value import Number, Value

RAKE_BPS_MAX: Final = 1000
"""10 %. With at most nine pots the largest pot can then always bear the odd units of the others' rake."""


class RakeTerms(Value):
    """What the room takes of each hand. Amounts are in the smallest unit.

    Raises TypeError for an amount that is no `int` (A1).
    """

    __slots__: ClassVar[tuple[str, ...]] = ("bps", "caps", "no_flop_no_drop", "unit", "min_pot")

    def __init__(
        self,
        *,
        bps: Number,
        caps: tuple[tuple[int, int], ...] = (),
        no_flop_no_drop: bool = True,
        unit: Number = 1,
        min_pot: Number = 0,
    ) -> None:
        if not (type(bps) is int and type(unit) is int and type(min_pot) is int) or any(
            type(number) is not int for cap in caps for number in cap
        ):
            raise TypeError("an amount is an int, in the smallest unit (A1)")
        self.bps: Final[int] = bps
        """Basis points of the pot, 1 to `RAKE_BPS_MAX`."""
        self.caps: Final = caps
        """(number of players dealt in, the most that is taken from so many on), fewest players first; empty: no cap."""
        self.no_flop_no_drop: Final = no_flop_no_drop
        """Whether a hand that ends on its first street pays nothing."""
        self.unit: Final[int] = unit
        """The rake is a multiple of this, at least 1."""
        self.min_pot: Final[int] = min_pot
        """A hand with less than this in its pots pays nothing."""


def check_rake(terms: RakeTerms | None) -> None:
    """Raise InvariantBroken for terms that no table may have; None is no rake."""
    if terms is None:
        return
    if not 1 <= terms.bps <= RAKE_BPS_MAX or terms.unit < 1 or terms.min_pot < 0:
        raise InvariantBroken("a rake is 1 to 1000 basis points, in whole units (F4)")
    players = [players for players, _ in terms.caps]
    if players != sorted(set(players)) or any(cap < 1 or cap % terms.unit for _, cap in terms.caps):
        raise InvariantBroken("the caps of a rake are whole units, one for each number of players (F4)")


def rake_of_pots(terms: RakeTerms, pots: Sequence[int], players: int, *, flop: bool) -> list[int]:
    """Return the rake of each pot, main pot first (F4). `pots` are the amounts after the uncalled bet went back.

    `players` is the number dealt in, `flop` whether the hand came to its second street. The rake is taken in
    proportion, in whole units; odd units come from the largest pot, of equal ones from the lower.
    """
    total = sum(pots)
    if total < max(1, terms.min_pot) or (terms.no_flop_no_drop and not flop):
        return [0] * len(pots)
    rake = total * terms.bps // (10_000 * terms.unit) * terms.unit
    caps = [cap for from_players, cap in terms.caps if from_players <= players]
    if caps:
        rake = min(rake, caps[-1])
    units = rake // terms.unit
    taken = [units * pot // total * terms.unit for pot in pots]
    taken[pots.index(max(pots))] += rake - sum(taken)
    return taken


def attributed(rake: int, contributed: Sequence[int]) -> list[int]:
    """Return each player's part of the rake: in proportion to what the player has in the pots (F5).

    Parts are rounded down; what is left goes one each to the largest remainders, of equal ones from the first left of
    the button, the order of `contributed`. The parts add up to `rake`.
    """
    total = sum(contributed)
    if not rake:
        return [0] * len(contributed)
    parts = [rake * chips // total for chips in contributed]
    remainders = sorted([(-(rake * chips % total), player) for player, chips in enumerate(contributed)])
    for _, player in remainders[: rake - sum(parts)]:
        parts[player] += 1
    return parts
