"""Betting closes (U1): which bets stand, which are refused and why, and what the house risks with those that stand.

One pass over all slips in the order in which they were begun. It moves nothing: who calls takes what stands from the
players' wallets and leaves the rest where it is.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from pokerroom.rules.ultimate.bets import Bet, BoxBets
from pokerroom.rules.ultimate.errors import Refusal
from pokerroom.rules.ultimate.exposure import Book
from pokerroom.rules.ultimate.slips import BettingSlip
from pokerroom.rules.ultimate.terms import Terms
from pokerroom.rules.value import Value


class Refused(Value):
    """A bet that does not stand when betting closes. With an Ante go its Blind, and the Play of an extra box."""

    __slots__: ClassVar[tuple[str, ...]] = ("box", "player", "bet", "amount", "why")

    def __init__(self, *, box: int, player: int, bet: Bet, amount: int, why: Refusal) -> None:
        self.box: Final = box
        self.player: Final = player
        self.bet: Final = bet
        self.amount: Final = amount
        self.why: Final = why


class Closed(Value):
    """What betting came to: the boxes that are dealt in, by number, and the bets that were refused."""

    __slots__: ClassVar[tuple[str, ...]] = ("boxes", "refused")

    def __init__(self, *, boxes: tuple[BoxBets, ...], refused: tuple[Refused, ...]) -> None:
        self.boxes: Final = boxes
        self.refused: Final = refused


def close_betting(
    terms: Terms,
    slips: tuple[BettingSlip, ...],
    *,
    balances: Mapping[int, int],
    absent: frozenset[int] = frozenset(),
) -> Closed:
    """Decide which bets stand.

    `slips` stand in the order in which they were begun, `balances` are what each player has at this moment, `absent`
    those whose bets are all refused (U16). A bet below its minimum is refused and the others stand; with an Ante
    go the bets that need it. Where a balance or the house's limit no longer suffices, bets are refused one by one, the
    player's own box before his others, the Ante before Trips and progressive bet [D].
    """
    closing = _Closing(terms, balances)
    # a box is its holder's, also of one who came after an extra bet on it
    taken = {slip.box for slip in slips}
    for slip in slips:
        own = slip.on(slip.box)
        if slip.player in absent:
            for bets in slip.bets:
                closing.refuse_box(bets, Refusal.not_present, Refusal.not_present)
            continue
        own_stands = closing.close_box(own) if own.ante else False
        for bets in slip.bets:
            if bets.box == slip.box or not bets.ante:
                continue
            if not own_stands:
                closing.refuse_box(bets, Refusal.own_box_needed, Refusal.own_box_needed)
            elif bets.box in taken:
                closing.refuse_box(bets, Refusal.box_taken, Refusal.ante_needed)
            elif not bets.play:
                closing.refuse_box(bets, Refusal.play_needed, Refusal.ante_needed)
            elif closing.close_box(bets):
                taken.add(bets.box)
    closing.boxes.sort(key=lambda bets: bets.box)
    return Closed(boxes=tuple(closing.boxes), refused=tuple(closing.refused))


class _Closing:
    """What stands and what does not, while the slips are gone through."""

    __slots__: ClassVar[tuple[str, ...]] = ("_balances", "_book", "_terms", "boxes", "refused")

    def __init__(self, terms: Terms, balances: Mapping[int, int]) -> None:
        self._terms = terms
        self._balances = dict(balances)
        self._book = Book(terms)
        self.boxes: list[BoxBets] = []
        self.refused: list[Refused] = []

    def close_box(self, bets: BoxBets) -> bool:
        """Take what stands of a box, refuse the rest; whether its Ante stands."""
        stands = bets.changed(trips=0, progressive=0)
        why = self._why_not(stands, Bet.ante, bets.ante)
        if why is not None:
            self.refuse_box(bets, why, Refusal.ante_needed)
            return False
        for bet, amount in ((Bet.trips, bets.trips), (Bet.progressive, bets.progressive)):
            if not amount:
                continue
            more = stands.changed(trips=amount) if bet is Bet.trips else stands.changed(progressive=amount)
            why = self._why_not(more, bet, amount)
            if why is None:
                stands = more
            else:
                self._refuse(bets, bet, amount, why)
        self._balances[bets.player] -= stands.total
        self._book.add(stands)
        self.boxes.append(stands)
        return True

    def refuse_box(self, bets: BoxBets, why: Refusal, why_the_others: Refusal) -> None:
        """Refuse all bets of a box: its Ante for a reason, and those that need it."""
        self._refuse(bets, Bet.ante, bets.ante, why)
        if bets.trips:
            self._refuse(bets, Bet.trips, bets.trips, why_the_others)
        if bets.progressive:
            self._refuse(bets, Bet.progressive, bets.progressive, why_the_others)

    def _refuse(self, bets: BoxBets, bet: Bet, amount: int, why: Refusal) -> None:
        self.refused.append(Refused(box=bets.box, player=bets.player, bet=bet, amount=amount, why=why))

    def _why_not(self, stands: BoxBets, bet: Bet, amount: int) -> Refusal | None:
        """Why a bet does not stand, `stands` being its box with it."""
        limits = self._terms.limits(bet)
        if limits is None:
            return Refusal.no_such_bet
        if amount < limits.least:
            return Refusal.below_minimum
        if stands.total > self._balances.get(stands.player, 0):
            return Refusal.insufficient_balance
        most = self._terms.exposure_max
        return None if most is None or self._book.total_with(stands) <= most else Refusal.house_limit
