"""Who has a seat in which tournament of an offer before it starts: a book per offer, and what may be done to it.

Pure: a book and a wish in, the next book and an answer out. The adapters keep the book where all nodes share it, and
make each change atomic; so there is one book and one set of rules, in memory and in Redis.

A seat is *held* for an account while its entry is on its way to the ledger, and *confirmed* once it is there. The
ledger is the truth, and refuses what a book did not know; then the book is put right from it (`reconciled`). A hold
ends by itself, so that a node that dies leaves no seat blocked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

HOLD_MS: Final = 10_000
"""[D] A seat is held so long for an entry that is on its way to the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationSeat:
    """One seat. `entry` is the number of the account's entry there; `held_until_ms` is None once it is confirmed."""

    account: int
    entry: int
    held_until_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registering:
    """One tournament that takes entries. `number` is its own among those of the offer.

    `used` are the numbers of the last entries of all accounts that ever had a seat in it. `opened`: the ledger has it.
    """

    number: int
    seats: int
    opened: bool = False
    taken: tuple[RegistrationSeat, ...] = ()
    used: Mapping[int, int] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """Whether all seats are confirmed: it can start."""
        return len(self.taken) == self.seats and all(seat.held_until_ms is None for seat in self.taken)

    def seat_of(self, account: int) -> RegistrationSeat | None:
        """The account's seat, held or confirmed."""
        return next((seat for seat in self.taken if seat.account == account), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationBook:
    """The tournaments of an offer that take entries, by their numbers; `next` is that of the next one."""

    next: int = 1
    tournaments: tuple[Registering, ...] = ()

    def numbered(self, number: int) -> Registering | None:
        """The tournament of this number, if it takes entries."""
        return next((one for one in self.tournaments if one.number == number), None)

    def of(self, account: int) -> tuple[Registering, RegistrationSeat] | None:
        """Where the account has a seat: in one tournament at most."""
        for one in self.tournaments:
            seat = one.seat_of(account)
            if seat is not None:
                return one, seat
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatHold:
    """A seat for an account: the tournament's number, and that of the entry to make.

    `confirmed`: it had one already. `opened`: the ledger has the tournament.
    """

    number: int
    entry: int
    confirmed: bool
    opened: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentEntries:
    """What the ledger knows of one tournament that takes entries: who is in it, and each account's last entry."""

    number: int
    seats: int
    entries: Mapping[int, int]
    """Accounts that are in it, with the number of their entry, in the order in which they came."""
    used: Mapping[int, int]


def hold(
    book: RegistrationBook, account: int, *, seats: int, now_ms: int
) -> tuple[RegistrationBook, SeatHold]:
    """A seat for the account, for `HOLD_MS`: in the first tournament with a free one, or in a new one of `seats`.

    An account has one seat at a time in the tournaments of an offer that take entries [D]; who has one gets that.
    """
    book = _without_expired(book, now_ms)
    found = book.of(account)
    if found is not None:
        one, seat = found
        if seat.held_until_ms is not None:
            book = _with(book, _seated(one, replace(seat, held_until_ms=now_ms + HOLD_MS)))
        return book, _held(one, seat)
    free = next((one for one in book.tournaments if len(one.taken) < one.seats), None)
    if free is None:
        free = Registering(number=book.next, seats=seats)
        book = replace(book, next=book.next + 1)
    seat = RegistrationSeat(
        account=account, entry=free.used.get(account, 0) + 1, held_until_ms=now_ms + HOLD_MS
    )
    return _with(book, _seated(free, seat)), _held(free, seat)


def confirm(book: RegistrationBook, number: int, account: int, entry: int) -> tuple[RegistrationBook, bool]:
    """The entry is in the ledger; whether the tournament is full with it.

    It counts also where the hold is over; that more seats are taken then than there are is for `reconciled` to find,
    which the ledger's refusal leads to.
    """
    one = book.numbered(number)
    if one is None or one.used.get(account, 0) > entry:
        return book, False
    one = replace(
        _seated(one, RegistrationSeat(account=account, entry=entry, held_until_ms=None)), opened=True
    )
    return _with(book, one), one.full


def release(book: RegistrationBook, number: int, account: int, entry: int) -> tuple[RegistrationBook, None]:
    """The seat is free again, if it is still this entry's: the ledger has refused it, or given it back."""
    one = book.numbered(number)
    seat = None if one is None else one.seat_of(account)
    if one is None or seat is None or seat.entry != entry:
        return book, None
    return _with(book, replace(one, taken=tuple(other for other in one.taken if other is not seat))), None


def close(book: RegistrationBook, number: int) -> tuple[RegistrationBook, None]:
    """The tournament takes no entries any more; its players may enter the next one."""
    return replace(
        book,
        next=max(book.next, number + 1),
        tournaments=tuple(one for one in book.tournaments if one.number != number),
    ), None


def reconciled(
    book: RegistrationBook | None, entered: Sequence[TournamentEntries], *, last_number: int, now_ms: int
) -> RegistrationBook:
    """The book as the ledger says it must be; None where it was lost.

    `entered` are all tournaments that take entries, `last_number` is that of the last one there ever was. Of the old
    book only what the ledger cannot know yet is kept: holds that are not over, where there is room for them, and
    tournaments that are not opened yet.
    """
    old = _without_expired(book or RegistrationBook(), now_ms)
    merged = []
    for truth in sorted(entered, key=lambda one: one.number):
        before = old.numbered(truth.number)
        confirmed = [
            RegistrationSeat(account=account, entry=entry, held_until_ms=None)
            for account, entry in truth.entries.items()
        ]
        holds = [
            seat
            for seat in (() if before is None else before.taken)
            if seat.account not in truth.entries
            and seat.entry > truth.used.get(seat.account, 0)
            and seat.held_until_ms is not None
        ]
        used = dict(truth.used) if before is None else {**before.used, **truth.used}
        for seat in holds:
            used[seat.account] = max(used.get(seat.account, 0), seat.entry)
        merged.append(
            Registering(
                number=truth.number,
                seats=truth.seats,
                opened=True,
                taken=tuple([*confirmed, *holds][: max(truth.seats, len(confirmed))]),
                used=used,
            )
        )
    merged += [one for one in old.tournaments if one.number > last_number and one.taken]
    return RegistrationBook(next=max(old.next, last_number + 1), tournaments=tuple(merged))


def has_expired(book: RegistrationBook, now_ms: int) -> bool:
    """Whether a hold is over that was neither confirmed nor released: the ledger should be asked what became of it."""
    return _without_expired(book, now_ms) != book


def to_bytes(book: RegistrationBook) -> bytes:
    """For a store."""
    return msgspec.msgpack.encode(book)


def from_bytes(stored: bytes) -> RegistrationBook:
    """From `to_bytes`. Raises msgspec.DecodeError for anything else."""
    return msgspec.msgpack.decode(stored, type=RegistrationBook)


def _held(one: Registering, seat: RegistrationSeat) -> SeatHold:
    return SeatHold(
        number=one.number, entry=seat.entry, confirmed=seat.held_until_ms is None, opened=one.opened
    )


def _seated(one: Registering, seat: RegistrationSeat) -> Registering:
    """With this seat instead of the account's last one, in its place, or behind the others."""
    taken = tuple(seat if other.account == seat.account else other for other in one.taken)
    if one.seat_of(seat.account) is None:
        taken = (*taken, seat)
    used = max(seat.entry, one.used.get(seat.account, 0))
    return replace(one, taken=taken, used={**one.used, seat.account: used})


def _with(book: RegistrationBook, one: Registering) -> RegistrationBook:
    others = [other for other in book.tournaments if other.number != one.number]
    return replace(book, tournaments=tuple(sorted([*others, one], key=lambda other: other.number)))


def _without_expired(book: RegistrationBook, now_ms: int) -> RegistrationBook:
    return replace(
        book,
        tournaments=tuple(
            replace(
                one,
                taken=tuple(
                    seat for seat in one.taken if seat.held_until_ms is None or seat.held_until_ms > now_ms
                ),
            )
            for one in book.tournaments
        ),
    )
