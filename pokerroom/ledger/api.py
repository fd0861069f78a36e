"""The contract of the ledger: accounts, money in double entry, seats, settled hands.

Two adapters implement it and pass the same tests: `postgres` (the truth) and `memory` (simulation and fast tests). The
ledger knows amounts, keys and owners. It does not know cards or betting: the record of a hand is an opaque document.

Money moves only by transfers. A transfer has two or more legs that sum to zero, and a permanent unique key. The same
transfer again moves nothing and is no error, so a caller repeats it after an unknown outcome. Ledger accounts have
codes:

    issuer                      the source of all money; its balance is negative
    bank                        play money that no account has received yet
    house                       income of the room
    fees                        income of the room from sit-and-gos
    escrow:<tournament>         held for the players of a sit-and-go (see `tournaments`)
    wallet:<account>            what an account holds outside tables
    stack:<table>:<account>     what it holds at a table, as of the last settled hand
    rake:<table>                what the room has taken of the pots of a cash table

`rounds` names the accounts of tables against the house, `cashier` those of deposits and withdrawals, `operator_wallet`
that of money in the operator's own wallet. Sessions are in `credentials`, what operators did in `operator_log`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypedDict

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.rounds import RoundLedger


class Facts(TypedDict, total=False):
    """What a refusal tells beside its code: fields of the protocol's `error`."""

    amount: int | None
    limit: str
    retry_after_ms: int | None
    until_ms: int | None


NO_PASSWORD: Final = "!house"  # noqa: S105 -- no password has this hash, so no log-in succeeds
"""In place of the hash of a password: the account of a house bot. The schema has the same."""


class LedgerRefusal(Exception):  # noqa: N818 -- a refusal is an answer to a request, not a fault
    """The ledger refuses a request of a client; nothing has changed. `code` is a code of the protocol."""

    code = "internal"

    @property
    def facts(self) -> Facts:
        """What to tell beside the code."""
        return {}


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
    """The account holds seats at the maximum number of tables."""

    code = "too_many_tables"


class NotSeated(LedgerRefusal):
    """The account holds no seat at this table."""

    code = "not_seated"


class BetsNotCovered(InsufficientBalance):
    """Some accounts cannot pay their bets; `balances` has what each may bet. All other accounts could pay.

    That is the wallet, or what is left of a limit of loss for the accounts in `limited`.
    """

    def __init__(self, balances: Mapping[int, int], limited: Collection[int] = ()) -> None:
        super().__init__(f"accounts {sorted(balances)} do not hold their bets")
        self.balances = dict(balances)
        self.limited = frozenset(limited)


class BankEmpty(LedgerRefusal):
    """The bank does not hold the money that the house must bring to a table."""

    code = "house_limit"


class LedgerUnavailable(Exception):  # noqa: N818 -- named for what the caller is told
    """The ledger cannot be reached, or the outcome of a commit is unknown. Repeat with the same key."""


class SchemaMismatch(Exception):  # noqa: N818 -- it names the state found, for the operator who reads it
    """Raised when the ledger opens a database of another build. The message says what to do."""


class BackupFailed(Exception):  # noqa: N818 -- says what is the case
    """Raised if a backup cannot be written or read. The message says why, and what to do."""


class LedgerConflict(Exception):  # noqa: N818 -- as above
    """A key was used with other legs, or a settlement makes a balance negative: a bug of the room."""


class NotOwner(Exception):  # noqa: N818 -- as above
    """The epoch of this node is over: another node has taken the table. Nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRow:
    """An account. `password_hash` is an argon2id string."""

    account: int
    name: str
    password_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """A seat and its holder. `stack` is as of the last settled hand, and 0 at a table against the house."""

    table: str
    seat: int
    account: int
    name: str
    stack: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerRow:
    """The owner of a table. `node` is None if the table has no owner; `epoch` is then that of the last owner."""

    table: str
    epoch: int
    node: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Knockout:
    """A player that lost the last chip, and the winners of the highest pot that it was in, from the first left of the
    button (L13).
    """

    account: int
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSettlement:
    """The result of one hand: its record, and the changes of the stacks at its table.

    `epoch` is that of the owner that played the hand. `deltas` are pairs (account, change of its stack) that sum to
    zero, with the rake. `record` is a JSON document with hidden cards: no repr and no error message shows it. The
    transfer has the key `hand:<hand_id>`.
    """

    hand_id: str
    table: str
    epoch: int
    started_ms: int
    ended_ms: int
    deltas: tuple[tuple[int, int], ...]
    record: bytes = field(repr=False)
    timeout_all_ins: tuple[int, ...] = ()
    """Accounts that were all-in by the clock in this hand (H2). The settlement counts them in its transaction.

    Each is one of `deltas` and named once: a player who is all-in by the clock has no further action (H3).
    """
    rake: int = 0
    """What goes to `rake:<table>` (F4), 0 or more; a hand of a sit-and-go has none. The record names the same."""
    knockouts: tuple[Knockout, ...] = ()
    """All that were knocked out. In a tournament with bounties the ledger pays their heads with the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The sums of the whole ledger. `differences` has a sentence per error; without one no chip was lost or made."""

    differences: tuple[str, ...]
    accounts: int
    transfers: int
    hands: int
    rounds: int
    """Rounds against the house: settled, void and in progress."""
    total: int
    """The sum of all balances without the issuer's, in the smallest unit. It is constant."""
    tournaments: int = 0
    escrow: int = 0
    """The sum of all escrows, in the smallest unit."""
    cash_requests: int = 0
    """Deposits and withdrawals, decided or pending."""
    held: int = 0
    """The sum held for pending withdrawals, in the smallest unit."""
    log_lines: int = 0
    """Lines of the operators' log, as far as their chain of hashes fits."""


class Ledger(RoundLedger, Protocol):
    """The contract, with that of `rounds`.

    Every method may fail with `LedgerUnavailable`. Each method names its refusals.
    """

    def create_account(self, name: str, password_hash: str, opening: Money) -> Deferred[AccountRow]:
        """Creates an account with a wallet and moves `opening` from the bank to it, in one transaction.

        Raises `NameTaken`, and `InsufficientBalance` if the bank is empty.
        """

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """Finds an account by name, ignoring case."""

    def account_names(self, accounts: Sequence[int]) -> Deferred[dict[int, str]]:
        """The names of these accounts, without those that do not exist."""

    def owners(self, also: Sequence[str] = ()) -> Deferred[list[OwnerRow]]:
        """The owners of all tables that ever had one, in the order of the tables.

        Tables of sit-and-gos that ended and were released are left out, unless `also` names them.
        """

    def take_table(self, table: str, node: str, last_epoch: int) -> Deferred[int | None]:
        """Makes `node` the owner of the table and returns its new epoch, `last_epoch` + 1.

        `last_epoch` is 0 for a table that never had an owner. Returns None if another node was faster. From now on a
        change of seats or stacks at this table must name the new epoch. The caller has reason to believe that the last
        owner is gone or has released the table; if it is wrong, the writes of that owner are refused.
        The same call after an unknown outcome returns the same epoch.
        """

    def release_table(self, table: str, epoch: int) -> Deferred[None]:
        """Leaves the table without an owner, if `epoch` is its epoch. Otherwise nothing changes."""

    def tables_of(self, account: int) -> Deferred[list[str]]:
        """The tables at which the account has a seat, in order, and its sit-and-gos in which it has no place yet."""

    def wallet(self, account: int) -> Deferred[Money]:
        """The balance of an account's wallet."""

    def seats(self, tables: Sequence[str] | None = None) -> Deferred[list[SeatRow]]:
        """All seats held at these tables, or at all tables, ordered by table and seat."""

    def buy_in(  # noqa: PLR0917 -- the order of every transfer
        self, key: str, table: str, epoch: int, seat: int, account: int, amount: Money, tables_max: int
    ) -> Deferred[None]:
        """Moves money from wallet to stack and holds the seat, in one transaction.

        Raises `InsufficientBalance`, `SeatOccupied`, `AlreadySeated`, `TooManyTables` if the account has seats at
        `tables_max` tables already, `NotOwner`.
        """

    def top_up(self, key: str, table: str, epoch: int, account: int, amount: Money) -> Deferred[None]:
        """Moves money from wallet to stack. Raises `InsufficientBalance`, `NotSeated`, `NotOwner`."""

    def is_booked(self, key: str) -> Deferred[bool]:
        """Fires with whether a transfer has this key."""

    def cash_out(self, key: str, table: str, epoch: int, account: int) -> Deferred[Money]:
        """Moves the whole stack, if any, to the wallet and frees the seat. Returns the amount.

        Raises `NotSeated`, `NotOwner`. With a key that was used before it returns the first amount, whatever the epoch.
        """

    def settle(self, settlements: Sequence[HandSettlement]) -> Deferred[None]:
        """Writes hand records and transfers in one transaction: all or none.

        At the table of a sit-and-go the deltas change the chips of the entries and move no money (see `tournaments`).
        A hand that is settled already with the same legs is skipped and counts nothing, whatever its epoch. For all
        other hands the epoch must be current. Raises `NotOwner`, `LedgerConflict`.
        """

    def left_with(self, table: str, account: int, within_s: int) -> Deferred[Money | None]:
        """The amount of the account's last cash-out at this table, if that was less than `within_s` seconds ago.

        None if it left with nothing. The clock is that of the ledger.
        """

    def timeout_all_ins(self, since_ms: int) -> Deferred[dict[int, int]]:
        """Counts how often each account was all-in by the clock in settled hands that ended at `since_ms` or later.

        `since_ms` is in Unix milliseconds, at least 0. Accounts with a count of zero are left out.
        """

    def settled_hands(self, hand_ids: Sequence[str]) -> Deferred[frozenset[str]]:
        """The hands among these that are settled."""

    def audit(self, after: int = 0) -> Deferred[AuditReport]:
        """Adds up the whole ledger from its legs, without using a stored balance, and follows the operators' log.

        With `after` the hands up to that transfer may be left out of what is compared hand by hand.
        """
