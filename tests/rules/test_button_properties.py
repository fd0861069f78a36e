"""B3, B4, B7: what must hold over many hands while players come, go, sit out and come back."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.button import Candidate, Owes, missed_blinds, plan_hand
from pokerroom.rules.events import PostKind
from pokerroom.rules.planned_hand import HandPlan, Positions
from pokerroom.rules.stakes import Stakes
from tests.effort import times

SEATS = 9
STAKES = Stakes(small_blind=5, big_blind=10)


@dataclass
class SeatedPlayer:
    """A taken seat."""

    owes: Owes
    posts_now: bool
    sits_in: bool = True


class Room:
    """A cash table as far as blinds go, as the table actor keeps it."""

    def __init__(self) -> None:
        self.seats: dict[int, SeatedPlayer] = {}
        self.previous: Positions | None = None

    def happens(self, seat: int, posts_now: bool) -> None:
        """A seat's next step: sit down, sit out, come back; and leave, if it would post at once."""
        player = self.seats.get(seat)
        if player is None:
            self.seats[seat] = SeatedPlayer(owes=Owes.newcomer, posts_now=posts_now)
        elif player.sits_in and posts_now:
            del self.seats[seat]
        else:
            player.sits_in = not player.sits_in
            player.posts_now = posts_now

    def candidates(self) -> list[Candidate]:
        return [
            Candidate(seat=seat, owes=player.owes, posts_now=player.posts_now)
            for seat, player in sorted(self.seats.items())
            if player.sits_in
        ]

    def deal(self, *, moving_button: bool = False) -> HandPlan | None:
        plan = plan_hand(
            self.previous, self.candidates(), SEATS, STAKES, first_button=0, moving_button=moving_button
        )
        if plan is None:
            return None
        if self.previous is not None:
            absent = [(seat, player.owes) for seat, player in self.seats.items() if not player.sits_in]
            for seat, owes in missed_blinds(self.previous, plan.positions, absent, SEATS).items():
                self.seats[seat].owes = owes
        for seat in plan.order:
            self.seats[seat].owes = Owes.nothing
        self.previous = plan.positions
        return plan


def clockwise(start: int, seat: int) -> int:
    return (seat - start) % SEATS


def check_plan(plan: HandPlan, candidates: list[Candidate], previous: Positions | None) -> None:
    """What holds for every hand, whichever button is played."""
    positions = plan.positions
    owes = {candidate.seat: candidate.owes for candidate in candidates}
    assert len(plan.order) >= 2
    assert set(plan.order) == set(plan.posts) <= set(owes)
    assert list(plan.order) == sorted(plan.order, key=lambda seat: clockwise(positions.button + 1, seat))
    assert plan.order[plan.last_blind] == positions.big_blind
    kinds = [post.blind_kind for post in plan.posts.values()]
    assert kinds.count(PostKind.big_blind) == 1
    assert plan.posts[positions.big_blind].blind_kind is PostKind.big_blind
    assert kinds.count(PostKind.small_blind) == (positions.small_blind is not None)
    for post in plan.posts.values():
        assert (post.blind > 0) == (post.blind_kind is not None)
    if len(plan.order) == 2:
        # B4: the other has the button and the small blind, and is dealt last.
        assert plan.order == (positions.big_blind, positions.button)
        assert positions.small_blind == positions.button
    else:
        assert positions.button != positions.big_blind
        if positions.small_blind is not None:
            assert plan.order[:2] == (positions.small_blind, positions.big_blind)
        else:
            assert plan.order[0] == positions.big_blind
    if previous is not None:
        assert plan.settled == {seat for seat in plan.order if owes[seat] is not Owes.nothing}
        # No player who owes nothing is left out of a hand.
        assert {seat for seat, debt in owes.items() if debt is Owes.nothing} <= set(plan.order)


def check_big_blind(plan: HandPlan, candidates: list[Candidate], previous: Positions) -> None:
    """B3, B4: the big blind goes to the next who sits in: no player repeats it, no player skips it."""
    assert plan.positions.big_blind != previous.big_blind
    passed = clockwise(previous.big_blind, plan.positions.big_blind)
    for candidate in candidates:
        assert not 0 < clockwise(previous.big_blind, candidate.seat) < passed


def check_newcomers(plan: HandPlan, candidates: list[Candidate]) -> None:
    """B7, B8: with others in the game, a player who owes comes in by the big blind or by posting what they owe."""
    positions = plan.positions
    came_in = [candidate for candidate in candidates if candidate.seat in plan.settled]
    posts = [plan.posts[candidate.seat] for candidate in came_in]
    if len(plan.order) == 2:
        return
    if any(not post.blind and not post.dead for post in posts):
        # The game restarted: then there was one at most who owed nothing, and all come in.
        assert len(candidates) - len(came_in) <= 1
        assert len(plan.order) == len(candidates)
        return
    for candidate in came_in:
        seat, post = candidate.seat, plan.posts[candidate.seat]
        if seat in {positions.big_blind, positions.small_blind}:
            continue
        assert candidate.posts_now
        assert (post.blind, post.dead) == {
            Owes.newcomer: (10, 0),
            Owes.big_blind: (10, 0),
            Owes.both: (10, 5),
            Owes.small_blind: (0, 5),
        }[candidate.owes]
        between = clockwise(positions.button, seat) < clockwise(positions.button, positions.big_blind)
        assert seat == positions.button or not between


happenings = st.lists(
    st.lists(st.tuples(st.integers(0, SEATS - 1), st.booleans()), max_size=3), min_size=1, max_size=40
)


@settings(max_examples=times(75), deadline=None)
@given(happenings=happenings, start=st.sets(st.integers(0, SEATS - 1), min_size=2, max_size=6))
def test_b3_dead_button(happenings, start):
    """B3, B4, B7: no player repeats or skips the big blind, and no player comes in for free."""
    room = Room()
    for seat in start:
        room.happens(seat, posts_now=False)
    for happening in happenings:
        for seat, posts_now in happening:
            room.happens(seat, posts_now)
        candidates, previous = room.candidates(), room.previous
        plan = room.deal()
        if plan is None:
            assert len(candidates) < 2
            continue
        check_plan(plan, candidates, previous)
        if previous is not None:
            check_big_blind(plan, candidates, previous)
            check_newcomers(plan, candidates)


@settings(max_examples=times(75), deadline=None)
@given(happenings=happenings, start=st.sets(st.integers(0, SEATS - 1), min_size=2, max_size=6))
def test_b3_moving_button(happenings, start):
    """B3 [D], B4, B7: a moving button is with a player; no player repeats the big blind or comes in for free."""
    room = Room()
    for seat in start:
        room.happens(seat, posts_now=True)
    for happening in happenings:
        for seat, posts_now in happening:
            room.happens(seat, posts_now)
        candidates, previous = room.candidates(), room.previous
        plan = room.deal(moving_button=True)
        if plan is None:
            continue
        check_plan(plan, candidates, previous)
        if previous is not None:
            assert plan.positions.big_blind != previous.big_blind
            check_newcomers(plan, candidates)
            fresh = [candidate.seat for candidate in candidates if candidate.owes is Owes.nothing]
            if len(fresh) >= 3:
                assert plan.positions.button in fresh
                assert plan.positions.small_blind in fresh


@settings(max_examples=times(40), deadline=None)
@given(stays=st.sets(st.integers(0, SEATS - 1), min_size=3), hands=st.integers(1, 40))
def test_b3_moving_button_alone_is_the_dead_button(stays, hands):
    """B3: while no player comes or goes, a moving button goes where a dead one does."""
    candidates = [Candidate(seat=seat) for seat in sorted(stays)]
    moving = dead = None
    for _ in range(hands):
        one = plan_hand(moving, candidates, SEATS, STAKES, first_button=0, moving_button=True)
        other = plan_hand(dead, candidates, SEATS, STAKES, first_button=0)
        assert one == other
        moving, dead = one.positions, other.positions


@settings(max_examples=100, deadline=None)
@given(
    stays=st.sets(st.integers(0, SEATS - 1), min_size=3),
    goes=st.lists(st.integers(0, SEATS - 1), max_size=30),
)
def test_b3_everyone_pays_their_round(stays, goes):
    """B3: over the hands of a sit-and-go, each who is still in posts the big blind once an orbit."""
    left = sorted(stays)
    previous = None
    posted: dict[int, int] = {}
    for hand, gone in enumerate([-1] * 5 + goes):
        if gone in left and len(left) > 2:
            left.remove(gone)
        plan = plan_hand(
            previous, [Candidate(seat=seat) for seat in left], SEATS, STAKES, first_button=left[0]
        )
        assert plan is not None
        previous = plan.positions
        big_blind = previous.big_blind
        # At most as many hands lie between two big blinds of a player as there are players; at least one.
        if big_blind in posted:
            assert 2 <= hand - posted[big_blind] <= len(stays)
        posted[big_blind] = hand
