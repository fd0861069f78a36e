"""The contract for tournaments: entries, seats, places, payouts, with the rules of `api`.

A sit-and-go starts when it is full. A scheduled tournament starts at a time; it may take late entries and re-entries
until its owner closes the entries and fixes the prizes.

Each tournament has an escrow, the ledger account `escrow:<tournament>`. An entry pays the buy-in into it. At the start
the fees leave it for the account `fees`; the fee of a late entry goes there at once. What a guarantee lacks comes from
the bank when entries close. Each prize leaves the escrow for a wallet, once its place is given; then it is empty.
A deal at the final table moves nothing: it changes what the places pay.
Rebuys and add-ons are in `chip_sales`, the tickets that a satellite pays are in `tickets`.

A tournament with bounties has a second account, `bounties:<tournament>`. A part of each buy-in goes there, as the head
of the entry. The hand that takes the last chips of an entry pays its head in the same transaction: one part to the
wallets of those that knocked it out, the rest onto their own heads. Who is left at the end gets the own head. So the
account holds the sum of all heads at any moment, and nothing in the end. The permanent keys:

    sng:<tournament>:entry:<account>:<n>    the n-th entry of an account
    sng:<tournament>:return:<account>:<n>   the return of that entry
    sng:<tournament>:start                  the fees
    sng:<tournament>:overlay                what a guarantee lacks
    sng:<tournament>:place:<number>         a prize
    sng:<tournament>:bounty:<account>:<n>   the head of that entry
    sng:<tournament>:cancel                 the return of all entries, before the start
    sng:<tournament>:roll_back              the return of all buy-ins with fees, after the start (I3)

A tournament and its tables have an owner each, and an epoch each (`Ledger.take_table`). The node that runs the
tournament owns it under the id that `owned_as` returns, and names that epoch. The first table has the id of the
tournament, see `table_of`. Hands are settled by the owner of their table as others are (`Ledger.settle`) but move no
money: the deltas change the chips of the entries. Any node may enter an account, return an entry, cancel, or pay a
place. The ledger draws no seats and calculates no prizes. It checks that prizes match their places, and that every
place is given and paid once.

Each player with chips sits in one seat, which has a number in the tournament (`seat_number`). A hand names only players
that sit at its table. The owner of the tournament moves players; their chips do not change, so none are in transit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, Protocol

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import Ledger, LedgerRefusal
from pokerroom.ledger.chip_sales import ChipSale, ChipSaleLedger, OnSale, PurchaseRow, SaleKind
from pokerroom.ledger.hosted_tables import is_private
from pokerroom.ledger.tickets import TicketLedger, TicketPrize
from pokerroom.ledger.tournament_entries import EntryRow, SeatedEntries

RETURNED_MAX: Final = 20
"""[D] How many entries to one tournament an account may get back. They stay in the tournament's row: it cannot grow
without bound, free of charge.
"""

ALL_BPS: Final = 10_000
"""All of an amount, in basis points."""

_NOTHING: Final = Money(0)
_OWNED_AS: Final = "tournament:"
_TABLE: Final = re.compile(r"(.*\.\d+)-(\d+)")


def owned_as(tournament: str) -> str:
    """Return the id under which a tournament itself is owned, beside its tables."""
    return _OWNED_AS + tournament


def tournament_owned_as(name: str) -> str | None:
    """Return the tournament that is owned under this id; None for the id of a table."""
    return name.removeprefix(_OWNED_AS) if name.startswith(_OWNED_AS) else None


def table_of(tournament: str, number: int) -> str:
    """Return the id of a table of a tournament, counted from 1; the first has the tournament's own id."""
    return tournament if number == 1 else f"{tournament}-{number}"


def tournament_at(table: str) -> str:
    """Return the tournament of a table, by the id of the table. The id of any other table is returned as it is."""
    found = _TABLE.fullmatch(table)
    return table if found is None else found[1]


def table_number(table: str) -> int:
    """Return the number of a table in its tournament."""
    found = _TABLE.fullmatch(table)
    return 1 if found is None else int(found[2])


Phase = Literal["registering", "running", "finished", "cancelled", "rolled_back", "rolled_forward"]


class RegistrationClosed(LedgerRefusal):
    """The tournament has started or was cancelled, or starts: its time has come, and enough players have entered."""

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


class EntriesUsedUp(LedgerRefusal):
    """The account has entered as often as it may, or has left as often (`RETURNED_MAX`)."""

    code = "entries_used_up"


class NotFull(LedgerRefusal):
    """The tournament cannot start: seats are free, or too few players have entered."""

    code = "tournament_not_full"


class NotRunning(LedgerRefusal):
    """The tournament has not started, or has ended."""

    code = "tournament_not_running"


class PrizesWon(LedgerRefusal):
    """The tournament cannot be rolled back: a prize or a bounty is won and may be paid (I3)."""

    code = "tournament_prizes_won"


class OtherEntries(LedgerRefusal):
    """The entries cannot be closed: there are others than the caller knows, or one has no seat."""

    code = "registration_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledStart:
    """When a tournament starts, and what the ledger must know of its entries.

    `starts_ms` are Unix milliseconds; no other tournament of the offer has the same. It needs `players_min` players. An
    account may buy `entries_max` entries, one after the other; 0 is any number. Its prizes sum to `guarantee` at least.
    """

    starts_ms: int
    players_min: int
    entries_max: int
    guarantee: Money


BountyKind = Literal["knockout", "progressive"]


class _RebuyTerms(msgspec.Struct):
    """What the ledger reads of the terms of a tournament."""

    rebuy_below: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The terms of a tournament. `fee` is the part of `buy_in` that the room keeps, `bounty` the head of the entry;
    `prizes` sum to the rest. Of a head that is won `bounty_cash_bps` are paid at once, and the rest goes on heads.

    `seats` is the number of players. If it is `scheduled` that is the largest number, and there are no `prizes` yet.
    `sales` are what it sells beside entries, by kind. `offer` and `number` together are unique. `terms` is a JSON
    document that the ledger stores; of it the ledger reads `rebuy_below` alone.
    """

    tournament: str
    offer: str
    number: int
    seats: int
    buy_in: Money
    fee: Money
    prizes: tuple[Money, ...]
    terms: bytes
    scheduled: ScheduledStart | None = None
    bounty: Money = _NOTHING
    bounty_cash_bps: int = ALL_BPS
    sales: tuple[ChipSale, ...] = ()
    ticket: TicketPrize | None = None
    """What the seats of a satellite are; `guarantee` is then what so many guaranteed seats are worth."""

    @property
    def part(self) -> Money:
        """What an entry brings to the prizes."""
        return Money(self.buy_in - self.fee - self.bounty)

    def named(self, name: str) -> str:
        """Return the name of the tournament, by that of its offer; a private sit-and-go is the only one of its own."""
        return name if is_private(self.offer) else f"{name} #{self.number}"

    @property
    def bounty_kind(self) -> BountyKind | None:
        """How bounties are paid: all at once, or a part of them goes on that of the winner. None without bounties."""
        if not self.bounty:
            return None
        return "knockout" if self.bounty_cash_bps == ALL_BPS else "progressive"

    @property
    def rebuy_below(self) -> int | None:
        """With how many chips a rebuy is sold at most, by the terms; None: with a full stack."""
        return msgspec.json.decode(self.terms, type=_RebuyTerms).rebuy_below

    def sale(self, kind: SaleKind) -> ChipSale | None:
        """What it sells of this kind."""
        return next((one for one in self.sales if one.kind == kind), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceGiven:
    """The place of a player. Players who tie share a `place`; `prize` may be 0."""

    place: int
    account: int
    prize: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizePaid:
    """What was paid for a place: `ticket` is the part of the prize that is a ticket, the rest is in the wallet."""

    prize: Money
    ticket: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """A stored place. Each player has a `number` of their own. `paid` is False if the prize is 0."""

    number: int
    place: int
    account: int
    prize: Money
    paid: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BountyRow:
    """What a `winner` got of the head of an entry: `cash` to the wallet, the rest onto the own head.

    The hand is that in which the entry was out (`EntryRow.out_in`). Who is left at the end wins the own head.
    """

    account: int
    number: int
    winner: int
    cash: Money
    on_head: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRow:
    """A deal of all players left at the final table, which had settled so many `hands`.

    `accounts` are from the first left of the button; `stacks`, `amounts` and `accepted_ms`, the Unix milliseconds at
    which each has accepted, are in this order. With the place each gets the own amount, and the winner `for_the_winner`
    as well.
    """

    proposer: int
    kind: Literal["icm", "chips"]
    for_the_winner: Money
    hands: int
    accounts: tuple[int, ...]
    stacks: tuple[int, ...]
    amounts: tuple[Money, ...]
    accepted_ms: tuple[int, ...]

    def prize(self, account: int, number: int) -> Money:
        """What a player of the deal gets that finishes with this number."""
        amount = self.amounts[self.accounts.index(account)]
        return Money(amount + (self.for_the_winner if number == 1 else 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A table of a tournament: the number of its settled hands, and whether its players have moved away for good."""

    number: int
    hands: int
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LateSeat:
    """The seat of an entry that came after the start, by its number in the tournament (`seat_number`)."""

    account: int
    number: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatChange:
    """A move of a player, from one seat to another, both by their numbers in the tournament (`seat_number`)."""

    account: int
    seat: int
    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """A move as the ledger keeps it; moves that were made together share a `number`, counted from 1.

    `from_hands` and `to_hands` are the numbers of hands that both tables had settled. `seat` and `from_hands` are None
    for the first seat of an entry that came after the start.
    """

    number: int
    account: int
    seat: int | None
    to: int
    from_hands: int | None
    to_hands: int


@dataclass(frozen=True, kw_only=True)
class TournamentRow:
    """A tournament and its state: entries in their order, places from the best down, tables by number.

    `bounties` are in the order in which they were won. A `deal` says what each player left then gets with the place.

    `opened_ms`, `started_ms` and `ended_ms` are Unix milliseconds of the ledger's clock, or None before. `paused` is
    set by the operator. `prizes` are fixed when entries close (`closed`); those of a sit-and-go always are.
    """

    opening: Opening
    phase: Phase
    entries: tuple[EntryRow, ...]
    places: tuple[PlaceRow, ...]
    tables: tuple[TableRow, ...] = ()
    opened_ms: int = 0
    started_ms: int | None = None
    ended_ms: int | None = None
    paused: bool = False
    fixed_prizes: tuple[Money, ...] = ()
    bounties: tuple[BountyRow, ...] = ()
    deal: DealRow | None = None
    purchases: tuple[PurchaseRow, ...] = ()
    """Rebuys and add-ons, in their order."""
    on_sale: frozenset[OnSale] = frozenset({"entry"})
    """What a running tournament sells, while its entries are not closed."""

    @cached_property
    def seated(self) -> SeatedEntries:
        """The entries that got a seat; made once, so a row has no slots."""
        return SeatedEntries(self.entries)

    @property
    def prizes(self) -> tuple[Money, ...]:
        """The prizes, the best place first; none while entries to a scheduled tournament are open."""
        return self.opening.prizes or self.fixed_prizes

    @property
    def closed(self) -> bool:
        """Whether nothing more can change the prizes."""
        return bool(self.prizes)

    @property
    def bought(self) -> int:
        """The number of entries, re-entries among them."""
        return sum(not entry.returned for entry in self.entries)

    @property
    def brought(self) -> Money:
        """What entries, rebuys and add-ons bring to the prizes."""
        opening = self.opening
        sold = sum(one.prize * self.bought_of(one.kind) for one in opening.sales)
        return Money(opening.part * self.bought + sold)

    def paid_by(self, account: int) -> Money:
        """What an account has paid for its entries that were not returned, for rebuys and for add-ons."""
        prices = {one.kind: one.price for one in self.opening.sales}
        entries = sum(entry.account == account and not entry.returned for entry in self.entries)
        own = [one.purchase for one in self.purchases if one.purchase.account == account]
        return Money(self.opening.buy_in * entries + sum(prices[one.kind] for one in own))

    def bought_of(self, kind: SaleKind) -> int:
        """The number of rebuys, or of add-ons."""
        return sum(one.purchase.kind == kind for one in self.purchases)

    def bounties_won(self, account: int) -> Money:
        """What a player got of heads."""
        return Money(sum(won.cash for won in self.bounties if won.winner == account))

    @property
    def players(self) -> tuple[int, ...]:
        """The accounts with an entry, by seat; before the start in the order of their entries."""
        entries = [entry for entry in self.entries if entry.counts]
        return tuple(entry.account for entry in sorted(entries, key=lambda entry: entry.seat or 0))


class TournamentLedger(Ledger, ChipSaleLedger, TicketLedger, Protocol):
    """The contract, in addition to those of `Ledger`, `ChipSaleLedger` and `TicketLedger`.

    Raises LookupError for a tournament that was never opened.
    """

    def open_tournament(self, opening: Opening) -> Deferred[None]:
        """Opens a tournament with an empty escrow. Raises `LedgerConflict` if it was opened on other terms."""

    def scheduled_tournaments(self, ended_since_ms: int) -> Deferred[list[TournamentRow]]:
        """The scheduled tournaments that go on, and those that ended since then, by their start."""

    def due_tournaments(self, until_ms: int) -> Deferred[list[TournamentRow]]:
        """The scheduled tournaments that take entries and start until then, by their start."""

    def opened_starts(self, offer: str, since_ms: int) -> Deferred[list[int]]:
        """The starts of an offer's tournaments from then on, whatever became of them."""

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        """The tournament and its state, also after its end."""

    def entry_of(self, tournament: str, account: int) -> Deferred[tuple[Phase, int | None]]:
        """The phase of a tournament, and the number of the account's entry that counts, if any.

        Costs the same for a field of any size. Raises LookupError for a tournament that was never opened.
        """

    def tournaments(self, offer: str, phase: Phase | None = None) -> Deferred[list[TournamentRow]]:
        """The registering and running tournaments of an offer, or those in one of the two phases, by number."""

    def running_tournaments(self) -> Deferred[list[str]]:
        """The ids of all running tournaments, by offer and number."""

    def running_tables(self) -> Deferred[list[str]]:
        """The ids of the open tables of all running tournaments, by offer, number and table."""

    def tournaments_to_show(self) -> Deferred[list[str]]:
        """The ids of ended tournaments with unreleased tables: their owner still shows them, or has died."""

    def registering_tournaments(self) -> Deferred[list[str]]:
        """The ids of all registering tournaments, by offer and number, also of offers that were removed."""

    def last_number(self, offer: str) -> Deferred[int]:
        """The number of the last tournament of the offer, or 0."""

    def enter(self, tournament: str, account: int, number: int) -> Deferred[bool]:
        """Moves the buy-in from the wallet, once per number; of a late entry the fee goes to the house.

        A ticket of the account pays in place of the wallet. Returns whether one has.

        `number` (from 1) is larger than those of the account's earlier entries. A player of a scheduled tournament may
        enter again once out. Raises `RegistrationClosed`, `AlreadyEntered`, `EntryOver`, `EntriesUsedUp`,
        `TournamentFull`, `InsufficientBalance`, and LookupError for an unknown account.
        """

    def return_entry(self, tournament: str, account: int, number: int) -> Deferred[None]:
        """Returns the buy-in before the start, once; what a ticket has paid is a ticket again.

        Raises `RegistrationClosed`, `NotEntered`.
        """

    def cancel_tournament(self, tournament: str) -> Deferred[None]:
        """Returns all entries before the start, once. Raises `RegistrationClosed`."""

    def start_tournament(
        self, tournament: str, epoch: int, players: Sequence[int], stack: int
    ) -> Deferred[None]:
        """Gives the n-th of `players` the seat with number n and `stack` chips; 0 is an empty seat. Done once.

        The fees leave the escrow. Raises `RegistrationClosed` (cancelled), `NotFull`, `NotOwner`, and `LedgerConflict`
        if `players` are not the entered accounts, or the tournament was started with another draw.
        """

    def unseated_entries(self, tournament: str) -> Deferred[list[tuple[int, int]]]:
        """The entries without a seat to a running tournament, as (account, number), in their order."""

    def seat_entries(self, tournament: str, epoch: int, seats: Sequence[LateSeat]) -> Deferred[None]:
        """Gives entries that came after the start a full stack and a seat, all or none, also at new tables.

        The same call again changes nothing. Raises `NotRunning`, `NotOwner`, and `LedgerConflict` for an entry that has
        no right to a seat, and for a seat that is taken or of a closed table.
        """

    def close_entries(
        self, tournament: str, epoch: int, entries: int, prizes: Sequence[Money]
    ) -> Deferred[None]:
        """Closes the entries to a scheduled tournament, and fixes its prizes. What a guarantee lacks is moved.

        `entries` is their number (`TournamentRow.bought`). The same call again changes nothing. Raises `NotRunning`,
        `NotOwner`, `OtherEntries` also for a purchase without its chips, and `LedgerConflict` for prizes that are not
        what the entries and purchases bring, or the guarantee.
        """

    def move_players(self, tournament: str, epoch: int, moves: Sequence[SeatChange]) -> Deferred[None]:
        """Gives players other seats, all or none, while their tables have no hand. The same call again changes nothing.

        A table where no player with chips is left is closed for good. Raises `NotRunning`, `NotOwner`, and
        `LedgerConflict` for a player without chips or in another seat, and for a seat that is taken or of a closed
        table.
        """

    def agree_deal(self, tournament: str, epoch: int, deal: DealRow) -> Deferred[None]:
        """Fixes what each player left gets with the place, once; moves no money. The same call again changes nothing.

        The deal names all players with chips, at the only table after so many hands, and all others have their places.
        With what it leaves for the winner it comes to the unpaid prizes. Raises `NotRunning`, `NotOwner`, and
        `LedgerConflict` for any other deal, and for a second one.
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

        Numbers are given from the last one down, once entries are closed. With number 1 each head that is left is paid
        to its own player. The prizes must sum to those of the numbers, however the players share them; after a deal
        each player of it gets what was agreed. `rolled_forward`: the operator ends the tournament, and gives all
        remaining places at once (I3). The same call again changes nothing. Raises `NotRunning`, `NotOwner`,
        `LedgerConflict`.
        """

    def pause_tournament(self, tournament: str, epoch: int, *, paused: bool) -> Deferred[None]:
        """Stores whether the operator has paused the tournament. Raises `NotRunning`, `NotOwner`."""

    def roll_back_tournament(self, tournament: str, epoch: int) -> Deferred[None]:
        """Returns every buy-in with its fee, once. Raises `NotRunning`, `PrizesWon`, `NotOwner`."""

    def pay_place(self, tournament: str, number: int) -> Deferred[PrizePaid]:
        """Pays the prize of a place to its player, once. Returns what was paid, also if it was paid before.

        Raises LookupError if the place is not given.
        """

    def unpaid_places(self) -> Deferred[list[tuple[str, int]]]:
        """The unpaid places with a prize, as (tournament, number), of all tournaments."""
