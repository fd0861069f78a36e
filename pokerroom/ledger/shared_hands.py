"""The contract for hands that players share by a link, with the rules of `api`.

A link shows one settled hand as one account may see it, with options. Whoever has its code may see that, without an
account. The ledger knows the SHA-256 of a code, and the code sealed, so that the account can be told it again. A link
is there until the account takes it back or is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal

LINKS_MAX: Final = 200
"""An account has at most so many links [D]: each is a row of the ledger."""

ShownNames = Literal["none", "own", "all"]


class UnknownHand(LedgerRefusal):
    """The account was not dealt into a settled hand of this id. A void hand was never settled."""

    code = "unknown_hand"


class TooManyHandLinks(LedgerRefusal):
    """The account has `LINKS_MAX` links."""

    code = "too_many_hand_links"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareOptions:
    """What a link shows beyond what the whole table saw: names of players, and the account's own cards."""

    names: ShownNames
    own_cards: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLinkRow:
    """A link of an account. `sealed` is its code, encrypted by the caller."""

    hand_id: str
    options: ShareOptions
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedHandRow:
    """The hand behind a link, and the account that shares it. `record` has hidden cards: no repr shows it."""

    account: int
    options: ShareOptions
    record: bytes = field(repr=False)


class SharedHandLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def share_hand(
        self, account: int, hand_id: str, options: ShareOptions, code_hash: bytes, sealed: bytes
    ) -> Deferred[HandLinkRow]:
        """Returns the account's link to the hand with these options; if there is none, makes it with this code.

        Raises `UnknownHand`, `RecordsArchived`, `TooManyHandLinks`, `AccountLocked`, and LookupError for an unknown
        account.
        """

    def hand_links(self, account: int) -> Deferred[Sequence[HandLinkRow]]:
        """The links of the account, the newest first."""

    def unshare_hand(self, account: int, hand_id: str, options: ShareOptions | None = None) -> Deferred[None]:
        """Takes the account's link to a hand with these options back; all to the hand if `options` is None.

        Without any it changes nothing.
        """

    def shared_hand(self, code_hash: bytes) -> Deferred[SharedHandRow | None]:
        """The hand behind the link with a code of this hash, or None."""
