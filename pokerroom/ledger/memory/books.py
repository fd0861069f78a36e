"""The ground of the ledger in memory: balances, transfers, seats and owners. It knows no hands and no rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ParamSpec, TypeVar

from twisted.internet.defer import Deferred, execute

from pokerroom.ledger import grammar
from pokerroom.ledger.api import (
    AccountRow,
    AlreadySeated,
    InsufficientBalance,
    LedgerConflict,
    NotOwner,
    OwnerRow,
    SeatOccupied,
    TooManyTables,
)
from pokerroom.ledger.limits import LimitKind
from pokerroom.ledger.memory.limits import MemoryLimits
from pokerroom.ledger.transfers import Legs, wallet_code

P = ParamSpec("P")
R = TypeVar("R")


def fired(method: Callable[P, R]) -> Callable[P, Deferred[R]]:
    """Wraps a method: it returns a Deferred that has fired with the result or the exception."""

    def call(*args: P.args, **kwargs: P.kwargs) -> Deferred[R]:
        return execute(method, *args, **kwargs)

    call.__doc__ = method.__doc__
    return call


def may_be_negative(code: str) -> bool:
    """Whether the balance of a ledger account may be negative: the room has issued it, or another book holds it."""
    return code in {"issuer", "external"} or code.startswith("club:")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayResult:
    """What a game that is over has cost an account."""

    account: int
    ended_s: float
    lost: int


class MemoryBooks:
    """Dictionaries, with the rules that the database enforces: the first part of a `Ledger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._accounts: dict[int, AccountRow] = {}
        self._opened_s: dict[int, float] = {}  # account -> when it was opened
        self._balances: dict[str, int] = {
            "issuer": 0,
            "bank": 0,
            "house": 0,
            "fees": 0,
            "tronc": 0,
            "held": 0,
        }
        self._transfers: dict[str, tuple[str, Legs]] = {}  # key -> kind, legs
        self._booked = count(1)
        self._numbers: dict[str, int] = {}  # key -> number of the transfer
        self._booked_s: dict[str, float] = {}  # key -> when it was written
        self._owners: dict[str, OwnerRow] = {}
        self._over: set[str] = set()
        self._seats: dict[tuple[str, int], int] = {}  # table, seat -> account
        self._seat_of: dict[tuple[str, int], int] = {}  # table, account -> seat
        self._places: set[tuple[str, int]] = set()  # table, account: the seats without a stack
        self._bought: dict[tuple[str, int], int] = {}  # table, account -> what was brought to the seat
        self._results: list[PlayResult] = []
        self._locked: set[int] = set()
        self._limits = MemoryLimits(now_s, self._accounts, self._used, self._locked)

    # --- owners ---------------------------------------------------------------------------------------------

    @fired
    def owners(self, also: Sequence[str] = ()) -> list[OwnerRow]:
        return [
            self._owners[table] for table in sorted(self._owners) if table not in self._over or table in also
        ]

    @fired
    def take_table(self, table: str, node: str, last_epoch: int) -> int | None:
        epoch = last_epoch + 1
        present = self._owners.get(table, OwnerRow(table=table, epoch=0, node=None))
        if present.epoch == last_epoch:
            self._owners[table] = OwnerRow(table=table, epoch=epoch, node=node)
            return epoch
        return epoch if (present.epoch, present.node) == (epoch, node) else None

    @fired
    def release_table(self, table: str, epoch: int) -> None:
        if table in self._owners and self._owners[table].epoch == epoch:
            self._owners[table] = OwnerRow(table=table, epoch=epoch, node=None)
            if self._has_ended(table):
                self._over.add(table)

    def _has_ended(self, table: str) -> bool:  # noqa: ARG002 -- some tables have an end
        """Whether the table is that of a tournament that has ended."""
        return False

    def _check_owner(self, table: str, epoch: int) -> None:
        owner = self._owners.get(table)
        if owner is None or owner.node is None or owner.epoch != epoch:
            raise NotOwner(f"epoch {epoch} of {table} is over")

    # --- seats ----------------------------------------------------------------------------------------------

    def _check_seat(self, table: str, seat: int, account: int, tables_max: int) -> None:
        if (table, account) in self._seat_of:
            raise AlreadySeated(f"account {account} has a seat at {table}")
        if (table, seat) in self._seats:
            raise SeatOccupied(f"seat {seat} at {table} is held")
        held = sum(holder == account for _, holder in self._seat_of)
        if held >= tables_max:
            raise TooManyTables(f"account {account} has {held} seats already")

    # --- limits ---------------------------------------------------------------------------------------------

    def _used(self, account: int, kind: LimitKind, since_s: float) -> int:  # noqa: ARG002 -- later parts know more
        """What the account has used of a kind of limit."""
        return 0

    def _note_result(self, account: int, lost: int) -> None:
        if lost:
            self._results.append(PlayResult(account=account, ended_s=self._now_s(), lost=lost))

    # --- transfers ------------------------------------------------------------------------------------------

    def _purse_code(self, _table: str, account: int) -> str:
        """The ledger account that pays for chips at a table: the wallet, unless a later part knows better."""
        return wallet_code(account)

    def _check_account(self, account: int) -> None:
        if account not in self._accounts:
            raise LookupError(f"there is no account {account}")

    def _is_repeated(self, key: str, kind: str, legs: Legs) -> bool:
        """Whether the key was used with the same legs. Raises LedgerConflict if it was used with others."""
        if key not in self._transfers:
            return False
        if self._transfers[key] != (kind, legs):
            raise LedgerConflict(f"the key {key} is used with other legs")
        return True

    def _write(self, key: str, kind: str, legs: Legs) -> None:
        assert key not in self._transfers, "a key is written once"
        if wrong := grammar.parse(kind, key, dict(legs), {}).differences:
            raise LedgerConflict(f"the transfer {key} {wrong[0]}")
        self._move(legs)
        self._note(key, kind, legs)

    def _note(self, key: str, kind: str, legs: Legs) -> None:
        self._transfers[key] = (kind, legs)
        self._numbers[key] = next(self._booked)
        self._booked_s[key] = self._now_s()

    def _move(self, legs: Iterable[tuple[str, int]]) -> None:
        """Changes balances, all or none. Raises InsufficientBalance."""
        after: dict[str, int] = {}
        total = 0
        for code, amount in legs:
            after[code] = after.get(code, self._balances.get(code, 0)) + amount
            total += amount
        assert total == 0, "the legs of a transfer sum to zero"
        for code, balance in after.items():
            if balance < 0 and not may_be_negative(code):
                raise InsufficientBalance(f"{code} does not hold the amount")
        self._balances.update(after)
