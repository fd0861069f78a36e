"""Bounties in memory: see `TournamentLedger`."""

from __future__ import annotations

from collections.abc import Sequence

from pokerroom.chips import Money
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.memory.rounds import MemoryRounds
from pokerroom.ledger.memory.tournament_state import MemoryEntry, MemoryTournament
from pokerroom.ledger.tournaments import BountyRow
from pokerroom.ledger.transfers import bounties_code, bounty_key, wallet_code, whole
from pokerroom.rules.tournament.bounties import BountyShare, bounty_shares


class MemoryBounties(MemoryRounds):
    """The part of `MemoryTournaments` that pays heads."""

    def _pay_heads(self, found: MemoryTournament, hand: HandSettlement) -> None:
        """Pay the heads of the players that a hand took out, all as they were before it (L13)."""
        entries = {entry.account: entry for entry in found.active()}
        outs = [(entries[one.account], one.winners, entries[one.account].head) for one in hand.knockouts]
        for out, winners, head in sorted(outs, key=lambda item: bounty_key("", item[0].account, 0)):
            shares = bounty_shares(Money(head), winners, cash_bps=found.opening.bounty_cash_bps)
            for won in shares:
                entries[won.winner].head += won.on_head
            out.head -= head
            self._book_bounty(found, out, shares)

    def _pay_own_heads(self, found: MemoryTournament) -> None:
        """Pay each head that is left to its own player."""
        for entry in sorted(found.entries, key=lambda one: str(one.account)):
            if entry.head:
                own = BountyShare(winner=entry.account, cash=Money(entry.head), on_head=Money(0))
                self._book_bounty(found, entry, [own])
                entry.head = 0

    def _book_bounty(self, found: MemoryTournament, out: MemoryEntry, shares: Sequence[BountyShare]) -> None:
        name = found.opening.tournament
        cash = sum(won.cash for won in shares)
        legs = [(bounties_code(name), -cash), *((wallet_code(won.winner), int(won.cash)) for won in shares)]
        self._write(bounty_key(name, out.account, out.number), "bounty", whole(legs))
        found.bounties += [
            BountyRow(
                account=out.account,
                number=out.number,
                winner=won.winner,
                cash=won.cash,
                on_head=won.on_head,
            )
            for won in shares
        ]
