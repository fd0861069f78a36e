"""What the ledger does for rounds against the house: places, bets, Plays, results, the meter and the tronc.

A player at such a table keeps his chips in his wallet. When betting closes, all bets that stand go to the table's
account `stakes` in one transfer; Plays and tips follow one by one; the end of the round, played or void, empties it in
one transfer. So between two rounds it is empty, and in one it holds what lies on the table. Further ledger accounts:

    stakes:<table>    what lies on the table in the round in progress
    house:<table>     the house at the table; before a card is dealt it holds all that the round may cost it
    meter:<table>     the table's progressive meter
    tronc             all tips

A round has an id that is used once for ever. Its transfers are `round:<id>:bets`, one of the caller's key for each Play
and tip, and `round:<id>`, under which it is settled or void, never both. The ledger knows amounts and who they are of;
cards, boxes and pay tables it does not know: a round's record is an opaque document to it.
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
    """The bets that stand when betting closes. `stakes` are pairs (account, all his bets, at least 1), each once.

    `exposure` is what the round can cost the house beside the bets: it is put there if need be, from the bank.
    """

    round_id: str
    table: str
    epoch: int
    started_ms: int
    stakes: tuple[tuple[int, int], ...]
    exposure: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStake:
    """What a player adds during a round: a Play, or a tip. `key` is that of its transfer, `amount` at least 1."""

    key: str
    round_id: str
    table: str
    epoch: int
    kind: Literal["play", "tip"]
    account: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnd:
    """What a round came to; all changes together are nothing.

    `deltas` are pairs (account, what he has more or less for bets, Plays and tips): each who has put something in,
    once. `house` is what the house has more or less, what it gave to the meter included; `tronc` all tips. The meter
    held `before`; it was fed from the bets, has paid, and was filled again by the house. `record` is a JSON document.
    It holds cards, so no repr and no error message shows any of it.
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
        """What the meter has more or less."""
        return self.meter_fed - self.meter_paid + self.meter_reseeded


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRound:
    """A round that does not count: bets and Plays go back, tips stay given. `record` as of `RoundEnd`."""

    round_id: str
    table: str
    epoch: int
    ended_ms: int
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeRow:
    """What an account has put in, by one transfer."""

    key: str
    kind: StakeKind
    account: int
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRound:
    """A round whose bets are on the table; `stakes` in the order in which they were put there, by account."""

    round_id: str
    started_ms: int
    stakes: tuple[StakeRow, ...]


class RoundLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`; refusals are named per method.

    A key that was used before is answered as then, whoever owns the table by now; so is the end of a round.
    """

    def next_round(self) -> Deferred[int]:
        """The room's count of rounds: a number, at least 1, that was never given before."""

    def open_bank(self, table: str, epoch: int, seed: Money) -> Deferred[Money]:
        """Fills the table's meter to `seed` from the bank, if it holds less; returns what it holds.

        At most once in an epoch. Raises `NotOwner`, and `BankEmpty`.
        """

    def take_place(  # noqa: PLR0917 -- as for a buy-in
        self, key: str, table: str, epoch: int, place: int, account: int, tables_max: int
    ) -> Deferred[None]:
        """The account has this place at the table: a seat without a stack. `Ledger.cash_out` gives it up.

        Raises `SeatOccupied`, `AlreadySeated`, `TooManyTables`, `NotOwner`.
        """

    def wallets(self, accounts: Sequence[int]) -> Deferred[Mapping[int, Money]]:
        """What these accounts hold off the tables; one that does not exist is left out."""

    def close_bets(self, bets: RoundBets) -> Deferred[None]:
        """All bets from the wallets to the table, in one transfer: all or none.

        Raises `BetsNotCovered`, which names who has too little, `BankEmpty`, `NotOwner`, and `LedgerConflict` where
        the table has another round in progress.
        """

    def add_stake(self, stake: RoundStake) -> Deferred[None]:
        """From a wallet to the table, during a round.

        Raises `InsufficientBalance`, `NotOwner`, and `LedgerConflict` where the round is not in progress at the table.
        """

    def settle_round(self, end: RoundEnd) -> Deferred[None]:
        """Everything off the table, and the round's record, in one transfer.

        Raises `NotOwner`, and `LedgerConflict` for an end that cannot be, or is another than that which was written.
        """

    def void_round(self, void: VoidRound) -> Deferred[None]:
        """Bets and Plays back to who put them there, exactly once. Raises as `settle_round`."""

    def open_round(self, table: str) -> Deferred[OpenRound | None]:
        """The round in progress at a table."""

    def open_rounds(self) -> Deferred[Mapping[str, str]]:
        """All rounds in progress: their ids by table."""

    def ended_rounds(self, round_ids: Sequence[str]) -> Deferred[frozenset[str]]:
        """Which of these rounds are over, settled or void."""
