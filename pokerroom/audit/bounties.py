"""The heads of a tournament, followed from hand to hand (L13), and compared with what the ledger has paid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pokerroom.chips import Money
from pokerroom.history.knockouts import contested_pots
from pokerroom.history.record import HandRecord
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.rules.tournament.bounties import bounty_shares, bounty_winners, hand_bounties

_Won = dict[tuple[int, int, int], tuple[int, int]]
"""(Account, number of the entry, winner) -> cash, and what went on the winner's head."""


class HeadReplay:
    """The heads of one tournament; `row` is its row at the end."""

    def __init__(self, row: TournamentRow) -> None:
        self._row = row
        self._heads: dict[int, Money] = {}
        self._entry: dict[int, int] = {}
        """By account, the number of the entry with which it plays."""
        self._numbers = defaultdict[int, list[int]](list)
        for entry in sorted(row.entries, key=lambda entry: -entry.number):
            if entry.seat:
                self._numbers[entry.account].append(entry.number)
        self._won: _Won = {}

    def sit_down(self, account: int) -> None:
        """Follow the next entry of an account, which has got a seat."""
        if self._numbers[account]:
            self._entry[account] = self._numbers[account].pop()
            self._heads[account] = self._row.opening.bounty

    def hand(self, hand: HandRecord) -> None:
        """Follow a hand. Raises LookupError for one in which a player is out of no pot."""
        out = [seat.account for seat in hand.seats if not seat.end]
        if not out or not self._row.opening.bounty:
            return
        pots = contested_pots(hand)
        cash_bps = self._row.opening.bounty_cash_bps
        for account in out:
            shares = bounty_shares(self._heads[account], bounty_winners(pots, account), cash_bps=cash_bps)
            for won in shares:
                self._won[account, self._entry[account], won.winner] = int(won.cash), int(won.on_head)
        self._heads = dict(hand_bounties(self._heads, pots, out, cash_bps=cash_bps).heads)

    def ended(self) -> Iterator[str]:
        """Compare what was won, after the last hand; at the end each that is left gets the own head."""
        due = dict(self._won)
        if self._row.phase in {"finished", "rolled_forward"} and self._row.opening.bounty:
            for account, head in self._heads.items():
                due[account, self._entry[account], account] = int(head), 0
        told = {(one.account, one.number, one.winner): (one.cash, one.on_head) for one in self._row.bounties}
        for account, number, winner in sorted(due.keys() | told.keys()):
            rules, ledger = due.get((account, number, winner)), told.get((account, number, winner))
            if rules != ledger:
                yield (
                    f"account {winner} has won {_amounts(ledger)} of the head of entry {number} of account {account},"
                    f" by its hands {_amounts(rules)}"
                )


def _amounts(won: tuple[int, int] | None) -> str:
    return "nothing" if won is None else f"{won[0]} in cash and {won[1]} on the own head"
