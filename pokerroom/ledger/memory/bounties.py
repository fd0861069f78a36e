"""Bounties in memory: see `TournamentLedger`."""

from __future__ import annotations

from collections.abc import Sequence

from pokerroom.chips import Money, split
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.memory.rounds import MemoryRounds
from pokerroom.ledger.memory.tournament_state import MemoryEntry, MemoryTournament
from pokerroom.ledger.tournaments import ALL_BPS, BountyRow
from pokerroom.ledger.transfers import bounties_code, bounty_key, wallet_code, whole


class MemoryBounties(MemoryRounds):
    """The part of `MemoryTournaments` that pays heads."""

    def _pay_heads(self, found: MemoryTournament, hand: HandSettlement) -> None:
        """Pay the heads of the players that a hand took out, all as they were before it (L13)."""
        entries = {entry.account: entry for entry in found.active()}
        outs = [(entries[one.account], one.winners, entries[one.account].head) for one in hand.knockouts]
        for out, winners, head in sorted(outs, key=lambda item: bounty_key("", item[0].account, 0)):
            rows = []
            for winner, share in zip(winners, split(head, len(winners)), strict=True):
                cash = share * found.opening.bounty_cash_bps // ALL_BPS
                rows.append((winner, cash, share - cash))
                entries[winner].head += share - cash
            out.head -= head
            self._book_bounty(found, out, rows)

    def _pay_own_heads(self, found: MemoryTournament) -> None:
        """Pay each head that is left to its own player."""
        for entry in sorted(found.entries, key=lambda one: str(one.account)):
            if entry.head:
                self._book_bounty(found, entry, [(entry.account, entry.head, 0)])
                entry.head = 0

    def _book_bounty(
        self, found: MemoryTournament, out: MemoryEntry, rows: Sequence[tuple[int, int, int]]
    ) -> None:
        name = found.opening.tournament
        cash = sum(paid for _, paid, _ in rows)
        legs = [(bounties_code(name), -cash), *((wallet_code(winner), paid) for winner, paid, _ in rows)]
        self._write(bounty_key(name, out.account, out.number), "bounty", whole(legs))
        found.bounties += [
            BountyRow(
                account=out.account, number=out.number, winner=winner, cash=Money(paid), on_head=Money(rest)
            )
            for winner, paid, rest in rows
        ]
