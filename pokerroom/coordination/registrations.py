"""The registration book of an offer: the seats in its tournaments before they start, and the changes of a book.

Pure functions take a book and return the next book and an answer. The adapters share the book between nodes and make
each change atomic. So there is one set of rules for memory and Redis.

A seat is *held* for an account while its entry is on its way to the ledger, and *confirmed* once the ledger has it. The
ledger is the truth and refuses what the book promised wrongly. Then the book is corrected from it (`reconciled`). A
hold expires, so a node that dies blocks no seat.

A field has thousands of players who come together. So a change looks accounts up, and goes through the holds alone,
which are few; it copies mappings, and never makes their seats again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec
from msgspec import structs

HOLD_MS: Final = 10_000
"""[D] The time for which a seat is held for an entry on its way to the ledger."""


class RegistrationSeat(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A seat. `entry` is the number of the account's entry; `held_until_ms` is None once the seat is confirmed.

    `address` stands for the address that registered: equal for equal ones, empty where it does not count.
    """

    account: int
    entry: int
    held_until_ms: int | None
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registering:
    """A registering tournament. `number` counts the tournaments of the offer.

    Seats are kept by account. `used` has the number of the last entry of each account that ever had a seat in it.
    `opened`: the ledger has it.
    """

    number: int
    seats: int
    opened: bool = False
    confirmed: Mapping[int, RegistrationSeat] = field(default_factory=dict)
    held: Mapping[int, RegistrationSeat] = field(default_factory=dict)
    used: Mapping[int, int] = field(default_factory=dict)

    @property
    def taken(self) -> int:
        """The number of seats that are confirmed or held."""
        return len(self.confirmed) + len(self.held)

    @property
    def full(self) -> bool:
        """Whether all seats are confirmed, so that the tournament can start."""
        return len(self.confirmed) == self.seats and not self.held

    def seat_of(self, account: int) -> RegistrationSeat | None:
        """The seat of an account, held or confirmed, or None."""
        return self.confirmed.get(account) or self.held.get(account)

    def seats_of(self, address: str) -> int:
        """The number of seats that an address has taken, held or confirmed."""
        return sum(
            seat.address == address for seats in (self.confirmed, self.held) for seat in seats.values()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationBook:
    """The registering tournaments of an offer, by number; `next` is the number of the next one."""

    next: int = 1
    tournaments: tuple[Registering, ...] = ()

    def numbered(self, number: int) -> Registering | None:
        """The registering tournament with this number, or None."""
        return next((one for one in self.tournaments if one.number == number), None)

    def of(self, account: int) -> tuple[Registering, RegistrationSeat] | None:
        """The tournament and the seat of an account, or None. An account has one seat at most."""
        for one in self.tournaments:
            seat = one.seat_of(account)
            if seat is not None:
                return one, seat
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatHold:
    """The answer to a request for a seat: the numbers of the tournament and of the entry to make.

    `confirmed`: the account had a confirmed seat before. `opened`: the ledger has the tournament.
    """

    number: int
    entry: int
    confirmed: bool
    opened: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentEntries:
    """The entries of a registering tournament in the ledger; `used` has the last entry of each account."""

    number: int
    seats: int
    entries: Mapping[int, int]
    """The accounts with an entry, with its number, in the order of their entries."""
    used: Mapping[int, int]


def hold(
    book: RegistrationBook,
    account: int,
    *,
    seats: int,
    now_ms: int,
    address: str = "",
    seats_per_address: int = 0,
) -> tuple[RegistrationBook, SeatHold | None]:
    """Holds a seat for `HOLD_MS`, in the first tournament with a free one or in a new one with `seats` seats.

    An account has at most one seat in the registering tournaments of an offer [D]. If it has one, that is the answer.
    An address has at most `seats_per_address` in a tournament, 0 for any number: the answer is None if it has so many
    in all those with free seats. No new one is opened for it, where it would wait alone.
    """
    book = _without_expired(book, now_ms)
    found = book.of(account)
    if found is not None:
        one, seat = found
        if seat.held_until_ms is not None:
            book = _with(book, _seated(one, structs.replace(seat, held_until_ms=now_ms + HOLD_MS)))
        return book, _held(one, seat)
    free = [one for one in book.tournaments if one.taken < one.seats]
    if not free:
        free = [Registering(number=book.next, seats=seats)]
        book = replace(book, next=book.next + 1)
    bounded = address != "" and seats_per_address > 0
    chosen = next((one for one in free if not bounded or one.seats_of(address) < seats_per_address), None)
    if chosen is None:
        return book, None
    seat = RegistrationSeat(
        account=account,
        entry=chosen.used.get(account, 0) + 1,
        held_until_ms=now_ms + HOLD_MS,
        address=address,
    )
    return _with(book, _seated(chosen, seat)), _held(chosen, seat)


def confirm(
    book: RegistrationBook, number: int, account: int, entry: int, address: str = ""
) -> tuple[RegistrationBook, bool]:
    """Confirms a seat: the ledger has the entry. Answers whether the tournament is now full.

    `address` is that of the hold. An expired hold is confirmed too. Then more seats may be taken than there are; the
    ledger refuses the last entry, and `reconciled` corrects the book.
    """
    one = book.numbered(number)
    if one is None or one.used.get(account, 0) > entry:
        return book, False
    one = replace(
        _seated(one, _confirmed(account, entry, one, address)),
        opened=True,
    )
    return _with(book, one), one.full


def release(book: RegistrationBook, number: int, account: int, entry: int) -> tuple[RegistrationBook, None]:
    """Frees the seat of this entry: the ledger has refused or returned it."""
    one = book.numbered(number)
    seat = None if one is None else one.seat_of(account)
    if one is None or seat is None or seat.entry != entry:
        return book, None
    return _with(book, _without(one, account)), None


def close(book: RegistrationBook, number: int) -> tuple[RegistrationBook, None]:
    """Removes a tournament that no longer registers. Its players may enter the next one."""
    return replace(
        book,
        next=max(book.next, number + 1),
        tournaments=tuple(one for one in book.tournaments if one.number != number),
    ), None


def reconciled(
    book: RegistrationBook | None, entered: Sequence[TournamentEntries], *, last_number: int, now_ms: int
) -> RegistrationBook:
    """Makes the book from the ledger. `book` is None if it was lost.

    `entered` has all registering tournaments; `last_number` is the number of the last tournament of the offer. Of the
    old book only what the ledger cannot know yet is kept: unexpired holds, while there are free seats, and tournaments
    that are not opened yet.
    """
    old = _without_expired(book or RegistrationBook(), now_ms)
    merged = []
    for truth in sorted(entered, key=lambda one: one.number):
        before = old.numbered(truth.number)
        confirmed = {account: _confirmed(account, entry, before) for account, entry in truth.entries.items()}
        holds = [
            seat
            for seat in ({} if before is None else before.held).values()
            if seat.account not in truth.entries and seat.entry > truth.used.get(seat.account, 0)
        ]
        used = dict(truth.used) if before is None else {**before.used, **truth.used}
        for seat in holds:
            used[seat.account] = max(used.get(seat.account, 0), seat.entry)
        free = max(0, truth.seats - len(confirmed))
        merged.append(
            Registering(
                number=truth.number,
                seats=truth.seats,
                opened=True,
                confirmed=confirmed,
                held={seat.account: seat for seat in holds[:free]},
                used=used,
            )
        )
    merged += [one for one in old.tournaments if one.number > last_number and one.taken]
    return RegistrationBook(next=max(old.next, last_number + 1), tournaments=tuple(merged))


def to_bytes(book: RegistrationBook) -> bytes:
    """Encodes a book for a store."""
    return msgspec.msgpack.encode(book)


def from_bytes(stored: bytes) -> RegistrationBook:
    """Decodes the result of `to_bytes`. Raises msgspec.DecodeError."""
    return msgspec.msgpack.decode(stored, type=RegistrationBook)


def _confirmed(account: int, entry: int, before: Registering | None, address: str = "") -> RegistrationSeat:
    """Make a confirmed seat. The ledger knows no addresses, so that of the account's seat before goes on to count."""
    seat = None if before is None else before.seat_of(account)
    address = address if seat is None else seat.address or address
    return RegistrationSeat(account=account, entry=entry, held_until_ms=None, address=address)


def _held(one: Registering, seat: RegistrationSeat) -> SeatHold:
    return SeatHold(
        number=one.number, entry=seat.entry, confirmed=seat.held_until_ms is None, opened=one.opened
    )


def _seated(one: Registering, seat: RegistrationSeat) -> Registering:
    """Give the account this seat in place of the one that it has; it keeps its place among the others."""
    account, held = seat.account, dict(one.held)
    used = {**one.used, account: max(seat.entry, one.used.get(account, 0))}
    if seat.held_until_ms is not None:
        return replace(one, held={**held, account: seat}, used=used)
    held.pop(account, None)
    return replace(one, confirmed={**one.confirmed, account: seat}, held=held, used=used)


def _without(one: Registering, account: int) -> Registering:
    confirmed, held = dict(one.confirmed), dict(one.held)
    confirmed.pop(account, None)
    held.pop(account, None)
    return replace(one, confirmed=confirmed, held=held)


def _with(book: RegistrationBook, one: Registering) -> RegistrationBook:
    others = [other for other in book.tournaments if other.number != one.number]
    return replace(book, tournaments=tuple(sorted([*others, one], key=lambda other: other.number)))


def _without_expired(book: RegistrationBook, now_ms: int) -> RegistrationBook:
    def expired(seat: RegistrationSeat) -> bool:
        return seat.held_until_ms is not None and seat.held_until_ms <= now_ms

    if not any(expired(seat) for one in book.tournaments for seat in one.held.values()):
        return book
    return replace(
        book,
        tournaments=tuple(
            replace(one, held={account: seat for account, seat in one.held.items() if not expired(seat)})
            for one in book.tournaments
        ),
    )
