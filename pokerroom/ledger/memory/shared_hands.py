"""Shared hands in memory: see `SharedHandLedger`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pokerroom.ledger.memory.account_history import MemoryAccountHistory
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.shared_hands import (
    LINKS_MAX,
    HandLinkRow,
    SharedHandRow,
    ShareOptions,
    TooManyHandLinks,
    UnknownHand,
)


@dataclass(frozen=True, slots=True)
class _Link:
    row: HandLinkRow
    code_hash: bytes


class MemorySharedHands(MemoryAccountHistory):
    """A `SharedHandLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._shared: dict[int, list[_Link]] = {}

    @fired
    def share_hand(
        self, account: int, hand_id: str, options: ShareOptions, code_hash: bytes, sealed: bytes
    ) -> HandLinkRow:
        self._check_account(account)
        self._limits.check_not_locked(account)
        hand = self._hands.get(hand_id)
        if hand is None or account not in dict(hand.deltas):
            raise UnknownHand(f"account {account} was not dealt into a hand {hand_id}")
        links = self._shared.setdefault(account, [])
        for link in links:
            if (link.row.hand_id, link.row.options) == (hand_id, options):
                return link.row
        if len(links) >= LINKS_MAX:
            raise TooManyHandLinks(f"account {account} has {LINKS_MAX} links to hands")
        row = HandLinkRow(hand_id=hand_id, options=options, sealed=sealed)
        links.append(_Link(row, code_hash))
        return row

    @fired
    def hand_links(self, account: int) -> Sequence[HandLinkRow]:
        return [link.row for link in reversed(self._shared.get(account, []))]

    @fired
    def unshare_hand(self, account: int, hand_id: str, options: ShareOptions | None = None) -> None:
        links = self._shared.get(account, [])
        links[:] = [
            link for link in links if link.row.hand_id != hand_id or options not in {None, link.row.options}
        ]

    @fired
    def shared_hand(self, code_hash: bytes) -> SharedHandRow | None:
        for account, links in self._shared.items():
            for link in links:
                if link.code_hash == code_hash:
                    record = self._hands[link.row.hand_id].record
                    return SharedHandRow(account=account, options=link.row.options, record=record)
        return None
