"""B1-B8: button and blinds from one hand to the next."""

import msgspec
import pytest

from pokerroom.rules.button import Candidate, Owes, missed_blinds, plan_hand
from pokerroom.rules.events import PostKind
from pokerroom.rules.planned_hand import HandPlan, Positions, Post
from pokerroom.rules.stakes import Stakes
from tests.rules.playing import hand

STAKES = Stakes(small_blind=50, big_blind=100)
SEATS = 9


def sit(*seats, **owes):
    """Candidates: plain seats owe nothing; `s5="both"` owes, `s5="both!"` owes and posts now."""
    return [Candidate(seat=seat) for seat in seats] + [
        Candidate(seat=int(name[1:]), owes=Owes(debt.rstrip("!")), posts_now=debt.endswith("!"))
        for name, debt in owes.items()
    ]


def plan(previous, candidates, **options) -> HandPlan:
    found = plan_hand(previous, candidates, SEATS, options.pop("stakes", STAKES), **options)
    assert found is not None
    return found


def places(found: HandPlan) -> tuple[int, int | None, int]:
    return found.positions.button, found.positions.small_blind, found.positions.big_blind


def after(button, small_blind, big_blind, small_blind_seat=None) -> Positions:
    return Positions(
        button=button, small_blind=small_blind, big_blind=big_blind, small_blind_seat=small_blind_seat
    )


class TestFirstHand:
    def test_b1_first_sitter(self):
        """B1: the first to sit gets the button; no player owes at the first hand."""
        first = plan(None, sit(1, 7, s4="newcomer"), first_button=4)

        assert places(first) == (4, 7, 1)
        assert first.order == (7, 1, 4)
        assert first.last_blind == 1
        assert first.posts[4] == Post(ante=0, blind=0, blind_kind=None, dead=0)

    def test_b1_first_sitter_gone(self):
        """B1: where the first sitter does not play, the button is the next player's."""
        assert places(plan(None, sit(1, 5, 7), first_button=4)) == (5, 7, 1)

    def test_b1_heads_up(self):
        """B1, B4: with two the first sitter has button and small blind."""
        first = plan(None, sit(2, 6), first_button=6)

        assert places(first) == (6, 6, 2)
        assert first.order == (2, 6)
        assert first.posts[2] == Post(ante=0, blind=100, blind_kind=PostKind.big_blind, dead=0)
        assert first.posts[6] == Post(ante=0, blind=50, blind_kind=PostKind.small_blind, dead=0)

    @pytest.mark.parametrize("previous", [None, after(1, 2, 3)])
    @pytest.mark.parametrize("seats", [(), (3,)])
    def test_too_few(self, previous, seats):
        """No hand is dealt to fewer than two."""
        assert plan_hand(previous, sit(*seats), SEATS, STAKES) is None

    def test_b9_antes(self):
        """B9: everyone owes the ante, the big blind the big-blind ante as well."""
        stakes = Stakes(small_blind=50, big_blind=100, ante=10, big_blind_ante=100)
        first = plan(None, sit(1, 2, 3), first_button=1, stakes=stakes)

        assert [first.posts[seat].ante for seat in (1, 2, 3)] == [10, 10, 110]


class TestDeadButton:
    def test_b3_ordinary(self):
        """B3: all three move one seat on, round the table."""
        second = plan(after(7, 8, 0), sit(0, 3, 7, 8))

        assert places(second) == (8, 0, 3)
        assert second.order == (0, 3, 7, 8)
        assert second.last_blind == 1
        assert second.settled == frozenset()

    def test_b3_small_blind_gone(self):
        """B3: the button rests on the empty small blind seat."""
        second = plan(after(1, 2, 3), sit(1, 3, 4, 5))

        assert places(second) == (2, 3, 4)
        assert second.order == (3, 4, 5, 1)

    def test_b3_big_blind_gone(self):
        """B3: an empty small blind seat posts nothing, and the button rests on it in the next hand."""
        second = plan(after(1, 2, 3), sit(1, 2, 4, 5))
        assert places(second) == (2, None, 4)
        assert second.positions.small_blind_seat == 3
        assert second.order == (4, 5, 1, 2)
        assert second.last_blind == 0

        third = plan(second.positions, sit(1, 2, 4, 5))
        assert places(third) == (3, 4, 5)

    def test_b3_both_blinds_gone(self):
        """B3: with both blinds gone, the button is dead and there is no small blind."""
        assert places(plan(after(1, 2, 3), sit(1, 4, 5))) == (2, None, 4)

    def test_b3_a_dead_small_blind_has_a_seat(self):
        """B3: positions without a small blind name its seat, or the next button would be unknown."""
        with pytest.raises(ValueError, match="seat"):
            Positions(button=1, small_blind=None, big_blind=3)

    def test_b3_moving_button(self):
        """B3 [D], RRP 4-2: a moving button always goes to a player, and a blind may be skipped."""
        assert places(plan(after(1, 2, 3), sit(1, 3, 4, 5), moving_button=True)) == (3, 4, 5)

    def test_b3_moving_button_passes_a_player_who_came_back_behind_the_blinds(self):
        """B3 [D]: players back between button and blinds do not make anybody post the big blind again."""
        assert places(plan(after(1, 3, 4), sit(1, 2, 3, 4, 5), moving_button=True)) == (3, 4, 5)
        assert places(plan(after(1, 4, 5), sit(1, 2, 3, 4, 5), moving_button=True)) == (4, 5, 1)

    def test_b3_moving_button_where_all_are_behind_the_blind(self):
        """B3 [D]: with no player beyond the last big blind, another player than its owner has it."""
        assert places(plan(after(1, 2, 5), sit(2, 3, 5), moving_button=True)) == (3, 5, 2)
        assert places(plan(after(0, 1, 4), sit(1, 2, 3), moving_button=True)) == (1, 2, 3)

    def test_b3_moving_button_with_two_players_without_debts(self):
        """B3: the dead button applies to two, not to three; a player who owes the big blind waits for it."""
        two = plan(after(1, 2, 3), sit(1, 4, s0="big_blind"), moving_button=True)

        assert places(two) == (1, 1, 4)
        assert places(plan(after(1, 2, 3), sit(1, 3, 4), moving_button=True)) == (3, 4, 1)

    def test_b3_moving_button_newcomers(self):
        """B7: with a moving button, too, no player comes in between the button and the big blind."""
        second = plan(after(1, 2, 4), sit(1, 2, 4, 8, s3="newcomer!", s0="newcomer!"), moving_button=True)

        assert places(second) == (2, 4, 8)
        assert second.order == (4, 8, 0, 1, 2)


class TestHeadsUp:
    @pytest.mark.parametrize(("gone", "places_after"), [(1, (3, 3, 2)), (2, (3, 3, 1)), (3, (2, 2, 1))])
    def test_b4_three_to_two(self, gone, places_after):
        """B4: going heads-up the big blind moves on as ever; the other has the button and small blind."""
        left = [seat for seat in (1, 2, 3) if seat != gone]
        found = plan(after(1, 2, 3), sit(*left))

        assert places(found) == places_after
        assert found.order == (places_after[2], places_after[0])

    def test_b4_alternates(self):
        """B4: heads-up, button and big blind change places in every hand."""
        first = plan(None, sit(2, 6), first_button=2)
        second = plan(first.positions, sit(2, 6))
        third = plan(second.positions, sit(2, 6))

        assert [places(found) for found in (first, second, third)] == [(2, 2, 6), (6, 6, 2), (2, 2, 6)]

    def test_b4_two_to_three_behind_the_big_blind(self):
        """B4, B7: a newcomer left of the big blind is the next big blind; the game goes on three-handed."""
        found = plan(after(2, 2, 6), sit(2, 6, s8="newcomer"))

        assert places(found) == (2, 6, 8)
        assert found.settled == {8}
        assert found.posts[8] == Post(ante=0, blind=100, blind_kind=PostKind.big_blind, dead=0)

    def test_b4_two_to_three_between_button_and_big_blind(self):
        """B4, B7: a newcomer who posts right of the new small blind has the button; no player repeats a blind."""
        found = plan(after(2, 2, 6), sit(2, 6, s4="newcomer!"))

        assert places(found) == (4, 6, 2)
        assert found.order == (6, 2, 4)
        assert found.posts[4].blind_kind is PostKind.live_post

    def test_b4_two_to_three_waiting(self):
        """B4, B7: while that newcomer waits the two play on, and the next big blind is theirs."""
        second = plan(after(2, 2, 6), sit(2, 6, s4="newcomer"))
        assert places(second) == (6, 6, 2)

        third = plan(second.positions, sit(2, 6, s4="newcomer"))
        assert places(third) == (6, 2, 4)
        assert third.order == (2, 4, 6)

    def test_b7_small_blind_seat_after_heads_up(self):
        """B7: nor does a newcomer come in on the small blind when heads-up ends."""
        found = plan(after(2, 2, 6), sit(2, s4="newcomer!", s6="newcomer!"))

        assert places(found) == (4, 4, 2)
        assert found.order == (2, 4)

    def test_b4_debtor_on_the_button(self):
        """B7 [D]: heads-up a debtor may come in on the button: the small blind pays their debt."""
        found = plan(after(2, 2, 6), sit(2, s4="both!"))

        assert places(found) == (4, 4, 2)
        assert found.posts[4] == Post(ante=0, blind=50, blind_kind=PostKind.small_blind, dead=0)
        assert found.settled == {4}


class TestNewcomers:
    def test_b7_posts_at_once(self):
        """B7: a newcomer may post a live big blind at once; so may several."""
        found = plan(after(1, 2, 3), sit(1, 2, 3, 4, s6="newcomer!", s7="newcomer!"))

        assert places(found) == (2, 3, 4)
        assert found.order == (3, 4, 6, 7, 1, 2)
        assert found.posts[6] == found.posts[7]
        assert found.posts[6] == Post(ante=0, blind=100, blind_kind=PostKind.live_post, dead=0)
        assert found.settled == {6, 7}

    def test_b7_waits(self):
        """B7: a player who waits is not dealt in until the big blind reaches them."""
        first = plan(after(1, 2, 3), sit(1, 2, 3, 4, s5="newcomer"))
        assert first.order == (3, 4, 1, 2)

        second = plan(first.positions, sit(1, 2, 3, 4, s5="newcomer"))
        assert places(second) == (3, 4, 5)
        assert second.settled == {5}

    def test_b7_never_between_button_and_big_blind(self):
        """B7: a newcomer between button and big blind is not dealt in, even if they would post."""
        found = plan(after(1, 3, 5), sit(1, 3, 5, 8, s4="newcomer!", s6="newcomer!"))

        # Seat 6 is the next big blind; seat 4 lies between the button (3) and the small blind (5).
        assert places(found) == (3, 5, 6)
        assert found.order == (5, 6, 8, 1, 3)

    def test_b7_in_the_seat_of_the_big_blind_who_left(self):
        """B7: a player who took the seat the small blind falls on waits; the small blind is dead."""
        found = plan(after(1, 2, 3), sit(1, 2, 5, s3="newcomer!"))

        assert places(found) == (2, None, 5)
        assert found.order == (5, 1, 2)

    def test_b7_on_the_button(self):
        """B7: the seat of the button is not between the button and the big blind."""
        found = plan(after(1, 2, 3), sit(1, 3, 5, s2="newcomer!"))

        assert places(found) == (2, 3, 5)
        assert found.order == (3, 5, 1, 2)
        assert found.posts[2].blind_kind is PostKind.live_post

    def test_b8_missed_blinds(self):
        """B8: what was missed is posted, the big blind live and the small one dead."""
        found = plan(after(1, 2, 3), sit(1, 2, 3, 4, s6="both!", s7="big_blind!", s8="small_blind!"))

        assert found.posts[6] == Post(ante=0, blind=100, blind_kind=PostKind.live_post, dead=50)
        assert found.posts[7] == Post(ante=0, blind=100, blind_kind=PostKind.live_post, dead=0)
        assert found.posts[8] == Post(ante=0, blind=0, blind_kind=None, dead=50)
        assert found.settled == {6, 7, 8}

    def test_b8_waiting_for_the_big_blind(self):
        """B8: the big blind pays all that was missed."""
        found = plan(after(1, 2, 3), sit(1, 2, 3, s4="both"))

        assert found.posts[4] == Post(ante=0, blind=100, blind_kind=PostKind.big_blind, dead=0)
        assert found.settled == {4}

    def test_restart_with_two(self):
        """B7 [D]: where too few could be dealt in, the game restarts and debts are forgiven."""
        found = plan(after(3, 3, 6), sit(3, s4="newcomer"))

        assert places(found) == (4, 4, 3)
        assert found.settled == {4}

    def test_restart_with_newcomers_alone(self):
        """B7 [D]: so does a game where no player is left who owes nothing: all come in, no player posts extra."""
        found = plan(after(1, 2, 3), sit(s0="newcomer!", s4="newcomer", s7="both!"))

        assert places(found) == (7, 0, 4)
        assert found.order == (0, 4, 7)
        assert found.posts[7] == Post(ante=0, blind=0, blind_kind=None, dead=0)
        assert found.settled == {0, 4, 7}

    def test_back_between_button_and_small_blind(self):
        """B3 [D]: a player who owes nothing and comes back right of the small blind has the button."""
        found = plan(after(1, 1, 5), sit(1, 3, 5, s6="newcomer"))

        assert places(found) == (3, 5, 6)
        assert found.order == (5, 6, 1, 3)

    def test_only_the_seats_between_the_blinds_are_left(self):
        """B3 [D]: a button that would fall left of the new big blind goes to the player before the small blind."""
        found = plan(after(8, 1, 5), sit(5, s2="newcomer", s3="newcomer!"))

        assert places(found) == (3, 5, 2)
        assert found.order == (5, 2, 3)


class TestMissedBlinds:
    def missed(self, previous, following, **absent):
        owed = missed_blinds(
            previous, following, [(int(name[1:]), Owes(debt)) for name, debt in absent.items()], SEATS
        )
        return {seat: debt.value for seat, debt in owed.items()}

    def test_b8_big_blind_passes(self):
        """B8: a seat the big blind passes over owes it; the others owe nothing."""
        assert self.missed(after(1, 2, 3), after(2, 3, 6), s4="nothing", s5="nothing", s8="nothing") == {
            4: "big_blind",
            5: "big_blind",
            8: "nothing",
        }

    def test_b8_then_the_small_blind(self):
        """B8: when the small blind passes too they owe both."""
        assert self.missed(after(2, 3, 6), after(3, 6, 7), s4="big_blind", s5="big_blind") == {
            4: "both",
            5: "both",
        }

    def test_b8_small_blind_alone(self):
        """B8: the big blind who sits out next owes the small blind, at a table of any size."""
        assert self.missed(after(1, 2, 3), after(2, None, 4, 3), s3="nothing") == {3: "small_blind"}
        assert self.missed(after(2, 3, 4), after(3, 3, 2), s4="nothing") == {4: "small_blind"}

    def test_b8_debts_stay(self):
        """B8: what is owed stays owed, and nothing is owed twice."""
        assert self.missed(after(1, 2, 3), after(2, 3, 4), s6="both", s7="small_blind", s3="both") == {
            6: "both",
            7: "small_blind",
            3: "both",
        }

    def test_b7_newcomers_stay_newcomers(self):
        """B7: a newcomer owes one big blind, however long they are away."""
        assert self.missed(after(1, 2, 3), after(2, 3, 6), s4="newcomer") == {4: "newcomer"}

    def test_b8_a_full_orbit(self):
        """B8: a player who sits out for a whole orbit owes both blinds, and no more."""
        seats = (1, 2, 3, 4, 5)
        positions, owes = after(1, 2, 3), Owes.nothing
        for _ in range(7):
            following = plan(positions, sit(*(seat for seat in seats if seat != 5))).positions
            owes = missed_blinds(positions, following, [(5, owes)], SEATS)[5]
            positions = following

        assert owes is Owes.both


class TestStraddle:
    STRADDLED = Stakes(small_blind=50, big_blind=100, straddle=200)

    def straddlers(self, *seats, owes=Owes.nothing, posts_now=False):
        return [
            Candidate(seat=seat, owes=owes, posts_now=posts_now, straddles=True) if seat in seats else other
            for other in sit(1, 2, 3, 4)
            for seat in (other.seat,)
        ]

    def test_b6_under_the_gun_straddles(self):
        """B6, C1: the first left of the big blind may straddle, and the action starts left of them."""
        found = plan(after(4, 1, 2), self.straddlers(4), stakes=self.STRADDLED)

        assert places(found) == (1, 2, 3)
        assert found.order == (2, 3, 4, 1)
        assert found.posts[4] == Post(ante=0, blind=200, blind_kind=PostKind.straddle, dead=0)
        assert found.order[found.last_blind] == 4

    def test_b6_only_under_the_gun(self):
        """B6 [D]: a wish to straddle from another seat waits."""
        found = plan(after(4, 1, 2), self.straddlers(1, 2, 3), stakes=self.STRADDLED)

        assert found.order[found.last_blind] == 3
        assert PostKind.straddle not in {post.blind_kind for post in found.posts.values()}

    def test_b6_not_where_the_table_has_none(self):
        """B6 [D]: a table without straddles takes none, and no player straddles heads-up."""
        none = plan(after(4, 1, 2), self.straddlers(4))
        assert none.posts[4].blind_kind is None
        assert none.order[none.last_blind] == 3
        two = [Candidate(seat=seat, straddles=True) for seat in (1, 2)]
        found = plan(after(2, 2, 1), two, stakes=self.STRADDLED)
        assert sorted(post.blind for post in found.posts.values()) == [50, 100]
        tiny = Stakes(small_blind=0, big_blind=1, straddle=2)
        found = plan(after(2, 2, 1), two, stakes=tiny)
        assert sorted(post.blind for post in found.posts.values()) == [0, 1]

    def test_b6_three_handed_the_button_straddles(self):
        """B6 [D]: with three the button is under the gun, and may straddle."""
        three = [Candidate(seat=seat, straddles=True) for seat in (1, 2, 3)]
        found = plan(after(3, 1, 2), three, stakes=self.STRADDLED)

        assert places(found) == (1, 2, 3)
        assert found.posts[1].blind_kind is PostKind.straddle

    def test_b7_a_player_who_posts_does_not_straddle(self):
        """B7 [D]: a player who posts to come in posts that, and no straddle."""
        candidates = self.straddlers(4, owes=Owes.newcomer, posts_now=True)
        found = plan(after(4, 1, 2), candidates, stakes=self.STRADDLED)

        assert found.posts[4] == Post(ante=0, blind=100, blind_kind=PostKind.live_post, dead=0)
        assert found.order[found.last_blind] == 3

    def test_b6_the_straddler_has_the_option(self):
        """B6, D1: every player may call the straddle, raise it to twice itself, and the straddler acts last."""
        played = hand(5000, 5000, 5000, 5000, blinds=(50, 100, 200, 0), big_blind=100)

        assert played.raises(3) == (400, 5000)
        played.play("3 call", "0 call", "1 call")
        assert played.legal(2).check
        assert played.raises(2) == (400, 5000)


@pytest.mark.parametrize(
    "positions",
    [
        Positions(button=1, small_blind=2, big_blind=3),
        Positions(button=1, small_blind=None, big_blind=3, small_blind_seat=2),
    ],
)
def test_positions_are_read_back_by_their_annotations(positions):
    """The journal keeps them as plain data, and takes nothing else for a seat, also with the compiled rules."""
    data = msgspec.to_builtins(positions)

    assert msgspec.convert(data, Positions) == positions
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**data, "small_blind_seat": "2"}, Positions)
