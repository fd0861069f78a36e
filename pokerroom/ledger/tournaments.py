"""What the room asks of its ledger for sit-and-gos: entries, places, payouts. Beside `api`, and by the same rules.

Each tournament has an escrow, the ledger account `escrow:<tournament>`. Who enters pays his buy-in into it; at the
start the house's fees leave it for the account `fees`; each prize leaves it for a wallet, once its place is given. Then
it is empty. The permanent keys:

    sng:<tournament>:entry:<account>:<n>    the n-th entry of an account
    sng:<tournament>:return:<account>:<n>   that entry, back
    sng:<tournament>:start                  the fees
    sng:<tournament>:place:<number>         a prize
    sng:<tournament>:cancel                 all entries back, before the start
    sng:<tournament>:roll_back              all that was paid back, fees too, after it (I3)

A tournament's id is also its table's: who runs it takes the table (`Ledger.take_table`), and what he says of it names
his epoch. Its hands are settled as others are (`Ledger.settle`), but move no money: the deltas change the chips of the
entries, and there is no seat at such a table but those that were drawn. Entries, cancelling and payouts are anybody's.
The ledger draws no seat and works out no prize; it sees to it that prizes are those of their places, and that every
place is given and paid once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import Ledger, LedgerRefusal

Phase = Literal["registering", "running", "finished", "cancelled", "rolled_back", "rolled_forward"]


class RegistrationClosed(LedgerRefusal):
    """The tournament has started, or was cancelled."""

    code = "registration_closed"


class TournamentFull(LedgerRefusal):
    """All seats are taken."""

    code = "tournament_full"


class AlreadyEntered(LedgerRefusal):
    """The account has entered this tournament, or another one of its offer that takes entries [D]."""

    code = "already_registered"


class NotEntered(LedgerRefusal):
    """The account has not entered, or not under this number, or has its buy-in back."""

    code = "not_registered"


class EntryOver(LedgerRefusal):
    """The account has entered and left again since, under a later number."""

    code = "not_registered"


class NotFull(LedgerRefusal):
    """It cannot start: players are missing."""

    code = "tournament_not_full"


class NotRunning(LedgerRefusal):
    """It has not started, or it is over."""

    code = "tournament_not_running"


class PrizesWon(LedgerRefusal):
    """It cannot be rolled back: a prize is won, and may be paid (I3)."""

    code = "tournament_prizes_won"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A tournament to be. `fee` is the house's part of `buy_in`; `prizes` add up to the rest of all of them.

    `offer` and `number` name it, too. `terms` is a JSON document of those who play it; the ledger only keeps it.
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
    """One entry; `number` counts those of the account in this tournament. `seat` is there from the start on.

    `chips` are those after the last of his `hands` that are settled, `chips_before` those at its start: by them the
    players are placed who went out in it (I2).
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
    """Where somebody has finished. `place` is shared by who tie, `prize` may be 0."""

    place: int
    account: int
    prize: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """A place that is given; `number` is this player's alone. `paid` is False, too, where there is nothing to pay."""

    number: int
    place: int
    account: int
    prize: Money
    paid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """A tournament as it stands: entries in the order in which they came, places the best first.

    `started_ms` (since the epoch, by the ledger's clock) is there from the start on, `ended_ms` from the end on.
    `paused`: the operator has said so, and not since that it goes on.
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
        """The accounts that are in it: by seat once it has started, before that in the order in which they came."""
        entries = [entry for entry in self.entries if not entry.returned]
        return tuple(entry.account for entry in sorted(entries, key=lambda entry: entry.seat or 0))


class TournamentLedger(Ledger, Protocol):
    """The contract, beside `Ledger`'s. Raises LookupError for a tournament that was never opened."""

    def open_tournament(self, opening: Opening) -> Deferred[None]:
        """Opens it with an empty escrow. Again on the same terms is no error, on other terms a `LedgerConflict`."""

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        """All there is to know of it, also when it is long over."""

    def tournaments(self, offer: str, phase: Phase | None = None) -> Deferred[list[TournamentRow]]:
        """Those of the offer that are registering or running, or the one of the two, in the order of their numbers."""

    def running_tournaments(self) -> Deferred[list[str]]:
        """Those of all offers, by offer and number."""

    def tournaments_to_show(self) -> Deferred[list[str]]:
        """Those that have ended, and whose owners have not given their tables up: to tell everybody, or in death."""

    def registering_tournaments(self) -> Deferred[list[str]]:
        """Those of all offers that take entries, by offer and number; also of offers that are no more."""

    def last_number(self, offer: str) -> Deferred[int]:
        """The number of the offer's last tournament; 0 before there was one."""

    def enter(self, tournament: str, account: int, number: int) -> Deferred[None]:
        """The buy-in goes from the wallet to the escrow. Again under the same number nothing moves.

        `number` (from 1) is larger than those of the account's earlier entries. Raises `RegistrationClosed`,
        `AlreadyEntered`, `EntryOver`, `TournamentFull`, `InsufficientBalance`; LookupError for an unknown account.
        """

    def return_entry(self, tournament: str, account: int, number: int) -> Deferred[None]:
        """Before the start: the buy-in goes back. Again nothing moves. Raises `RegistrationClosed`, `NotEntered`."""

    def cancel_tournament(self, tournament: str) -> Deferred[None]:
        """Before the start: all entries go back, once. Raises `RegistrationClosed`."""

    def start_tournament(
        self, tournament: str, epoch: int, players: Sequence[int], stack: int
    ) -> Deferred[None]:
        """The n-th of `players` has seat n and `stack` chips; the fees leave the escrow. Again the same nothing moves.

        Raises `RegistrationClosed` (cancelled), `NotFull`, `NotOwner`; `LedgerConflict` for players other than those
        who have entered, or other seats than those it was started with.
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
        """Players who finish together have the numbers from `best` on, in this order; number 1 ends the tournament.

        Numbers are given from the last seat down. The prizes together are those of the numbers, however they are
        shared. `rolled_forward`: by an operator, all who are left at once (I3). Again the same is no error.
        Raises `NotRunning`, `NotOwner`, `LedgerConflict`.
        """

    def pause_tournament(self, tournament: str, epoch: int, *, paused: bool) -> Deferred[None]:
        """The operator has paused it, or lets it go on; again is no error. Raises `NotRunning`, `NotOwner`."""

    def roll_back_tournament(self, tournament: str, epoch: int) -> Deferred[None]:
        """Everybody gets his buy-in back, fee included, once. Raises `NotRunning`, `PrizesWon`, `NotOwner`."""

    def pay_place(self, tournament: str, number: int) -> Deferred[Money]:
        """The prize of a place that is given goes to its player, whoever asks and however often; returns it.

        Raises LookupError for a place that is not given.
        """

    def unpaid_places(self) -> Deferred[list[tuple[str, int]]]:
        """Places with a prize that is not paid, as (tournament, number), of all tournaments."""
