"""What the room asks of its ledger: accounts, sessions, money in double entry, seats, settled hands.

Two adapters keep this contract: `postgres` (the truth) and `memory` (the seeded simulation and fast tests); both
pass `tests/ledger/contract.py`. The ledger knows amounts, keys and owners. It knows nothing of cards or betting: a
hand's record is an opaque document to it.

Money moves only by a `Transfer`: two or more legs that sum to zero, under a key that is unique for ever. Doing the
same transfer again is not an error and moves nothing, so that every caller may repeat after an unknown outcome.
Ledger accounts are named by codes:

    issuer                      the one account that may be negative: where all chips come from
    bank                        play money not yet handed out
    house                       what the house earned
    fees                        of it, the fees of sit-and-gos
    escrow:<tournament>         what is held for the players of a sit-and-go (see `tournaments`)
    wallet:<account>            what an account holds off the tables
    stack:<table>:<account>     what it holds at a table, as of the last settled hand

Those of tables against the house are named in `rounds`, those of the cashier in `cashier`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.rounds import RoundLedger


class LedgerRefusal(Exception):  # noqa: N818 -- a refusal is an answer to the caller's wish, not a fault
    """The ledger refuses a wish of a client; nothing has changed. `code` is a code of the protocol."""

    code = "internal"


class InsufficientBalance(LedgerRefusal):
    """The wallet does not hold the amount."""

    code = "insufficient_balance"


class NameTaken(LedgerRefusal):
    """An account of this name (upper and lower case alike) exists."""

    code = "name_taken"


class SeatOccupied(LedgerRefusal):
    """Another account holds the seat."""

    code = "seat_taken"


class AlreadySeated(LedgerRefusal):
    """The account holds a seat at this table."""

    code = "already_seated"


class TooManyTables(LedgerRefusal):
    """The account holds seats at as many tables as it may."""

    code = "too_many_tables"


class NotSeated(LedgerRefusal):
    """The account holds no seat at this table."""

    code = "not_seated"


class BetsNotCovered(InsufficientBalance):
    """Some accounts hold less than their bets: `balances` are theirs, by account. The others could pay."""

    def __init__(self, balances: Mapping[int, int]) -> None:
        super().__init__(f"accounts {sorted(balances)} do not hold their bets")
        self.balances = dict(balances)


class BankEmpty(LedgerRefusal):
    """The bank does not hold what the house has to put up at a table."""

    code = "house_limit"


class LedgerUnavailable(Exception):  # noqa: N818 -- named for what the caller is told
    """The ledger cannot be reached, or the outcome of a commit is unknown: repeat with the same key."""


class SchemaMismatch(Exception):  # noqa: N818 -- it names the state found, for the operator who reads it
    """Raised at start if the database does not belong to this build. The message says what to do."""


class LedgerConflict(Exception):  # noqa: N818 -- as above
    """A key is used again with other legs, or a settlement would make a balance negative: a bug of ours."""


class NotOwner(Exception):  # noqa: N818 -- as above
    """Another node has taken the table: this one's epoch is over, and nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """An account as the gateway needs it. `password_hash` is an argon2id string."""

    account: int
    name: str
    password_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """Who holds a seat, with the stack as of the last settled hand; none at a table against the house."""

    table: str
    seat: int
    account: int
    name: str
    stack: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRow:
    """Who owns a table. `node` is None where nobody does; `epoch` is then the last one's."""

    table: str
    epoch: int
    node: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSettlement:
    """The end of one hand: its record and what it did to the stacks at its table.

    `epoch` is that of the owner who played it.

    `deltas` are pairs (account, change of its stack), with sum zero; `record` is a JSON document. It holds hidden
    cards, so no repr and no error message shows any of it.
    The transfer's key is `hand:<hand_id>`.
    """

    hand_id: str
    table: str
    epoch: int
    started_ms: int
    ended_ms: int
    deltas: tuple[tuple[int, int], ...]
    record: bytes = field(repr=False)
    timeout_all_ins: tuple[int, ...] = ()
    """Accounts that were all-in by the clock in this hand (H2): counted with the settlement, in its transaction.

    Each is one of `deltas`, and named once: who is all-in by the clock acts no more in the hand (H3).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What the whole ledger adds up to. `differences` names each thing that is wrong; empty means conserved."""

    differences: tuple[str, ...]
    accounts: int
    transfers: int
    hands: int
    rounds: int
    """Against the house: settled, void and in progress."""
    total: int
    """All but the issuer's, in the smallest unit: constant once the bank is funded."""
    tournaments: int = 0
    escrow: int = 0
    """What is held for players of sit-and-gos that are not paid yet, in the smallest unit."""
    cash_requests: int = 0
    """Of the cashier: deposits and withdrawals, decided or not."""
    held: int = 0
    """What is held for withdrawals that wait, in the smallest unit."""


class Ledger(RoundLedger, Protocol):
    """The contract, with that of `rounds`.

    Every method may fail with `LedgerUnavailable`; refusals are named per method.
    """

    def create_account(self, name: str, password_hash: str, opening: Money) -> Deferred[AccountRow]:
        """Opens an account with a wallet and moves `opening` from the bank to it, in one transaction.

        Raises `NameTaken`, or `InsufficientBalance` when the bank is empty.
        """

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """Finds by name, upper and lower case alike."""

    def account_names(self, accounts: Sequence[int]) -> Deferred[dict[int, str]]:
        """The names of these accounts; one that does not exist is left out."""

    def open_session(self, account: int, token_hash: bytes) -> Deferred[None]:
        """Remembers a session by the SHA-256 of its token; the token itself is never stored."""

    def find_session(self, token_hash: bytes) -> Deferred[AccountRow | None]:
        """Finds the account of an open session."""

    def close_session(self, token_hash: bytes) -> Deferred[None]:
        """Ends a session; an unknown one is not an error."""

    def owners(self, also: Sequence[str] = ()) -> Deferred[list[OwnerRow]]:
        """Who owns which tables, as far as ever anybody did, in the order of the tables.

        But for the tables of sit-and-gos that were released when they were over: nobody takes those again. Of the
        tables `also` even then.
        """

    def take_table(self, table: str, node: str, last_epoch: int) -> Deferred[int | None]:
        """The table is this node's from now on, under a new epoch, which is returned: one more than `last_epoch`.

        None if `last_epoch` (0 for a table that nobody ever owned) is not its epoch any more: somebody else was faster.
        Every change of this table's seats and stacks names its epoch from now on; older ones are refused. Whoever asks
        is sure that the last owner is gone, or has released the table; if he is wrong no chip moves wrongly.
        Asking again after an unknown outcome returns the same epoch.
        """

    def release_table(self, table: str, epoch: int) -> Deferred[None]:
        """The table is nobody's any more, if it was this epoch's; else nothing changes."""

    def tables_of(self, account: int) -> Deferred[list[str]]:
        """The tables at which the account holds a seat, in order; those of sit-and-gos that it is not out of, too."""

    def wallet(self, account: int) -> Deferred[Money]:
        """The balance of an account's wallet."""

    def seats(self) -> Deferred[list[SeatRow]]:
        """All seats held at all tables, ordered by table and seat."""

    def buy_in(  # noqa: PLR0917 -- all of it is what a buy-in is, in the order of every other transfer
        self, key: str, table: str, epoch: int, seat: int, account: int, amount: Money, tables_max: int
    ) -> Deferred[None]:
        """Wallet to stack, and the seat is held, in one transaction.

        Raises `InsufficientBalance`, `SeatOccupied`, `AlreadySeated`, `TooManyTables` if the account has seats at
        `tables_max` tables already, `NotOwner`.
        """

    def top_up(self, key: str, table: str, epoch: int, account: int, amount: Money) -> Deferred[None]:
        """Wallet to stack. Raises `InsufficientBalance`, `NotSeated`, `NotOwner`."""

    def cash_out(self, key: str, table: str, epoch: int, account: int) -> Deferred[Money]:
        """The whole stack, if any, to the wallet, and the seat is free. Returns the amount.

        Raises `NotSeated`, `NotOwner`. Repeated with the same key it returns the first amount, whoever owns the table
        by then.
        """

    def settle(self, settlements: Sequence[HandSettlement]) -> Deferred[None]:
        """Writes hand records and transfers in ONE transaction: all or none.

        At the table of a sit-and-go the deltas change the chips of its entries, and no money (`tournaments`).
        A settlement whose key is there already with the same legs is skipped, and counts nothing more, whoever owns
        its table by then. Raises `NotOwner` if the epoch of any of the others is over, which may have been settled
        with other legs since, and `LedgerConflict`.
        """

    def left_with(self, table: str, account: int, within_s: int) -> Deferred[Money | None]:
        """What the account took with it when it last left this table, if that was less than `within_s` ago.

        None also when it left with nothing. Time is the ledger's own.
        """

    def timeout_all_ins(self, since_ms: int) -> Deferred[dict[int, int]]:
        """How often each account was all-in by the clock in hands that ended since then; none is left out but zeros.

        Of settled hands; `since_ms` (inclusive) is in milliseconds since the epoch, at least 0.
        """

    def settled_hands(self, hand_ids: Sequence[str]) -> Deferred[frozenset[str]]:
        """Which of these hands are settled."""

    def audit(self) -> Deferred[AuditReport]:
        """Adds everything up anew from the legs, trusting no stored balance."""
