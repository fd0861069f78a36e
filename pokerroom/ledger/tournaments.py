"""The contract for sit-and-gos: entries, places, payouts, with the rules of `api`.

Each tournament has an escrow, the ledger account `escrow:<tournament>`. An entry pays the buy-in into it. At the start
the fees leave it for the account `fees`. Each prize leaves it for a wallet, once its place is given; then the escrow is
empty. The permanent keys:

    sng:<tournament>:entry:<account>:<n>    the n-th entry of an account
    sng:<tournament>:return:<account>:<n>   the return of that entry
    sng:<tournament>:start                  the fees
    sng:<tournament>:place:<number>         a prize
    sng:<tournament>:cancel                 the return of all entries, before the start
    sng:<tournament>:roll_back              the return of all buy-ins with fees, after the start (I3)

A tournament and its tables have an owner each, and an epoch each (`Ledger.take_table`). The node that runs the
tournament owns it under the id that `owned_as` returns, and names that epoch. The id of a sit-and-go's only table is
that of the sit-and-go. Hands are settled by the owner of their table as others are (`Ledger.settle`) but move no money:
the deltas change the chips of the entries. Only drawn players have seats there. Any node may enter an account, return
an entry, cancel, or pay a place. The ledger draws no seats and calculates no prizes. It checks that prizes match their
places, and that every place is given and paid once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import Ledger, LedgerRefusal

_OWNED_AS: Final = "tournament:"


def owned_as(tournament: str) -> str:
    """Return the id under which a tournament itself is owned, beside its tables."""
    return _OWNED_AS + tournament


def tournament_owned_as(name: str) -> str | None:
    """Return the tournament that is owned under this id; None for the id of a table."""
    return name.removeprefix(_OWNED_AS) if name.startswith(_OWNED_AS) else None


Phase = Literal["registering", "running", "finished", "cancelled", "rolled_back", "rolled_forward"]


class RegistrationClosed(LedgerRefusal):
    """The tournament has started or was cancelled."""

    code = "registration_closed"


class TournamentFull(LedgerRefusal):
    """All seats are taken."""

    code = "tournament_full"


class AlreadyEntered(LedgerRefusal):
    """The account has entered this tournament, or another registering one of the same offer [D]."""

    code = "already_registered"


class NotEntered(LedgerRefusal):
    """The account has no entry with this number, or it was returned."""

    code = "not_registered"


class EntryOver(LedgerRefusal):
    """The account has a later entry than this one."""

    code = "not_registered"


class NotFull(LedgerRefusal):
    """The tournament cannot start: seats are free."""

    code = "tournament_not_full"


class NotRunning(LedgerRefusal):
    """The tournament has not started, or has ended."""

    code = "tournament_not_running"


class PrizesWon(LedgerRefusal):
    """The tournament cannot be rolled back: a prize is won and may be paid (I3)."""

    code = "tournament_prizes_won"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The terms of a tournament. `fee` is the part of `buy_in` that the room keeps; `prizes` sum to the rest.

    `offer` and `number` together are unique. `terms` is a JSON document that the ledger stores and does not read.
    """

    tournament: str
    offer: str
    number: int
    seats: int
    buy_in: Money
    fee: Money
    prizes: tuple[Money, ...]
    terms: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """One entry. `number` counts the entries of the account in this tournament; `seat` is set at the start.

    `hands` counts the settled hands of the player. `chips` is the stack after the last one, `chips_before` the stack at
    its start, which ranks the players who went out in it (I2).
    """

    account: int
    number: int
    returned: bool
    seat: int | None
    chips: int | None = None
    chips_before: int | None = None
    hands: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceGiven:
    """The place of a player. Players who tie share a `place`; `prize` may be 0."""

    place: int
    account: int
    prize: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """A stored place. Each player has a `number` of their own. `paid` is False if the prize is 0."""

    number: int
    place: int
    account: int
    prize: Money
    paid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """A tournament and its state: entries in their order, places from the best down.

    `started_ms` and `ended_ms` are Unix milliseconds of the ledger's clock, or None before. `paused` is set by the
    operator.
    """

    opening: Opening
    phase: Phase
    entries: tuple[EntryRow, ...]
    places: tuple[PlaceRow, ...]
    started_ms: int | None = None
    ended_ms: int | None = None
    paused: bool = False

    @property
    def players(self) -> tuple[int, ...]:
        """The accounts with an entry, by seat; before the start in the order of their entries."""
        entries = [entry for entry in self.entries if not entry.returned]
        return tuple(entry.account for entry in sorted(entries, key=lambda entry: entry.seat or 0))


class TournamentLedger(Ledger, Protocol):
    """The contract, in addition to that of `Ledger`. Raises LookupError for a tournament that was never opened."""

    def open_tournament(self, opening: Opening) -> Deferred[None]:
        """Opens a tournament with an empty escrow. Raises `LedgerConflict` if it was opened on other terms."""

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        """The tournament and its state, also after its end."""

    def tournaments(self, offer: str, phase: Phase | None = None) -> Deferred[list[TournamentRow]]:
        """The registering and running tournaments of an offer, or those in one of the two phases, by number."""

    def running_tournaments(self) -> Deferred[list[str]]:
        """The ids of all running tournaments, by offer and number."""

    def tournaments_to_show(self) -> Deferred[list[str]]:
        """The ids of ended tournaments with unreleased tables: their owner still shows them, or has died."""

    def registering_tournaments(self) -> Deferred[list[str]]:
        """The ids of all registering tournaments, by offer and number, also of offers that were removed."""

    def last_number(self, offer: str) -> Deferred[int]:
        """The number of the last tournament of the offer, or 0."""

    def enter(self, tournament: str, account: int, number: int) -> Deferred[None]:
        """Moves the buy-in from the wallet to the escrow, once per number.

        `number` (from 1) is larger than those of the account's earlier entries. Raises `RegistrationClosed`,
        `AlreadyEntered`, `EntryOver`, `TournamentFull`, `InsufficientBalance`, and LookupError for an unknown account.
        """

    def return_entry(self, tournament: str, account: int, number: int) -> Deferred[None]:
        """Returns the buy-in before the start, once. Raises `RegistrationClosed`, `NotEntered`."""

    def cancel_tournament(self, tournament: str) -> Deferred[None]:
        """Returns all entries before the start, once. Raises `RegistrationClosed`."""

    def start_tournament(
        self, tournament: str, epoch: int, players: Sequence[int], stack: int
    ) -> Deferred[None]:
        """Gives the n-th of `players` seat n and `stack` chips; the fees leave the escrow. Done once.

        Raises `RegistrationClosed` (cancelled), `NotFull`, `NotOwner`, and `LedgerConflict` if `players` are not the
        entered accounts, or the tournament was started with another draw.
        """

    def give_places(
        self,
        tournament: str,
        epoch: int,
        best: int,
        places: Sequence[PlaceGiven],
        *,
        rolled_forward: bool = False,
    ) -> Deferred[None]:
        """Gives players who finish together the numbers from `best` on, in this order. Number 1 ends the tournament.

        Numbers are given from the last one down. The prizes must sum to those of the numbers, however the players share
        them. `rolled_forward`: the operator ends the tournament and gives all remaining places at once (I3). The same
        call again changes nothing. Raises `NotRunning`, `NotOwner`, `LedgerConflict`.
        """

    def pause_tournament(self, tournament: str, epoch: int, *, paused: bool) -> Deferred[None]:
        """Stores whether the operator has paused the tournament. Raises `NotRunning`, `NotOwner`."""

    def roll_back_tournament(self, tournament: str, epoch: int) -> Deferred[None]:
        """Returns every buy-in with its fee, once. Raises `NotRunning`, `PrizesWon`, `NotOwner`."""

    def pay_place(self, tournament: str, number: int) -> Deferred[Money]:
        """Pays the prize of a place to its player, once. Returns the prize.

        Raises LookupError if the place is not given.
        """

    def unpaid_places(self) -> Deferred[list[tuple[str, int]]]:
        """The unpaid places with a prize, as (tournament, number), of all tournaments."""
