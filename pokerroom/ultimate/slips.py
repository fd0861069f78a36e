"""The slips of one betting time, and the last bets of each account, which it may repeat.

Slips are in memory only: nothing is paid before betting closes. Knows no clock, no ledger and no clients.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.slips import BettingSlip
from pokerroom.ultimate.play import RoundPlay


class BetSlips:
    """The slips of one table, in the order in which they were begun."""

    def __init__(self) -> None:
        self._slips: dict[int, BettingSlip] = {}
        self._balances: dict[int, int] = {}
        """What each account with a slip held when it last changed the slip."""
        self._ready: set[int] = set()
        """Accounts that have asked to deal now."""
        self._last_bets: dict[int, tuple[BoxBets, ...]] = {}

    def __bool__(self) -> bool:
        """Whether any account has bets on its slip."""
        return bool(self._slips)

    @property
    def last_bets(self) -> Mapping[int, tuple[BoxBets, ...]]:
        """The bets of each account in its last round here, until the account leaves."""
        return self._last_bets

    def of(self, account: int | None) -> BettingSlip | None:
        """Return the slip of an account; None if it has no bets."""
        return None if account is None else self._slips.get(account)

    def balance(self, account: int) -> int:
        """Return what the account held when it last changed its slip."""
        return self._balances.get(account, 0)

    def put(self, slip: BettingSlip, balance: int) -> None:
        """Keep a changed slip. A player who bets again after an empty slip comes behind the others."""
        self._balances[slip.player] = balance
        if slip.bets:
            self._slips[slip.player] = slip
        else:
            self._slips.pop(slip.player, None)
            self._ready.discard(slip.player)

    def ready(self, account: int) -> None:
        """Note that an account with bets waits for no more of the betting time."""
        self._ready.add(account)

    def all_ready(self, present: Collection[int]) -> bool:
        """Whether each of these accounts has bets and has asked to deal now; False without any."""
        return bool(present) and all(account in self._slips and account in self._ready for account in present)

    def take_all(self) -> tuple[BettingSlip, ...]:
        """Return all slips, and keep none."""
        slips = tuple(self._slips.values())
        self._slips.clear()
        self._ready.clear()
        self._balances.clear()
        return slips

    def drop(self, account: int) -> None:
        """Forget the slip of an account that is about to leave."""
        self._slips.pop(account, None)
        self._ready.discard(account)
        self._balances.pop(account, None)

    def forget(self, account: int) -> None:
        """Forget the last bets of an account that has left."""
        self._last_bets.pop(account, None)

    def played(self, play: RoundPlay) -> None:
        """Note the bets of a round that begins: its players may repeat them."""
        bets: dict[int, list[BoxBets]] = {}
        for one in play.state.setup.boxes:
            bets.setdefault(one.player, []).append(one)
        self._last_bets.update((account, tuple(boxes)) for account, boxes in bets.items())

    def restore(self, last_bets: Mapping[int, tuple[BoxBets, ...]]) -> None:
        """Take the last bets from the journal, or from the game before."""
        self._last_bets.update(last_bets)

    def take_over(self, before: BetSlips, boxes: Mapping[int, int]) -> None:
        """Take the slips of the game before, for accounts that still have the same box.

        `boxes` are the present boxes by account.
        """
        for account, slip in before._slips.items():
            if boxes.get(account) == slip.box:
                self.put(slip, before.balance(account))
