"""The contract for the operator's wallet: which account has which player there, and what moves between it and the room.

The operator's server holds the money of its players; the room holds what they have brought. Ledger account:

    external    what went back to the operator's wallet, less what came from it

Transfers between the two have a row each, which is written before the server is asked, with the id that the server
knows it by:

    debit       from the operator's wallet to the room. It moves nothing until it is `done`. The server may refuse it.
                With an unknown outcome it is `undone`: a late answer changes nothing then, and a rollback is written.
    credit      to the operator's wallet. It has left the account when its row is written, and is sent until it is done.
    rollback    undoes a debit at the server. It moves nothing in the room, and is sent until it is done.

The keys of transfers in the ledger are `external:<account>:<number>`. Calls are claimed with a lease, as those of
`webhooks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import Acting

WalletKind = Literal["debit", "credit", "rollback"]
WalletState = Literal["asked", "done", "refused", "undone"]
DebitEnd = Literal["done", "refused", "undone"]

FAILURE_MAX: Final = 200
"""The longest text about a failure, in characters."""

REFUSED_S: Final = 10
"""[D] For so many seconds after a refused debit, the server is not asked for the same or a larger amount."""

REFUSALS_MAX: Final = 10
REFUSALS_S: Final = 600
"""[D] After `REFUSALS_MAX` refused debits of an account within so many seconds, the server is asked for nothing."""

PLAYER_MAX: Final = 64
"""The longest id of a player, in characters: letters, digits and signs of ASCII without spaces."""


class WalletBusy(LedgerRefusal):
    """The operator's wallet gives no firm answer now, or another debit of the account waits for its answer."""

    code = "wallet_busy"


class WalletRefused(LedgerRefusal):
    """The operator's wallet does not give the amount, or has refused this account a moment ago."""

    code = "wallet_refused"


class WalletLinked(LedgerRefusal):
    """The account is linked with another player."""

    code = "wallet_linked"


class WalletPlayerTaken(LedgerRefusal):
    """Another account is linked with the player."""

    code = "wallet_player_taken"


class WalletInUse(LedgerRefusal):
    """The account has money in the room, or on its way."""

    code = "wallet_in_use"


class UnknownWalletTransfer(LedgerRefusal):
    """There is no transfer of this number."""

    code = "unknown_wallet_transfer"


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletDebit:
    """What the server is asked for; see `OperatorWalletQueue.ask_wallet_debit`. `number` is None for an amount of 0."""

    number: int | None
    id: str
    player: str
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletTransfer:
    """A credit, or the rollback of the debit with the id `undoes`. `tries` counts those begun."""

    number: int
    id: str
    kind: WalletKind
    player: str
    amount: Money
    asked_ms: int
    tries: int
    undoes: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletRow:
    """A transfer as operators see it. `undoes` is the number of the debit; `failure` that of the last failed try."""

    number: int
    id: str
    account: int
    name: str
    kind: WalletKind
    amount: int
    state: WalletState
    asked_ms: int
    ended_ms: int | None
    due_ms: int
    tries: int
    failure: str
    undoes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletBacklog:
    """How many credits and rollbacks wait, the sum of these credits, and the age of the oldest, 0 without one."""

    waiting: int
    owed: int
    oldest_s: float


class OperatorWalletLedger(Protocol):
    """The part that operators use. Every method may fail with `LedgerUnavailable`.

    What `by` changes is in the operators' log, in the same transaction.
    """

    def link_wallet(self, account: int, player: str, *, by: Acting) -> Deferred[None]:
        """Links an account with a player of the operator. The same link again changes nothing.

        Raises `WalletLinked`, `WalletPlayerTaken`, `WalletInUse` for an account that holds something, and LookupError
        for one that is no player's.
        """

    def unlink_wallet(self, account: int, *, by: Acting) -> Deferred[None]:
        """Removes the link of an account, if it has one. Raises `WalletInUse`, and LookupError for no such account."""

    def wallet_player(self, account: int) -> Deferred[str | None]:
        """The player with whom the account is linked, or None."""

    def wallet_transfers(
        self, account: int | None, *, waiting: bool, before: int | None, limit: int
    ) -> Deferred[Sequence[WalletRow]]:
        """Transfers of one account or of all, the latest first, with numbers below `before`; or those that wait."""

    def wallet_transfer(self, number: int) -> Deferred[WalletRow]:
        """One transfer. Raises `UnknownWalletTransfer`."""

    def retry_wallet_transfers(self, number: int | None, *, by: Acting) -> Deferred[int]:
        """Lets a credit or a rollback that waits be sent at once, or all of them. Returns how many.

        Raises `UnknownWalletTransfer`.
        """


class OperatorWalletQueue(Protocol):
    """The part that nodes need. Every method may fail with `LedgerUnavailable`."""

    def wallet_player(self, account: int) -> Deferred[str | None]:
        """See `OperatorWalletLedger.wallet_player`."""

    def ask_wallet_debit(
        self, account: int, table: str | None, needed: Money, limit_s: int
    ) -> Deferred[WalletDebit | None]:
        """Writes a debit of what the account lacks for an act that costs `needed`, if it lacks something.

        None for an account without a link, and for a table that is played with chips of a club. The caller ends the
        debit within `limit_s` seconds; then it may be undone. Raises `WalletBusy` while another debit of the account
        waits, `WalletRefused` after refusals (see `REFUSED_S` and `REFUSALS_MAX`), and what `Ledger.buy_in` raises for
        a player that may not play: nothing is written then.
        """

    def end_wallet_debit(self, number: int, end: DebitEnd, why: str = "") -> Deferred[DebitEnd]:
        """Ends a debit, once. Returns how it has ended: differently if another call was faster."""

    def undo_late_wallet_debits(self) -> Deferred[int]:
        """Undoes debits that were not ended in time. Returns how many."""

    def queue_wallet_credits(self, free_s: int, at_most: int) -> Deferred[int]:
        """Writes a credit of all that an account holds and does not use, for at most so many linked accounts.

        A debit of the last `free_s` seconds is about to be used. So is money of a player at a table that takes bets
        from the wallet. Returns how many credits.
        """

    def claim_wallet_transfers(self, at_most: int, lease_s: int) -> Deferred[Sequence[WalletTransfer]]:
        """Claims the next credits and rollbacks that are due, for `lease_s` seconds."""

    def end_wallet_transfer(self, transfer: WalletTransfer) -> Deferred[None]:
        """Notes that the server has carried a credit or a rollback out."""

    def fail_wallet_transfer(self, transfer: WalletTransfer, why: str, pause_s: int) -> Deferred[None]:
        """Notes that a try failed: the next one is after `pause_s`. A try that is not the last changes nothing."""

    def wallet_backlog(self) -> Deferred[WalletBacklog]:
        """What waits."""
