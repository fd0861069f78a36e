"""What the ledger keeps for an account's own eyes: what it has played, and its settings. Beside `api`, by its rules.

What has ended is numbered in the order in which the ledger booked it, over all games: an account's history is its
numbers from the largest down, and a page begins below the last number of the page before. The ledger knows stakes and
prizes of rounds and sit-and-gos; a hand's are in its record, which is an opaque document here. What may be shown of a
record it does not know either: `pokerroom.history` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money

SettingValue = str | int | bool

SETTINGS_MAX: Final = 64
"""An account keeps so many settings; the schema says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedHand:
    """A settled hand; `in_chips`: of a sit-and-go, where `table` is its id and what changes is no money.

    `record` holds cards that this account must not see: no repr shows it.
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
    """A round against the house that is over. `staked` is without `tipped`; `paid` is all that came back."""

    number: int
    round_id: str
    table: str
    started_ms: int
    ended_ms: int
    staked: Money
    tipped: Money
    paid: Money
    void: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTournament:
    """A sit-and-go that is over for the account. `place` is None, and `prize` the stake, where all was rolled back."""

    number: int
    tournament: str
    ended_ms: int
    stake: Money
    prize: Money
    place: int | None


PlayedGame = PlayedHand | PlayedRound | PlayedTournament


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRoundRecord:
    """A round as the account has played it, with its record. As for hands, no repr shows that."""

    played: PlayedRound
    record: bytes = field(repr=False)


class AccountHistoryLedger(Protocol):
    """The contract, beside `Ledger`'s."""

    def account_history(self, account: int, before: int | None, limit: int) -> Deferred[Sequence[PlayedGame]]:
        """What the account has played, the last first: at most `limit`, with numbers below `before`."""

    def hand_of(self, account: int, hand_id: str) -> Deferred[PlayedHand | None]:
        """A settled hand in which the account was dealt in; None if there is none such."""

    def round_of(self, account: int, round_id: str) -> Deferred[PlayedRoundRecord | None]:
        """A round that is over and in which the account had bets; None if there is none such."""

    def account_settings(self, account: int) -> Deferred[Mapping[str, SettingValue]]:
        """All settings that the account ever changed; which there are, and what they may be, others know."""

    def change_settings(
        self, account: int, changes: Mapping[str, SettingValue]
    ) -> Deferred[Mapping[str, SettingValue]]:
        """Sets these, and returns all. Raises LookupError for an unknown account."""
