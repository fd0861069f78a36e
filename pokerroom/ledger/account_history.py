"""The contract for the history and the settings of an account, with the rules of `api`.

The ledger numbers hands, rounds and sit-and-gos in the order in which it booked them. A history goes from the largest
number down; a page begins below the last number of the page before. The ledger knows the stakes and prizes of rounds
and sit-and-gos. Those of a hand are in its record, which is an opaque document here. `pokerroom.history` decides what
an account may see of a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.operator_log import Acting

SettingValue = str | int | bool

SETTINGS_MAX: Final = 64
"""The maximum number of settings of an account; the schema has the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHand:
    """A settled hand. `in_chips`: a hand of a tournament, where `table` names both, and `delta` is not money.

    `record` has cards that the account must not see: no repr shows it.
    """

    number: int
    hand_id: str
    table: str
    ended_ms: int
    delta: int
    in_chips: bool
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """A round against the house that has ended. `staked` excludes `tipped`; `paid` is the whole amount returned."""

    number: int
    round_id: str
    table: str
    started_ms: int
    ended_ms: int
    staked: Money
    tipped: Money
    paid: Money
    void: bool
    archived: bool = False
    """Whether its record is in an archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTournament:
    """A tournament that is over for the account. The stake is what it paid for all its entries.

    `prize` is what it got: the prize of its place, and bounties. If it was rolled back, `place` is None, and `prize` is
    the stake.
    """

    number: int
    tournament: str
    ended_ms: int
    stake: Money
    prize: Money
    place: int | None


PlayedGame = PlayedHand | PlayedRound | PlayedTournament


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRoundRecord:
    """A round that the account has played, with its record, which no repr shows."""

    played: PlayedRound
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandQuery:
    """Which settled hands: those in which an account was dealt in, at one table or at any; without both, all.

    The id of a tournament stands for all of its tables. The hands ended at or after `since_ms`, and before `until_ms`
    unless that is None. Numbers are those of settlements: with `until_ms` a hand that was settled more than a
    day after its end may be left out.
    """

    account: int | None = None
    table: str | None = None
    since_ms: int = 0
    until_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledHand:
    """A settled hand for whoever exports it; see `PlayedHand`. `record` has hidden cards: no repr shows it."""

    number: int
    hand_id: str
    table: str
    in_chips: bool
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPage:
    """Hands in the order of their numbers. The next page is after number `after`; None: there is none."""

    hands: Sequence[SettledHand]
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTransfer:
    """A transfer that changed the wallet or the tickets of an account; see `grammar` for kinds and keys.

    `other` is the ledger account of another side: of those with the opposite sign the one with the largest amount, as
    `stack:T1:7`. Amounts are in the smallest unit.
    """

    number: int
    kind: str
    key: str
    at_ms: int
    wallet: int
    tickets: int
    other: str


class AccountHistoryLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def account_transfers(
        self, account: int, before: int | None, limit: int
    ) -> Deferred[Sequence[AccountTransfer]]:
        """What changed the wallet or the tickets of the account, newest first, with numbers below `before`."""

    def account_history(self, account: int, before: int | None, limit: int) -> Deferred[Sequence[PlayedGame]]:
        """The history of the account, newest first: at most `limit` entries with numbers below `before`."""

    def hand_of(self, account: int, hand_id: str) -> Deferred[PlayedHand | None]:
        """A settled hand in which the account was dealt in, or None."""

    def read_hand(self, hand_id: str, *, by: Acting) -> Deferred[bytes | None]:
        """The record of a settled hand, or None; for an operator. The look is a line of the operators' log."""

    def hands_page(self, query: HandQuery, after: int, limit: int) -> Deferred[HandPage]:
        """A page of hands with numbers above `after`, at most `limit` of them, but perhaps none before the last page.

        The caller writes the line of the operators' log, and redacts the records.
        """

    def round_of(self, account: int, round_id: str) -> Deferred[PlayedRoundRecord | None]:
        """A round that has ended and in which the account had bets, or None."""

    def account_settings(self, account: int) -> Deferred[Mapping[str, SettingValue]]:
        """The settings that the account has changed. The protocol defines their names and values."""

    def change_settings(
        self, account: int, changes: Mapping[str, SettingValue]
    ) -> Deferred[Mapping[str, SettingValue]]:
        """Changes these settings and returns all. Raises LookupError for an unknown account."""
