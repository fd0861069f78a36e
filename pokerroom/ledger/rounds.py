"""The contract for rounds against the house: places, bets, Plays, results, the progressive meter and the tips.

A player at such a table bets from the wallet. When betting closes, one transfer moves all bets to the account `stakes`
of the table. Plays and tips follow one by one. The end of the round, settled or void, empties the account in one
transfer: between rounds it is empty. Ledger accounts:

    stakes:<table>    what is on the table in the round in progress
    house:<table>     the house at the table; before a card is dealt it holds the most that the round can cost
    meter:<table>     the progressive meter of the table
    tronc             all tips

The id of a round is used once. Its transfers have the keys `round:<id>:bets`, a key of the caller for each Play and
tip, and `round:<id>` for its end: settled or void, never both. The ledger does not know cards, boxes or pay tables:
the record of a round is an opaque document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money

StakeKind = Literal["bets", "play", "tip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBets:
    """The bets when betting closes. `stakes` are pairs (account, sum of its bets, at least 1), each account once.

    `exposure` is the most that the round can cost the house beside the bets. The bank fills `house:<table>` up to it.
    """

    round_id: str
    table: str
    epoch: int
    started_ms: int
    stakes: tuple[tuple[int, int], ...]
    exposure: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStake:
    """A Play or a tip during a round. `key` is the key of its transfer; `amount` is at least 1."""

    key: str
    round_id: str
    table: str
    epoch: int
    kind: Literal["play", "tip"]
    account: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnd:
    """The result of a round. All changes sum to zero.

    `deltas` are pairs (account, change by bets, Plays and tips), each account with a stake once. `house` is the change
    of the house, with what it gave to the meter; `tronc` is the sum of all tips. The meter held `meter_before`, was fed
    from the bets, has paid, and was reseeded by the house. `record` is a JSON document with cards: no repr and no error
    message shows it.
    """

    round_id: str
    table: str
    epoch: int
    ended_ms: int
    deltas: tuple[tuple[int, int], ...]
    house: int
    meter_before: int
    meter_fed: int
    meter_paid: int
    meter_reseeded: int
    tronc: int
    record: bytes = field(repr=False)

    @property
    def meter(self) -> int:
        """The change of the meter."""
        return self.meter_fed - self.meter_paid + self.meter_reseeded


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRound:
    """A round without a result: bets and Plays are returned, tips stay given. For `record` see `RoundEnd`."""

    round_id: str
    table: str
    epoch: int
    ended_ms: int
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeRow:
    """The stake of an account by one transfer."""

    key: str
    kind: StakeKind
    account: int
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRound:
    """A round in progress. `stakes` are in the order of their transfers, then by account."""

    round_id: str
    started_ms: int
    stakes: tuple[StakeRow, ...]


class RoundLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`. Each method names its refusals.

    A key that was used before gets its first answer, whatever the epoch. So does the end of a round.
    """

    def next_round(self) -> Deferred[int]:
        """A number, at least 1, that this ledger has never returned before."""

    def open_bank(self, table: str, epoch: int, seed: Money) -> Deferred[Money]:
        """Fills the meter of the table up to `seed` from the bank. Returns what the meter holds.

        It fills at most once per epoch, before the first round: the audit tells a later one. Raises `NotOwner`,
        `BankEmpty`.
        """

    def take_place(  # noqa: PLR0917 -- as for a buy-in
        self, key: str, table: str, epoch: int, place: int, account: int, tables_max: int
    ) -> Deferred[None]:
        """Gives the account a place at the table: a seat without a stack. `Ledger.cash_out` frees it.

        Raises `SeatOccupied`, `AlreadySeated`, `TooManyTables`, `NotOwner`.
        """

    def wallets(self, accounts: Sequence[int]) -> Deferred[Mapping[int, Money]]:
        """The wallets of these accounts, without accounts that do not exist."""

    def close_bets(self, bets: RoundBets) -> Deferred[None]:
        """Moves all bets from the wallets to the table in one transfer: all or none.

        Raises `BetsNotCovered` with the accounts that hold too little or are excluded, `BankEmpty`, `NotOwner`, and
        `LedgerConflict` if the table has another round in progress.
        """

    def add_stake(self, stake: RoundStake) -> Deferred[None]:
        """Moves a Play or a tip from the wallet to the table.

        Raises `InsufficientBalance`, `NotOwner`, and `LedgerConflict` if the round is not in progress at the table.
        """

    def settle_round(self, end: RoundEnd) -> Deferred[None]:
        """Ends a round: empties the table in one transfer and stores the record.

        Raises `NotOwner`, and `LedgerConflict` for an end that does not add up or differs from the stored one.
        """

    def void_round(self, void: VoidRound) -> Deferred[None]:
        """Ends a round: returns bets and Plays, exactly once. Raises as `settle_round`."""

    def open_round(self, table: str) -> Deferred[OpenRound | None]:
        """The round in progress at a table, or None."""

    def open_rounds(self) -> Deferred[Mapping[str, str]]:
        """The ids of all rounds in progress, by table."""

    def ended_rounds(self, round_ids: Sequence[str]) -> Deferred[frozenset[str]]:
        """The rounds among these that have ended, settled or void."""
