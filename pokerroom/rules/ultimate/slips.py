"""What a player does while betting is open (U1): place, double, repeat, undo. One slip holds his bets of one round.

A slip is a value: each function returns another or refuses with a code. Who calls knows the clock and the wallet: he
passes the `balance` from which all that lies on the slip is to be paid, and asks nothing of a slip once the light is
red. Nothing moves before betting closes (`closing`).
"""

from collections.abc import Collection
from typing import ClassVar, Final

from pokerroom.rules.ultimate.bets import Bet, BoxBets
from pokerroom.rules.ultimate.errors import Refusal, refuse
from pokerroom.rules.ultimate.terms import EARLY_MULTIPLES, Seating, Terms
from pokerroom.rules.value import Number, Value


class BettingSlip(Value):
    """A player's bets. `box` is his own; further boxes are played blind."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "box", "bets", "doubled", "history")
    _hidden: ClassVar[str] = "history"  # no secret, but long

    def __init__(
        self,
        *,
        player: Number,
        box: Number,
        bets: tuple[BoxBets, ...] = (),
        doubled: bool = False,
        history: tuple[tuple[tuple[BoxBets, ...], bool], ...] = (),
    ) -> None:
        if type(player) is not int or type(box) is not int:
            raise TypeError("players and boxes are numbers")
        self.player: Final[int] = player
        self.box: Final[int] = box
        self.bets: Final = bets
        """One for each box with something on it, in the order of their numbers."""
        self.doubled: Final = doubled
        """Whether the bets were doubled: that can be done once."""
        self.history: Final = history
        """Bets, and whether doubled, before each thing done that can be undone, the first first."""

    @property
    def total(self) -> int:
        """All that lies on the slip, with the Blinds."""
        return sum([bets.total for bets in self.bets])

    def then(self, bets: tuple[BoxBets, ...], *, doubled: bool) -> "BettingSlip":
        """The slip with other bets, from which one undo leads back to this one."""
        history = (*self.history, (self.bets, self.doubled))
        return BettingSlip(player=self.player, box=self.box, bets=bets, doubled=doubled, history=history)

    def on(self, box: int) -> BoxBets:
        """The bets on a box; none at all if it is empty."""
        for bets in self.bets:
            if bets.box == box:
                return bets
        return BoxBets(box=box, player=self.player)


def place(
    slip: BettingSlip,
    terms: Terms,
    bet: Bet,
    amount: Number,
    *,
    balance: int,
    box: int | None = None,
    free: Collection[int] = (),
) -> BettingSlip:
    """Add `amount` to a bet, as with a chip.

    `box` is the player's own unless it is said; `free` are the boxes without a holder. Refuses with `no_such_bet`,
    `no_such_box`, `box_taken`, `bad_amount`, `above_maximum`, `ante_not_even`, `ante_needed`, `own_box_needed` or
    `insufficient_balance`. Too small a bet is none of these: it may grow until betting closes.
    """
    number = _box(slip, terms, box, free)
    limits = terms.limits(bet)
    if limits is None:
        refuse(Refusal.no_such_bet)
    if type(amount) is not int or amount < 1:
        refuse(Refusal.bad_amount)
    bets = slip.on(number)
    after = _with(bets, bet, _amount(bets, bet) + amount)
    _check(slip, terms, after, bet, limits.most)
    return _placed(slip, after, balance)


def choose_play(slip: BettingSlip, multiple: Number, *, box: int, balance: int) -> BettingSlip:
    """Place the Play of an extra box, 3 or 4 Antes, before the deal (U11); or change it.

    Refuses with `no_such_box`, `ante_needed`, `play_not_allowed` or `insufficient_balance`.
    """
    if box == slip.box:  # its Play is decided with its cards in view
        refuse(Refusal.play_not_allowed)
    bets = slip.on(box)
    if not bets.ante:
        refuse(Refusal.ante_needed)
    if type(multiple) is not int or multiple not in EARLY_MULTIPLES:
        refuse(Refusal.play_not_allowed)
    return _placed(slip, bets.changed(play=multiple), balance)


def double(slip: BettingSlip, terms: Terms, *, balance: int) -> BettingSlip:
    """Double every bet, each up to its maximum; once [D]: after undoing it, once again.

    Refuses with `nothing_to_double` (also where every bet is at its maximum), `doubled_already` or
    `insufficient_balance`.
    """
    if slip.doubled:
        refuse(Refusal.doubled_already)
    doubled = tuple([_doubled(terms, bets) for bets in slip.bets])
    if doubled == slip.bets:
        refuse(Refusal.nothing_to_double)
    return _paid(slip.then(doubled, doubled=True), balance)


def repeat(
    slip: BettingSlip, terms: Terms, last: tuple[BoxBets, ...], *, balance: int, free: Collection[int] = ()
) -> BettingSlip:
    """Place the bets of the last round anew, all or none. A single undo takes them back [D].

    Refuses with `bets_placed` where any was placed already, `nothing_to_repeat`, or as `place` does: the limits may
    have changed, and an extra box may have a holder now.
    """
    if slip.bets:
        refuse(Refusal.bets_placed)
    if not last:
        refuse(Refusal.nothing_to_repeat)
    after = BettingSlip(player=slip.player, box=slip.box)
    # the player's own box first, whatever its number: the others need it
    for bets in sorted(last, key=lambda bets: bets.play):
        box = slip.box if not bets.play else bets.box
        for bet in (Bet.ante, Bet.trips, Bet.progressive):
            if amount := _amount(bets, bet):
                after = place(after, terms, bet, amount, balance=balance, box=box, free=free)
        if bets.play:
            after = choose_play(after, bets.play, box=box, balance=balance)
    return slip.then(after.bets, doubled=False)


def undo(slip: BettingSlip) -> BettingSlip:
    """Take back the last thing done; again, the one before. Refuses with `nothing_to_undo`."""
    if not slip.history:
        refuse(Refusal.nothing_to_undo)
    bets, doubled = slip.history[-1]
    return BettingSlip(
        player=slip.player, box=slip.box, bets=bets, doubled=doubled, history=slip.history[:-1]
    )


def undo_all(slip: BettingSlip) -> BettingSlip:
    """Take back everything. Refuses with `nothing_to_undo`."""
    if not slip.history:
        refuse(Refusal.nothing_to_undo)
    return BettingSlip(player=slip.player, box=slip.box)


def _box(slip: BettingSlip, terms: Terms, box: int | None, free: Collection[int]) -> int:
    if box is None or box == slip.box:
        return slip.box
    if terms.seating is not Seating.boxes or type(box) is not int or not 1 <= box <= terms.boxes:
        refuse(Refusal.no_such_box)
    if box not in free:
        refuse(Refusal.box_taken)
    return box


def _amount(bets: BoxBets, bet: Bet) -> int:
    amounts = {Bet.ante: bets.ante, Bet.trips: bets.trips, Bet.progressive: bets.progressive}
    return amounts[bet]


def _with(bets: BoxBets, bet: Bet, amount: int) -> BoxBets:
    if bet is Bet.ante:
        return bets.changed(ante=amount)
    return bets.changed(trips=amount) if bet is Bet.trips else bets.changed(progressive=amount)


def _check(slip: BettingSlip, terms: Terms, after: BoxBets, bet: Bet, most: int) -> None:
    if _amount(after, bet) > most:
        refuse(Refusal.above_maximum)
    if bet is Bet.ante:
        if after.ante % terms.blind_pays.step:
            refuse(Refusal.ante_not_even)
    elif not after.ante:
        refuse(Refusal.ante_needed)
    if after.box != slip.box and not slip.on(slip.box).ante:
        refuse(Refusal.own_box_needed)


def _doubled(terms: Terms, bets: BoxBets) -> BoxBets:
    for bet in (Bet.ante, Bet.trips, Bet.progressive):
        limits = terms.limits(bet)
        if limits is not None:
            # the limits keep the Ante even: both the double and the maximum are
            bets = _with(bets, bet, min(2 * _amount(bets, bet), limits.most))
    return bets


def _placed(slip: BettingSlip, after: BoxBets, balance: int) -> BettingSlip:
    others = [bets for bets in slip.bets if bets.box != after.box]
    placed = tuple(sorted([*others, after], key=lambda bets: bets.box))
    return _paid(slip.then(placed, doubled=slip.doubled), balance)


def _paid(after: BettingSlip, balance: int) -> BettingSlip:
    if after.total > balance:
        refuse(Refusal.insufficient_balance)
    return after
