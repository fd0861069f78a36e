"""A tournament and its entries as the ledger in memory keeps them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pokerroom.chips import Money
from pokerroom.ledger.chip_sales import ChipPurchase, OnSale, PurchaseRow
from pokerroom.ledger.tournament_entries import EntryRow
from pokerroom.ledger.tournaments import (
    BountyRow,
    DealRow,
    Opening,
    Phase,
    PlaceGiven,
    PlaceRow,
    TableRow,
    TournamentRow,
)
from pokerroom.ledger.transfers import (
    Legs,
    bounties_code,
    bounty_key,
    chips_code,
    entry_key,
    escrow_code,
    overlay_key,
    place_key,
    purchase_key,
    return_key,
    tickets_code,
    wallet_code,
    whole,
)
from pokerroom.rules.tournament.prize_table import seats_in

GOES_ON: Final = ("registering", "running")
REFUNDED: Final = ("cancelled", "rolled_back")


@dataclass(slots=True, kw_only=True, eq=False)
class MemoryEntry:
    """See `EntryRow`."""

    account: int
    number: int
    returned: bool = False
    seat: int | None = None
    chips: int | None = None
    chips_before: int | None = None
    hands: int = 0
    replaced: bool = False
    out_in: int | None = None
    head: int = 0
    bought: int = 0
    gone: bool = False
    ticket: int | None = None
    """The number of the ticket that has paid it."""
    _row: EntryRow | None = None
    _row_of: tuple[object, ...] = ()

    def row(self) -> EntryRow:
        """Return the entry as a ledger returns it; the same one, if nothing has changed: a field has thousands."""
        facts = (
            self.returned, self.seat, self.chips, self.chips_before, self.hands, self.replaced, self.out_in,
            self.head, self.bought, self.gone,
        )  # fmt: skip
        if self._row is None or self._row_of != facts:
            self._row_of = facts
            self._row = EntryRow(
                account=self.account,
                number=self.number,
                returned=self.returned,
                seat=self.seat,
                chips=self.chips,
                chips_before=self.chips_before,
                hands=self.hands,
                replaced=self.replaced,
                out_in=self.out_in,
                head=Money(self.head),
                bought=self.bought,
                gone=self.gone,
            )
        return self._row


@dataclass(slots=True, kw_only=True, eq=False)
class MemoryTournament:
    """See `TournamentRow`."""

    opening: Opening
    phase: Phase = "registering"
    entries: list[MemoryEntry] = field(default_factory=list)
    places: dict[int, PlaceGiven] = field(default_factory=dict)
    paid: set[int] = field(default_factory=set)
    hands: Counter[int] = field(default_factory=Counter)
    """The settled hands of each table, by its number."""
    closed: set[int] = field(default_factory=set)
    stack: int = 0
    opened_s: float = 0
    started_s: float | None = None
    ended_s: float | None = None
    paused: bool = False
    fixed_prizes: tuple[Money, ...] = ()
    bounties: list[BountyRow] = field(default_factory=list)
    deal: DealRow | None = None
    purchases: list[PurchaseRow] = field(default_factory=list)
    on_sale: set[OnSale] = field(default_factory=lambda: {"entry"})
    club: str | None = None
    """The club in the chips of which it is played."""
    _by_account: dict[int, list[MemoryEntry]] = field(default_factory=dict)

    def add(self, entry: MemoryEntry) -> None:
        """Add an entry of an account, behind its earlier ones."""
        self.entries.append(entry)
        self._by_account.setdefault(entry.account, []).append(entry)

    def entries_of(self, account: int) -> Sequence[MemoryEntry]:
        """Return all entries of an account, in order."""
        return self._by_account.get(account, ())

    def entry_of(self, account: int) -> MemoryEntry | None:
        """Return the entry of an account that counts."""
        return next((one for one in self.entries_of(account) if not one.returned and not one.replaced), None)

    @property
    def prizes(self) -> tuple[Money, ...]:
        """See `TournamentRow`."""
        return self.opening.prizes or self.fixed_prizes

    def active(self) -> list[MemoryEntry]:
        """The entry of each account that has not got it back: the last one."""
        return [entry for entry in self.entries if not entry.returned and not entry.replaced]

    def bought(self) -> list[MemoryEntry]:
        """All entries that were not returned."""
        return [entry for entry in self.entries if not entry.returned]

    def paid_by(self, account: int) -> Money:
        """The buy-ins of all entries of an account, and what its rebuys and add-ons cost."""
        entries = sum(not entry.returned for entry in self.entries_of(account))
        prices = {sale.kind: sale.price for sale in self.opening.sales}
        more = sum(prices[one.purchase.kind] for one in self.purchases if one.purchase.account == account)
        return Money(self.opening.buy_in * entries + more)

    def purse(self, account: int) -> str:
        """The code of what pays the entry of an account without a ticket, and gets its prize."""
        return wallet_code(account) if self.club is None else chips_code(self.club, account)

    def takes_late_entries(self) -> bool:
        """Whether it runs, and its entries are not closed."""
        return self.phase == "running" and not self.prizes

    def parts(self) -> int:
        """What entries, rebuys and add-ons bring to the prizes."""
        return self.row().brought

    def fees(self) -> int:
        """The fees of all of them."""
        row = self.row()
        sold = sum(sale.fee * row.bought_of(sale.kind) for sale in self.opening.sales)
        return self.opening.fee * row.bought + sold

    def bounties_won(self, account: int) -> int:
        """What an account got of heads."""
        return sum(won.cash for won in self.bounties if won.winner == account)

    def playing(self) -> dict[int, MemoryEntry]:
        """The entries with chips, by account."""
        return {entry.account: entry for entry in self.active() if entry.chips}

    def pays(self, best: int, places: Sequence[PlaceGiven], *, early: bool) -> bool:
        """Whether the places from this number on have the prizes that are due: those of the numbers, or of a deal.

        Who shares what a deal has left for the winner is the rules' to say where play ended `early`.
        """
        due = self.prizes[best - 1 : best - 1 + len(places)]
        if self.deal is not None:
            due = tuple(self.deal.prize(given.account, best + n) for n, given in enumerate(places))
            if not early:
                return [given.prize for given in places] == list(due)
        return sum(given.prize for given in places) == sum(due)

    def owed(self) -> int:
        """The amount that its escrow must hold."""
        if self.phase == "registering":
            return (self.opening.buy_in - self.opening.bounty) * len(self.active())
        if self.phase in REFUNDED:
            return 0
        if not self.prizes:
            return self.parts()
        return sum(self.prizes) - sum(self.places[number].prize for number in self.paid)

    def row(self) -> TournamentRow:
        """Return the tournament as a ledger returns it."""
        return TournamentRow(
            opening=self.opening,
            phase=self.phase,
            entries=tuple(entry.row() for entry in self.entries),
            places=tuple(
                PlaceRow(
                    number=number,
                    place=given.place,
                    account=given.account,
                    prize=given.prize,
                    paid=number in self.paid,
                )
                for number, given in sorted(self.places.items())
            ),
            tables=tuple(
                TableRow(number=number, hands=hands, closed=number in self.closed)
                for number, hands in sorted(self.hands.items())
            ),
            opened_ms=int(self.opened_s * 1000),
            started_ms=None if self.started_s is None else int(self.started_s * 1000),
            ended_ms=None if self.ended_s is None else int(self.ended_s * 1000),
            paused=self.paused,
            fixed_prizes=self.fixed_prizes,
            bounties=tuple(self.bounties),
            deal=self.deal,
            purchases=tuple(self.purchases),
            on_sale=frozenset(self.on_sale),
        )


def entry_legs(found: MemoryTournament, account: int, *, late: bool, by_ticket: bool) -> Legs:
    """The legs of an entry."""
    payer, opening = tickets_code(account) if by_ticket else found.purse(account), found.opening
    buy_in, bounty, fee = opening.buy_in, opening.bounty, opening.fee if late else 0
    return whole(
        [
            (payer, -buy_in),
            (escrow_code(opening.tournament), buy_in - bounty - fee),
            (bounties_code(opening.tournament), bounty),
            ("fees", fee),
        ]
    )


def purchase_legs(opening: Opening, purchase: ChipPurchase) -> Legs:
    """The legs of a rebuy or an add-on. Raises LookupError for what the tournament does not sell."""
    sale = opening.sale(purchase.kind)
    if sale is None:
        raise LookupError(f"{opening.tournament} sells no {purchase.kind}")
    return whole(
        [
            (wallet_code(purchase.account), -sale.price),
            (escrow_code(opening.tournament), sale.prize),
            ("fees", sale.fee),
        ]
    )


def negative(legs: Legs) -> Legs:
    """The legs of a transfer that goes back."""
    return tuple((code, -amount) for code, amount in legs)


def summed(legs: Iterable[tuple[str, int]]) -> Legs:
    """Legs of which several may be of one account."""
    sums: Counter[str] = Counter()
    for code, amount in legs:
        sums[code] += amount
    return whole(sums.items())


def stacks_and_prizes(name: str, found: MemoryTournament) -> Iterable[str]:
    """What differs between the entries of a tournament, its chips and the sum of its prizes."""
    opening, chips = found.opening, sum(entry.chips or 0 for entry in found.entries)
    sold = sum(entry.seat is not None for entry in found.entries) * found.stack
    sizes = {sale.kind: sale.chips for sale in opening.sales}
    sold += sum(sizes[one.purchase.kind] for one in found.purchases if one.given)
    if chips != sold or (found.stack and not opening.scheduled and sold != opening.seats * found.stack):
        yield f"the chips of tournament {name} are {chips}, not {sold}"
    if found.fixed_prizes and not adds_up(found, found.fixed_prizes):
        yield f"the prizes of tournament {name} are not its entries and its guarantee"


def adds_up(found: MemoryTournament, prizes: Sequence[int]) -> bool:
    """Whether the prizes are what entries and purchases bring, or the guarantee.

    Those of a satellite are seats and what is left over. It gives no more seats than it has players left, which only
    its owner knows: then all of them share the rest.
    """
    pool, ticket, start = found.parts(), found.opening.ticket, found.opening.scheduled
    guarantee = 0 if start is None else start.guarantee
    if ticket is None:
        due = max(guarantee, pool)
        return sum(prizes) == due and (all(prizes) if due else list(prizes) == [0])
    seats = seats_in(prizes, ticket.value)
    shared = prizes[:seats]
    return (
        seats <= max(pool, guarantee) // ticket.value
        and len(prizes) <= seats + 1
        and (len(prizes) == seats or list(shared) == [ticket.value] * seats)
        and (not shared or max(shared) - min(shared) <= 1)
        and sum(prizes) == max(pool, seats * ticket.value)
    )


def unpaid(found: MemoryTournament) -> list[int]:
    """Return the numbers of the places with prizes that are not paid."""
    return [number for number, given in found.places.items() if given.prize and number not in found.paid]


def booked(
    name: str, found: MemoryTournament, transfers: Mapping[str, tuple[str, Legs]]
) -> dict[str, tuple[str, Legs]]:
    """Return the transfers of a tournament as its rows say: every entry, return, purchase, prize and head.

    What a prize pays as a ticket is taken from the transfer: the tickets are compared for themselves.
    """
    expected: dict[str, tuple[str, Legs]] = {}
    escrow = escrow_code(name)
    for entry in found.entries:
        key = entry_key(name, entry.account, entry.number)
        late = key in transfers and transfers[key][0] == "late_entry"
        paid = entry_legs(found, entry.account, late=late, by_ticket=entry.ticket is not None)
        expected[key] = ("late_entry" if late else "entry"), paid
        key = return_key(name, entry.account, entry.number)
        if entry.returned and (found.phase != "cancelled" or key in transfers):
            expected[key] = "entry_return", negative(paid)
    expected |= {
        purchase_key(name, row.purchase): (row.purchase.kind, purchase_legs(found.opening, row.purchase))
        for row in found.purchases
    }
    lacking = sum(found.fixed_prizes) - found.parts() if found.fixed_prizes else 0
    if lacking:
        expected[overlay_key(name)] = "overlay", whole([("bank", -lacking), (escrow, lacking)])
    for number in found.paid:
        given, key = found.places[number], place_key(name, number)
        seat = dict(transfers[key][1]).get(tickets_code(given.account), 0) if key in transfers else 0
        legs = [(escrow, -given.prize), (found.purse(given.account), given.prize - seat)]
        expected[key] = "prize", whole([*legs, (tickets_code(given.account), seat)])
    won: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for one in found.bounties:
        won[bounty_key(name, one.account, one.number)] += [
            (wallet_code(one.winner), one.cash),
            (bounties_code(name), -one.cash),
        ]
    return expected | {key: ("bounty", summed(legs)) for key, legs in won.items()}
