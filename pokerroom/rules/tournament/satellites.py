"""Satellites: tournaments that pay seats in another tournament, and the tickets for them (L14)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pokerroom.chips import Money
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.seat_draw import RandomNumbers, shuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """An entry to the tournaments of an offer, worth their whole buy-in. It belongs to one account for good [D].

    `expires_ms` is in milliseconds since 1970.
    """

    offer: str
    value: Money
    expires_ms: int

    def check(self, offer: str, buy_in: int, now_ms: int) -> None:
        """Raise TournamentRefusal unless the ticket pays the entry now.

        Codes: `ticket_of_another_offer`, `ticket_of_another_value`, `ticket_expired`.
        """
        if offer != self.offer:
            raise TournamentRefusal("ticket_of_another_offer")
        if buy_in != self.value:
            raise TournamentRefusal("ticket_of_another_value")
        if now_ms >= self.expires_ms:
            raise TournamentRefusal("ticket_expired")


@dataclass(frozen=True, slots=True, kw_only=True)
class SatellitePrizes:
    """What a satellite pays: `seats` of `seat_value` each, and the money that is left over.

    `overlay` is what the house adds for the seats that it has guaranteed.
    """

    seats: int
    seat_value: Money
    rest: Money
    overlay: Money

    def money(self, players: int) -> tuple[Money, ...]:
        """Return the money by place, the best place first: what is left goes to the first place without a seat.

        Without any seat the winner has it all. Where each of the `players` has a seat they share it equally, and odd
        units go one each to the best places.
        """
        if self.seats < players:
            return (*[Money(0)] * self.seats, self.rest)
        each, odd = divmod(self.rest, players)
        return tuple(Money(each + (place < odd)) for place in range(players))

    def prizes(self, players: int) -> tuple[Money, ...]:
        """Return what each place is worth, the best place first: its seat, if it has one, and its money."""
        worth = [
            Money(money + self.seat_value * (place < self.seats))
            for place, money in enumerate(self.money(players))
        ]
        return tuple(amount for amount in worth if amount)


def satellite_prizes(pool: int, *, seat_value: int, players: int, guaranteed: int = 0) -> SatellitePrizes:
    """Return the seats of a pool: as many as it pays or as are guaranteed, and no more than players are left.

    `players` are those left as the entries close. Raises ValueError unless a seat is worth at least 1.
    """
    if seat_value < 1 or pool < 0 or players < 1 or guaranteed < 0:
        raise ValueError("a seat is worth at least 1, and no number is negative")
    seats = min(max(pool // seat_value, guaranteed), players)
    overlay = max(0, seats * seat_value - pool)
    return SatellitePrizes(
        seats=seats,
        seat_value=Money(seat_value),
        rest=Money(pool + overlay - seats * seat_value),
        overlay=Money(overlay),
    )


def last_seats(
    order: Sequence[tuple[int, ...]], seats: int, numbers: RandomNumbers
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Return the accounts that win the last `seats` (>= 0), and the groups that win none, the best place first.

    `order` are the accounts that went out in the hand that ended the satellite, the best place first, as
    `places.bust_order` groups them: the larger stack at the hand's start has the seat. Of equal stacks a draw decides;
    those who lose it share the money of their places.
    """
    winners, without = list[int](), list[tuple[int, ...]]()
    for tied in order:
        left = seats - len(winners)
        if left >= len(tied):
            winners += tied
        elif left > 0:
            drawn = shuffled(tied, numbers)
            winners += drawn[:left]
            without.append(tuple(account for account in tied if account in drawn[left:]))
        else:
            without.append(tied)
    return tuple(winners), without
