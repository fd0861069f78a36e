"""Tournaments for tests, and a way to play them to the end without cards."""

import itertools

from hypothesis import strategies as st

from pokerroom.chips import Chips, Money
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level
from pokerroom.rules.tournament.state import Tournament, TournamentTerms

SIX = (Money(1_000), Money(440))
TEN = (Money(1_200), Money(700), Money(500))


def counting(count):
    """A source of bytes for a draw: 0, 1, 2 and so on."""
    return bytes(range(count))


def schedule(*lengths, unit=LengthUnit.hands, breaks=()):
    """Levels of these lengths, the blinds doubling; `breaks` are in milliseconds, in the order of the levels."""
    return BlindSchedule(
        levels=tuple(
            Level(
                stakes=Stakes(small_blind=10 * 2**n, big_blind=20 * 2**n),
                structure=NoLimit(),
                length=length,
                break_ms=break_ms,
            )
            for n, (length, break_ms) in enumerate(itertools.zip_longest(lengths, breaks, fillvalue=0))
        ),
        unit=unit,
    )


def terms(seats=6, prizes=SIX, *, levels=None, buy_in=300, fee=60, stack=1_500, table_seats=0):
    """Those of the seed's six players, unless told otherwise."""
    return TournamentTerms(
        seats=seats,
        table_seats=table_seats,
        buy_in=Money(buy_in),
        fee=Money(fee),
        starting_stack=Chips(stack),
        schedule=levels or schedule(10, 10, 10),
        prizes=prizes,
    )


def full(of=None):
    """All have come: accounts 101, 102 and so on."""
    found = of or terms()
    return Tournament(terms=found, registered=tuple(range(101, 101 + found.seats)))


def started(of=None):
    """It has begun; the seats are drawn from the same bytes every time."""
    return rules.start(full(of), counting)


def dealt(tournament):
    return rules.deal(tournament, 1)


def with_stacks(tournament, stacks):
    """After one more hand with these stacks by seat."""
    return rules.finish_hand(dealt(tournament), 1, stacks)


def stacks_of(tournament):
    return {player.seat: player.chips for player in tournament.players if player.chips}


@st.composite
def any_terms(draw):
    """Any number of seats, any pool, and any prize table of it."""
    seats = draw(st.integers(2, 10))
    buy_in = draw(st.integers(2, 10_000))
    fee = draw(st.integers(0, buy_in - 1))
    pool = seats * (buy_in - fee)
    places = draw(st.integers(1, min(seats, pool)))
    cuts = sorted(draw(st.lists(st.integers(0, pool - places), min_size=places - 1, max_size=places - 1)))
    parts = [b - a + 1 for a, b in itertools.pairwise([0, *cuts, pool - places])]
    prizes = tuple(Money(part) for part in sorted(parts, reverse=True))
    stack = draw(st.integers(1, 50))
    return terms(seats, prizes, buy_in=buy_in, fee=fee, stack=stack)


def outcome(draw, tournament):
    """Any result of the hand in progress: any chips to anybody, so that any number may go out, and tie."""
    order = tournament.table(1).hand.plan.order
    total = sum(player.chips for player in tournament.players)
    winners = draw(st.lists(st.sampled_from(order), min_size=1, max_size=len(order), unique=True))
    odd = total - len(winners) * (total // len(winners))
    if draw(st.booleans()):  # equal stacks, which tie later on
        shares = [total // len(winners)] * len(winners)
        shares[0] += odd
    else:
        cuts = sorted(
            draw(st.lists(st.integers(0, total), min_size=len(winners) - 1, max_size=len(winners) - 1))
        )
        shares = [b - a for a, b in itertools.pairwise([0, *cuts, total])]
    return {**dict.fromkeys(order, 0), **dict(zip(winners, shares, strict=True))}
