"""Makes links to hands, takes them back and opens them. Knows the ledger and no connections.

A code is random. The ledger finds it by its SHA-256, and has it sealed, so that an account is told the same link again.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Final, Protocol, assert_never

import structlog
from cryptography.exceptions import InvalidTag
from twisted.internet.defer import Deferred

from pokerroom.gateway.account_service import AccountRefused
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.redaction import set_names, shared_hand, shared_viewer, visible_hand
from pokerroom.ledger.shared_hands import HandLinkRow, SharedHandLedger, ShareOptions
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

HAND_CODES: Final = "links to hands"
"""The purpose of the seal of the codes (`Seal.of`)."""

_log = structlog.get_logger()


class SharingLedger(SharedHandLedger, Protocol):
    """The part of the ledger that is asked here."""

    def account_names(self, accounts: Sequence[int]) -> Deferred[dict[int, str]]:
        """See `Ledger.account_names`."""


class HandSharing:
    """`cards` opens the cards of settled hands, `codes` seals and opens codes, `random_bytes` makes them."""

    def __init__(
        self, ledger: SharingLedger, cards: CardSeal, codes: CardSeal, random_bytes: Callable[[int], bytes]
    ) -> None:
        self._ledger = ledger
        self._cards = cards
        self._codes = codes
        self._random_bytes = random_bytes

    async def answered(self, message: wire.SharingMessage, account: int) -> wire.Answer:
        """Answer an account that is logged in. Raises what the ledger raises."""
        match message:
            case wire.ShareHand():
                return wire.HandLink(re=message.id, link=await self._share(message, account))
            case wire.UnshareHand():
                await self._ledger.unshare_hand(account, message.hand_id)
                _log.info("hand.unshared", account=account, hand_id=message.hand_id)
                return wire.Ok(re=message.id)
            case wire.GetHandLinks():
                views = [self._view(account, row) for row in await self._ledger.hand_links(account)]
                return wire.HandLinks(re=message.id, links=[view for view in views if view is not None])
            case _:
                assert_never(message)

    async def opened(self, message: wire.GetSharedHand) -> wire.SharedHand:
        """Answer any client that has a link. Raises `AccountRefused`, and what the ledger raises."""
        of = await self._ledger.shared_hand(_hash(message.code))
        if of is None:
            raise AccountRefused(Code.UNKNOWN_HAND_LINK)
        visible = visible_hand(of.record, shared_viewer(of), self._cards)
        if of.options.names != "none":
            set_names(visible, await self._ledger.account_names([seat.account for seat in visible.seats]))
        return wire.SharedHand(re=message.id, hand=shared_hand(visible, of))

    async def _share(self, message: wire.ShareHand, account: int) -> wire.HandLinkView:
        options = ShareOptions(names=message.names, own_cards=message.own_cards)
        code = urlsafe_b64encode(self._random_bytes(16)).rstrip(b"=").decode()
        sealed = self._codes.close(code.encode(), _about(account, message.hand_id))
        ask = (account, message.hand_id, options, _hash(code), sealed)
        row = await self._ledger.share_hand(*ask)
        view = self._view(account, row)
        if view is None:  # its key is gone: the old link cannot be told again
            await self._ledger.unshare_hand(account, message.hand_id, options)
            row = await self._ledger.share_hand(*ask)
            view = self._view(account, row)
            assert view is not None, "sealed with the present key"
        if row.sealed == sealed:
            _log.info("hand.shared", account=account, hand_id=message.hand_id, names=options.names)
        return view

    def _view(self, account: int, row: HandLinkRow) -> wire.HandLinkView | None:
        """Return a link with its code; None if the key of the code is gone."""
        try:
            code = self._codes.open(row.sealed, _about(account, row.hand_id)).decode()
        except InvalidTag:
            return None
        options = row.options
        return wire.HandLinkView(
            hand_id=row.hand_id, names=options.names, own_cards=options.own_cards, code=code
        )


def _hash(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()


def _about(account: int, hand_id: str) -> str:
    return f"link of account {account} to hand {hand_id}"
