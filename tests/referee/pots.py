"""Pots, shares and rake (F1 to F4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.referee.betting import Player
from tests.referee.model import Rake


@dataclass(frozen=True, slots=True)
class Pot:
    """A layer: its chips, and the seats that can win it."""

    amount: int
    seats: tuple[int, ...]


def layers(players: Iterable[Player], *, without_bets: bool = False) -> list[Pot]:
    """The pots, the main pot first. `without_bets` leaves out the bets of the street.

    All live players can win dead money (B9). If one of them has nothing else in, it is a pot of its own.
    """
    players = list(players)
    put_in = {player.seat: player.live - (player.bet if without_bets else 0) for player in players}
    dead = sum(player.dead for player in players)
    live = [player.seat for player in players if not player.folded]
    pots = [Pot(dead, tuple(sorted(live)))] if dead else []
    low = 0
    for height in sorted({put_in[seat] for seat in live} - {0}):
        amount = sum(max(0, min(chips, height) - low) for chips in put_in.values())
        seats = tuple(sorted(seat for seat in live if put_in[seat] >= height))
        if pots and pots[-1].seats == seats:
            amount += pots.pop().amount
        pots.append(Pot(amount, seats))
        low = height
    rest = sum(max(0, chips - low) for chips in put_in.values())
    if rest and pots:
        pots[-1] = Pot(pots[-1].amount + rest, pots[-1].seats)
    elif rest:
        pots = [Pot(rest, tuple(sorted(live)))]
    return pots


def rake_of(pots: Sequence[Pot], terms: Rake, *, dealt_in: int, flop: bool) -> int:
    """What the room takes of a hand."""
    total = sum(pot.amount for pot in pots)
    if total < terms.min_pot or (terms.no_flop_no_drop and not flop):
        return 0
    rake = total * terms.bps // 10_000
    caps = [amount for players, amount in sorted(terms.caps) if players <= dealt_in]
    if caps:
        rake = min(rake, caps[-1])
    return rake - rake % terms.unit


def rake_parts(pots: Sequence[Pot], rake: int, unit: int) -> list[int]:
    """What each pot pays of it: in proportion, odd units from the largest pot, of equal ones from the lower."""
    total = sum(pot.amount for pot in pots)
    if not total or not rake:
        return [0] * len(pots)
    parts = [rake * pot.amount // total // unit * unit for pot in pots]
    parts[max(range(len(pots)), key=lambda at: (pots[at].amount, -at))] += rake - sum(parts)
    return parts


def split(amount: int, winners: Sequence[int], unit: int) -> dict[int, int]:
    """The share of each winner, given from the first left of the button (F3)."""
    if amount // unit < len(winners):
        unit = 1
    each, odd = divmod(amount // unit, len(winners))
    shares = {seat: (each + (at < odd)) * unit for at, seat in enumerate(winners)}
    shares[winners[0]] += amount % unit
    return shares


def units_that_explain(shares: Mapping[int, int], winners: Sequence[int], amount: int) -> set[int]:
    """The sizes of the smallest chip with which the pot is split as it was."""
    return {unit for unit in UNITS if split(amount, winners, unit) == dict(shares)}


UNITS = (*(digit * 10**power for power in range(7) for digit in (1, 2, 5)), 25, 250, 2_500, 25_000)
