"""Between hands: where the button and the blinds go, which players are dealt in, and what each owes (B1-B8).

This module is pure: seats in, a plan out. It knows seats by number (clockwise is upwards, round to the lowest), not
their players, cards or chips. Cash tables and tournaments both use it.

In every hand the big blind moves to the next seat that can take it. The rest follows from its last seat: the small
blind moves to the last big blind's seat, the button to the last small blind's (dead button, B3), also where those seats
are empty by now. A *debtor* owes for blinds that they did not post, as a newcomer (B7) or after sitting out (B8). A
debtor pays by posting, or waits until the big blind reaches the seat. A *mover* came to the table of a tournament late
or from another table: they owe nothing, and wait only where the seat would give them a hand for free (L6).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pokerroom.rules.events import PostKind
from pokerroom.rules.planned_hand import HandPlan, Positions, Post
from pokerroom.rules.stakes import Stakes


class Owes(StrEnum):
    """What a player owes before they are dealt in again."""

    nothing = "nothing"
    newcomer = "newcomer"
    """A live big blind, unless the player waits for the big blind (B7)."""
    big_blind = "big_blind"
    """The player missed the big blind, and posts it live (B8)."""
    both = "both"
    """The player missed both blinds, and posts a live big blind and a dead small one (B8)."""
    small_blind = "small_blind"
    """The player missed the small blind only, and posts it dead (B8)."""
    moved = "moved"
    """A mover of a tournament who came late or from a broken table: waits between button and small blind (L6)."""
    balanced = "balanced"
    """A mover who came to balance the tables: waits there as well, and does not come in as the small blind (L6)."""


_MOVERS: Final = frozenset({Owes.moved, Owes.balanced})
# Reading an enum's member takes several times as long as reading a name of this module.
_BIG_BLIND_OWED: Final = frozenset({Owes.big_blind, Owes.both})
_SMALL_BLIND_OWED: Final = frozenset({Owes.small_blind, Owes.both})
_LIVE_POST_OWED: Final = frozenset({Owes.newcomer, Owes.big_blind, Owes.both})
_NOTHING: Final = Owes.nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A seat with chips that is sitting in."""

    seat: int
    owes: Owes = Owes.nothing
    posts_now: bool = False
    """Whether a debtor posts at once instead of waiting for the big blind."""
    straddles: bool = False
    """Whether the player straddles when first left of the big blind."""


def plan_hand(
    previous: Positions | None,
    candidates: Sequence[Candidate],
    seats_max: int,
    stakes: Stakes,
    *,
    first_button: int | None = None,
    moving_button: bool = False,
) -> HandPlan | None:
    """Return the plan of the next hand, or None while fewer than two players sit in.

    `previous` are the positions of the last hand. It is None at a table's first hand: no player owes anything, and
    `first_button` (the first to sit down, B1) has the button. `moving_button` moves the button to the next player in
    every hand, so that blinds can be missed (RRP 4-2), instead of leaving it dead (B3); movers (L6) are not for it.

    Where the stakes have a straddle, the first player left of the big blind may make it: a live bet that acts last
    pre-flop (B6). At least three are dealt in then, and the straddler owes nothing else [D].
    """
    if len(candidates) < 2:
        return None
    debts = {candidate.seat: candidate.owes for candidate in candidates}
    ring = _Ring(seats_max)
    fresh = [seat for seat, owes in debts.items() if owes is _NOTHING]
    posting = [candidate.seat for candidate in candidates if candidate.posts_now]
    if previous is None:
        positions, dealt = _first(ring, list(debts), first_button)
        plan = _plan(ring, positions, dealt, dict.fromkeys(debts, Owes.nothing), stakes)
        return _straddled(plan, candidates, stakes)
    if not moving_button or len(fresh) < 3:
        found = _dead_button(ring, previous, debts, fresh, posting)
    else:
        found = _moving_button(ring, previous, list(debts), fresh, posting)
    positions, dealt = found or _restart(ring, previous, list(debts))
    plan = _plan(ring, positions, dealt, debts, stakes, forgiven=found is None)
    return _straddled(plan, candidates, stakes)


def next_big_blind(
    previous: Positions | None, seats: Iterable[int], seats_max: int, *, first_button: int
) -> int:
    """Return the seat that has the big blind in the next hand, with the dead button (B3).

    `seats` (at least one) are those of the players. See `plan_hand` for `previous` and `first_button`.
    """
    ring, playing = _Ring(seats_max), list(seats)
    if previous is None and len(playing) > 1:
        return _first(ring, playing, first_button)[0].big_blind
    return ring.next(first_button if previous is None else previous.big_blind, playing)


def missed_blinds(
    previous: Positions, plan: Positions, absent: Sequence[tuple[int, Owes]], seats_max: int
) -> dict[int, Owes]:
    """Return what seats that sit out owe once the blinds have moved past them. Each comes with its debt so far.

    Newcomers and movers stay what they are. A seat that the big blind passed owes it. A seat that the small blind
    reached or passed owes the small blind.
    """
    ring = _Ring(seats_max)
    owed = {}
    for seat, owes in absent:
        big = owes in _BIG_BLIND_OWED or ring.between(previous.big_blind, seat, plan.big_blind)
        small = (
            owes in _SMALL_BLIND_OWED
            or seat == previous.big_blind  # the small blind was due there, wherever it went instead
            or ring.between(_small_blind_seat(previous), seat, _small_blind_seat(plan))
        )
        if owes is not Owes.newcomer and owes not in _MOVERS:
            owes = _DEBT[big, small]  # noqa: PLW2901 -- the debt after this hand
        owed[seat] = owes
    return owed


_DEBT = {
    (False, False): Owes.nothing,
    (True, False): Owes.big_blind,
    (False, True): Owes.small_blind,
    (True, True): Owes.both,
}


class _Ring:
    """Seats round a table; clockwise is upwards."""

    __slots__ = ("seats",)

    def __init__(self, seats: int) -> None:
        self.seats = seats

    def distance(self, start: int, seat: int) -> int:
        """Return the steps clockwise from `start` to `seat`: 0 for the same seat."""
        return (seat - start) % self.seats

    def next(self, start: int, seats: Iterable[int]) -> int:
        """Return the first of `seats` clockwise after `start`; `start` itself comes last."""
        return min(seats, key=lambda seat: self.distance(start + 1, seat))

    def last(self, start: int, seats: Iterable[int]) -> int:
        """Return the first of `seats` counter-clockwise before `start`; `start` itself comes last."""
        return min(seats, key=lambda seat: self.distance(seat, start - 1))

    def between(self, start: int, seat: int, end: int) -> bool:
        """Return whether `seat` lies clockwise between `start` and `end`, both excluded."""
        return 0 < self.distance(start, seat) < self.distance(start, end)

    def ordered(self, start: int, seats: Iterable[int]) -> list[int]:
        """Return the seats clockwise from the first after `start`; `start` itself comes last."""
        return sorted(seats, key=lambda seat: self.distance(start + 1, seat))


_Found = tuple[Positions, list[int]]


def _first(ring: _Ring, seats: list[int], first_button: int | None) -> _Found:
    """B1: the first to sit down has the button, or the next player where that seat is not dealt in."""
    button = ring.next((seats[0] if first_button is None else first_button) - 1, seats)
    if len(seats) == 2:
        return _heads_up(ring, ring.next(button, seats), seats)
    small_blind = ring.next(button, seats)
    big_blind = ring.next(small_blind, seats)
    return Positions(button=button, small_blind=small_blind, big_blind=big_blind), seats


def _heads_up(ring: _Ring, big_blind: int, seats: list[int]) -> _Found:
    """B4: the other player has the button and the small blind."""
    button = ring.next(big_blind, seats)
    return Positions(button=button, small_blind=button, big_blind=big_blind), seats


def _dead_button(
    ring: _Ring, previous: Positions, debts: dict[int, Owes], fresh: list[int], posting: list[int]
) -> _Found | None:
    """The dead button (B3), or heads-up with two players (B4). None for too few players: then the game restarts."""
    movers = {seat: owes for seat, owes in debts.items() if owes in _MOVERS}
    small_blind_seat = previous.big_blind
    # As `next_big_blind`: players who wait take it, so all count.
    big_blind = ring.next(small_blind_seat, debts)
    button = _small_blind_seat(previous)
    # The old small blind seat is no longer behind the new one when heads-up has ended, or when only the
    # seats between the blinds are left. Then the player before the small blind has the button [D].
    in_order = ring.between(button, small_blind_seat, big_blind)
    if in_order:
        # A player without debts who returns between the two (heads-up had passed that seat) has it as well [D].
        button = ring.last(
            small_blind_seat,
            [button, *[seat for seat in fresh if ring.between(button, seat, small_blind_seat)]],
        )
    elif movers:
        button = _button_before(ring, small_blind_seat, big_blind, fresh, movers)
    dealt = []
    for seat in debts:
        waiting_seat = seat == small_blind_seat or (in_order and ring.between(button, seat, big_blind))
        if (
            seat == big_blind
            or seat in fresh
            or (seat in posting and not waiting_seat)  # B7
            or (seat in movers and not _waits(ring, button, small_blind_seat, seat, movers[seat]))
        ):
            dealt.append(seat)
    if not (fresh or movers) or len(dealt) < 2:
        return None
    if len(dealt) == 2:
        return _heads_up(ring, big_blind, dealt)
    positions = Positions(
        button=button if in_order or movers else ring.last(small_blind_seat, dealt),
        small_blind=small_blind_seat if small_blind_seat in dealt else None,
        big_blind=big_blind,
        small_blind_seat=small_blind_seat,
    )
    return positions, dealt


def _waits(ring: _Ring, button: int, small_blind_seat: int, seat: int, owes: Owes) -> bool:
    """L6: no hand between the button and the small blind, nor as the small blind after a move for balance."""
    if seat == small_blind_seat:
        return owes is Owes.balanced
    return ring.between(button, seat, small_blind_seat)


def _button_before(
    ring: _Ring, small_blind_seat: int, big_blind: int, fresh: list[int], movers: dict[int, Owes]
) -> int:
    """L6 [D]: a mover has the button only where no other player sits behind the big blind and before the small one."""
    blinds = {small_blind_seat, big_blind}
    behind = [seat for seat in fresh if seat not in blinds] or [seat for seat in movers if seat not in blinds]
    return ring.last(small_blind_seat, behind or blinds)


def _moving_button(
    ring: _Ring, previous: Positions, seats: list[int], fresh: list[int], posting: list[int]
) -> _Found:
    """RRP 4-2, with three or more players without debts; else the dead button applies (B3).

    The button goes to the next player, but passes players who came back behind the blinds: the big blind never
    goes back round the table, nor twice to the same player [D].
    """
    ways = []
    for button in ring.ordered(previous.button, fresh):
        small_blind = ring.next(button, fresh)
        big_blind = ring.next(small_blind, seats)
        ways.append(Positions(button=button, small_blind=small_blind, big_blind=big_blind))
    paid = ring.distance(previous.button, previous.big_blind)
    forward = [way for way in ways if not 0 < ring.distance(previous.button, way.big_blind) <= paid]
    # Where all players left sit behind the last big blind, at least another player has it.
    positions = (forward or [way for way in ways if way.big_blind != previous.big_blind])[0]
    dealt = [
        seat
        for seat in seats
        if seat == positions.big_blind
        or seat in fresh
        or (seat in posting and not ring.between(positions.button, seat, positions.big_blind))
    ]
    return positions, dealt


def _restart(ring: _Ring, previous: Positions, seats: list[int]) -> _Found:
    """Too few players are without debts: all are dealt in, and debts are forgiven [D].

    The big blind still moves on, so that no player posts it in two hands running.
    """
    big_blind = ring.next(previous.big_blind, seats)
    if len(seats) == 2:
        return _heads_up(ring, big_blind, seats)
    small_blind = ring.last(big_blind, seats)
    button = ring.last(small_blind, seats)
    return Positions(button=button, small_blind=small_blind, big_blind=big_blind), seats


def _plan(
    ring: _Ring,
    positions: Positions,
    dealt: list[int],
    debts: dict[int, Owes],
    stakes: Stakes,
    *,
    forgiven: bool = False,
) -> HandPlan:
    order = tuple(ring.ordered(positions.button, dealt))
    ante_alone = Post(ante=stakes.ante, blind=0, blind_kind=None, dead=0)
    posts = dict.fromkeys(order, ante_alone)
    for seat in order:
        ante, blind, kind, dead = stakes.ante, 0, None, 0
        if seat == positions.big_blind:
            ante += stakes.big_blind_ante
            blind, kind = stakes.big_blind, PostKind.big_blind
        elif seat == positions.small_blind:
            # Heads-up a debtor may come in here: both post in every hand, so no player plays for free [D].
            blind, kind = stakes.small_blind, PostKind.small_blind
        elif not forgiven:
            if debts[seat] in _LIVE_POST_OWED:
                blind, kind = stakes.big_blind, PostKind.live_post
            if debts[seat] in _SMALL_BLIND_OWED:
                dead = stakes.small_blind
        if ante != stakes.ante or blind or dead:
            kind = kind if blind else None
            posts[seat] = Post(ante=ante, blind=blind, blind_kind=kind, dead=dead)
    return HandPlan(
        positions=positions,
        order=order,
        posts=posts,
        last_blind=order.index(positions.big_blind),
        settled=frozenset(seat for seat in order if debts[seat] is not _NOTHING),
    )


def _straddled(plan: HandPlan, candidates: Sequence[Candidate], stakes: Stakes) -> HandPlan:
    """Return the plan with the straddle of the player under the gun, if there is one."""
    if not stakes.straddle or len(plan.order) < 3:
        return plan
    index = (plan.last_blind + 1) % len(plan.order)
    seat = plan.order[index]
    post = plan.posts[seat]
    wishes = any(candidate.straddles for candidate in candidates if candidate.seat == seat)
    if not wishes or post.blind or post.dead:
        return plan
    straddle = replace(post, blind=stakes.straddle, blind_kind=PostKind.straddle)
    return replace(plan, posts={**plan.posts, seat: straddle}, last_blind=index)


def _small_blind_seat(positions: Positions) -> int:
    if positions.small_blind_seat is None:
        raise ValueError("a dead small blind still has a seat")
    return positions.small_blind_seat
