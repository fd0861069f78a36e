"""D, E: the sizes of bets, and what a short all-in reopens."""

import pytest

from pokerroom.rules.betting import FixedLimit, PotLimit
from pokerroom.rules.data import state_from_data, state_to_data
from pokerroom.rules.hand import legal_actions
from tests.rules.playing import hand

LIMIT = FixedLimit(small_bet=10, big_bet=20)
FREE_FLOP = ("2 call", "0 call", "1 check")


class TestNoLimit:
    def test_d1_minimum_bet_and_raise(self):
        """D1: after a bet of 100 the next raise is to 200 at least, and the stack is the most."""
        flop = hand(5000, 5000, 5000).play(*FREE_FLOP)

        assert flop.raises(0) == (100, 4900)
        assert flop.refused("0 to 99") == "raise_too_small"
        assert flop.refused("0 to 4901") == "raise_too_large"
        assert flop.play("0 to 100").raises(1) == (200, 4900)

    def test_d1_the_largest_increment_counts(self):
        """D1: a raise must be as large as the last one was."""
        assert hand(5000, 5000, 5000).play("2 to 350", "0 to 900").raises(1) == (1450, 5000)

    def test_d1_no_player_raises_themselves(self):
        """D1: with no player left who could put in more, only a call or a fold is legal."""
        allin = hand(5000, 5000, 300).play("2 to 300", "0 fold")

        assert allin.raises(1) == (None, None)
        assert allin.refused("1 to 600") == "raise_not_allowed"

    def test_d1_no_player_raises_a_player_who_cannot_put_in_more_than_the_bet(self):
        """D1: a raise must be answerable by chips, not only by a player who still has some."""
        preflop = hand(5000, 180, 5000, blinds=(50, 100)).play("2 to 1000", "0 to 3000", "1 call", "2 call")
        assert preflop.raises(0) == (100, 2000)

        assert hand(5000, 180, 300).play("2 to 300").raises(0) == (None, None)

    def test_d1_all_in_between_call_and_minimum(self):
        """D1: a stack that covers the call but not the minimum raise may go all-in with exactly that."""
        short = hand(1000, 1000, 150)

        assert short.raises(2) == (150, 150)
        assert short.refused("2 to 149") == "raise_too_small"
        assert short.refused("2 to 151") == "raise_too_large"

    def test_d2_short_all_ins_keep_the_increment(self):
        """D2: bet 300, all-ins to 500, 650 and 800: the next raise is to 1,100 at least."""
        flop = hand(5000, 5000, 600, 750, 900, 5000).play(
            "2 call", "3 call", "4 call", "5 call", "0 call", "1 check",
            "0 fold", "1 to 300", "2 to 500", "3 to 650", "4 to 800",
        )  # fmt: skip

        assert flop.raises(5) == (1100, 4900)

    def test_d3_all_in_below_the_minimum_bet(self):
        """D3: all-in for 20 with a big blind of 100: the next calls 20 or raises to at least 120."""
        flop = hand(120, 5000, 5000).play(*FREE_FLOP, "0 to 20")

        assert flop.legal(1).call_amount == 20
        assert flop.raises(1) == (120, 4900)

    def test_d6_no_cap(self):
        """D6: no-limit raises go on as long as there are chips."""
        preflop = hand(100_000, 100_000, blinds=(100, 50))
        for step in range(200, 4200, 100):
            preflop.play(f"{1 - step // 100 % 2} to {step}")

        assert preflop.raises(1) == (4200, 100_000)

    def test_b5_straddle_is_a_larger_blind(self):
        """B6: a straddle of 200 is the bet to call, the first raise is to 400, and the straddler may raise."""
        straddled = hand(5000, 5000, 5000, 5000, blinds=(50, 100, 200), big_blind=100)

        assert straddled.legal(3).call_amount == 200
        assert straddled.raises(3) == (400, 5000)
        straddled.play("3 call", "0 call", "1 call")
        assert straddled.legal(2).check
        assert straddled.raises(2) == (400, 5000)
        assert straddled.play("2 check", "0 check").raises(1) == (100, 4800)


class TestPotLimit:
    @pytest.mark.parametrize(
        ("stacks", "most"), [((9000, 9000, 9000), 700), ((9000, 150, 9000), 700), ((9000, 9000, 650), 650)]
    )
    def test_d4_first_raiser(self, stacks, most):
        """D4: at 100/200 the first raiser may make 700, blinds counting at nominal size; or their stack."""
        preflop = hand(*stacks, blinds=(100, 200), structure=PotLimit())

        assert preflop.raises(2) == (400, most)
        assert preflop.refused(f"2 to {most + 1}") == "raise_too_large"

    def test_d4_a_small_blind_that_no_player_posts_counts(self):
        """D4 [D]: at 100/200 the first raiser may make 700 with an empty small blind, too; on the flop it is gone."""
        preflop = hand(9000, 9000, 9000, blinds=(200,), structure=PotLimit(), dead_blind=100)

        assert preflop.raises(1) == (400, 700)
        assert preflop.refused("1 to 701") == "raise_too_large"
        assert preflop.play("1 call", "2 call", "0 check").raises(0) == (200, 600)

    def test_d4_a_dead_small_blind_survives_storing(self):
        """D4: a hand that is read back from its data allows what it did before."""
        preflop = hand(9000, 9000, 9000, blinds=(200,), structure=PotLimit(), dead_blind=100)
        again = state_from_data(state_to_data(preflop.state))

        assert again == preflop.state
        assert legal_actions(again).max_raise_to == 700

    def test_d4_seed_example(self):
        """D4: pot 200, bet 150, call 150: the next player may make it 800."""
        flop = hand(2000, 2000, 2000, 2000, blinds=(25, 50), structure=PotLimit()).play(
            "2 call", "3 call", "0 call", "1 check", "0 to 150", "1 call"
        )

        assert flop.raises(2) == (300, 800)

    def test_d4_nominal_blinds_count_pre_flop_only(self):
        """D4: on the flop the pot is what lies in it."""
        flop = hand(1000, 4, 1000, blinds=(5, 10), structure=PotLimit()).play("2 call", "0 call")

        assert flop.raises(0) == (10, 24)

    def test_d4_pot_below_the_minimum_bet(self):
        """D4 [D]: an empty pot still allows the minimum bet."""
        preflop = hand(1000, 1000, blinds=(), big_blind=10, structure=PotLimit())

        assert preflop.raises(0) == (10, 10)


class TestFixedLimit:
    def test_d5_sizes(self):
        """D5: the small bet pre-flop and on the flop, the big bet on turn and river, and only that."""
        limit = hand(1000, 1000, blinds=(10, 5), structure=LIMIT)

        assert limit.raises(1) == (20, 20)
        limit.play("1 call", "0 check")
        assert limit.raises(0) == (10, 10)
        limit.play("0 check", "1 check")
        assert limit.raises(0) == (20, 20)
        assert limit.refused("0 to 10") == "raise_too_small"
        assert limit.refused("0 to 30") == "raise_too_large"
        limit.play("0 to 20", "1 call")
        assert limit.raises(0) == (20, 20)

    def test_d5_cap(self):
        """D5: one bet and three raises, the big blind being the bet pre-flop."""
        limit = hand(1000, 1000, 1000, blinds=(5, 10), structure=LIMIT).play("2 to 20", "0 to 30", "1 to 40")

        assert limit.refused("2 to 50") == "raise_not_allowed"
        limit.play("2 call", "0 call", "0 to 10", "1 to 20", "2 to 30", "0 to 40")
        assert limit.refused("1 to 50") == "raise_not_allowed"

    def test_d5_cap_heads_up(self):
        """D5: the cap holds heads-up, unless the table plays uncapped where a street begins with two."""
        moves = ("1 to 20", "0 to 30", "1 to 40")
        uncapped = FixedLimit(small_bet=10, big_bet=20, cap_heads_up=False)

        assert hand(500, 500, blinds=(10, 5), structure=LIMIT).play(*moves).raises(0) == (None, None)
        assert hand(500, 500, blinds=(10, 5), structure=uncapped).play(*moves).raises(0) == (50, 50)

    def test_d5_uncapped_needs_the_street_to_begin_with_two(self):
        """D5: becoming two in the middle of a street does not lift its cap; the next street has none."""
        uncapped = FixedLimit(small_bet=10, big_bet=20, cap_heads_up=False)
        limit = hand(500, 500, 500, blinds=(5, 10), structure=uncapped).play(
            "2 to 20", "0 fold", "1 to 30", "2 to 40"
        )

        assert limit.raises(1) == (None, None)
        limit.play("1 call", "1 to 10", "2 to 20", "1 to 30", "2 to 40")
        assert limit.raises(1) == (50, 50)

    def test_d5_raises_max_is_data(self):
        """D5: the number of raises is the table's."""
        four = FixedLimit(small_bet=10, big_bet=20, raises_max=4)
        limit = hand(500, 500, blinds=(10, 5), structure=four).play("1 to 20", "0 to 30", "1 to 40")

        assert limit.raises(0) == (50, 50)
        assert limit.play("0 to 50").raises(1) == (None, None)

    def test_d5_a_cap_of_no_raises(self):
        """D5: with none allowed the blind is the only bet of its street, and a bet of the next one is not raised."""
        none = FixedLimit(small_bet=1, big_bet=1, raises_max=0)
        limit = hand(500, 500, blinds=(1, 0), structure=none)

        assert limit.raises(1) == (None, None)
        limit.play("1 call", "0 check")
        assert limit.raises(0) == (1, 1)
        assert limit.play("0 to 1").raises(1) == (None, None)

    def test_d5_option(self):
        """D5, B6: the big blind's option is the first raise."""
        limit = hand(500, 500, 500, blinds=(5, 10), structure=LIMIT).play("2 call", "0 call")

        assert limit.raises(1) == (20, 20)

    def test_d5_a_blind_below_the_bet_counts_as_the_bet(self):
        """D5: also a big blind smaller than the small bet is the one bet: three raises, and no fourth."""
        limit = hand(500, 500, 500, blinds=(2, 5), big_blind=5, structure=LIMIT)

        assert limit.play("2 to 15", "0 to 25", "1 to 35").raises(2) == (None, None)

    def test_d5_straddle_counts_as_a_raise(self):
        """D5 [D]: with a straddle two of the four bets are in; the next makes it three."""
        limit = hand(500, 500, 500, 500, blinds=(5, 10, 20), big_blind=10, structure=LIMIT)

        assert limit.raises(3) == (30, 30)
        assert limit.play("3 to 30", "0 to 40").raises(1) == (None, None)


class TestReopening:
    def flop(self):
        """E1's first example: A bets 100, B all-in 125, C calls, D all-in 200, E calls."""
        return hand(5000, 225, 5000, 300, 5000).play(
            "2 call", "3 call", "4 call", "0 call", "1 check",
            "0 to 100", "1 to 125", "2 call", "3 to 200", "4 call",
        )  # fmt: skip

    def test_e1_short_all_ins_accumulate(self):
        """E1: two short all-ins that make a full raise together reopen for the bettor, to 300 at least."""
        assert self.flop().raises(0) == (300, 4900)

    def test_e1_facing_less_than_a_full_raise(self):
        """E1: if the bettor only calls, the caller of 125 faces 75 and may not raise."""
        flop = self.flop().play("0 call")

        assert flop.legal(2).call_amount == 75
        assert flop.refused("2 to 300") == "raise_not_allowed"

    def test_e1_pre_flop(self):
        """E1: 2000/4000, A calls, C all-in 7,500: the big blind may raise to 11,500; else A may not raise."""
        preflop = hand(50_000, 50_000, 50_000, 7500, blinds=(2000, 4000)).play(
            "2 call", "3 to 7500", "0 fold"
        )

        assert preflop.raises(1) == (11_500, 50_000)
        assert preflop.play("1 call").raises(2) == (None, None)

    def test_e1_checked_and_facing_a_short_bet(self):
        """E1: a player that checked may only call or fold to an all-in below the minimum bet."""
        flop = hand(2000, 2000, 130).play(*FREE_FLOP, "0 check", "1 check", "2 to 30")

        assert flop.legal(0).call_amount == 30
        assert flop.raises(0) == (None, None)

    def test_e1_a_full_all_in_reopens(self):
        """E1: an all-in for exactly a full raise reopens for the opener."""
        preflop = hand(2000, 2000, 2000, 500).play("2 to 300", "3 to 500", "0 call", "1 fold")

        assert preflop.raises(2) == (700, 2000)

    def test_e1_a_player_who_has_not_acted_may_raise(self):
        """E1: a short all-in takes nothing from those still to act."""
        preflop = hand(2000, 2000, 2000, 350).play("2 to 300", "3 to 350", "0 call")

        assert preflop.raises(1) == (550, 2000)
        assert preflop.play("1 call").raises(2) == (None, None)

    def test_e2_half_a_bet_is_a_full_one(self):
        """E2: in a 20 round an all-in of 15 counts as the bet: the next raise is to 35."""
        flop = hand(35, 1000, 1000, blinds=(10, 20), structure=FixedLimit(small_bet=20, big_bet=40))

        assert flop.play(*FREE_FLOP, "0 to 15").raises(1) == (35, 35)

    @pytest.mark.parametrize(("all_in", "next_to"), [(9, 20), (10, 30), (11, 31)])
    def test_e2_the_half(self, all_in, next_to):
        """E2: exactly half counts as full; below it the others complete."""
        flop = hand(20 + all_in, 1000, 1000, blinds=(10, 20), structure=FixedLimit(small_bet=20, big_bet=40))

        assert flop.play(*FREE_FLOP, f"0 to {all_in}").raises(1) == (next_to, next_to)

    def test_e2_less_than_half_does_not_reopen(self):
        """E2: a player that acted may only call a raise of less than half a bet; a completion reopens for them."""
        stacks = (1000, 1000, 1000, 22)
        limit = hand(*stacks, blinds=(5, 10), structure=LIMIT).play("2 to 20", "3 to 22")

        assert limit.raises(0) == (30, 30)
        assert limit.play("0 call", "1 call").raises(2) == (None, None)
        completed = hand(*stacks, blinds=(5, 10), structure=LIMIT).play(
            "2 to 20", "3 to 22", "0 to 30", "1 call"
        )
        assert completed.raises(2) == (40, 40)

    @pytest.mark.parametrize(("all_in", "again"), [(24, (None, None)), (25, (35, 35)), (28, (38, 38))])
    def test_e2_half_or_more_reopens(self, all_in, again):
        """E2: facing half a bet or more, a player that acted may raise again; facing less they may not."""
        limit = hand(1000, 1000, 1000, all_in, blinds=(5, 10), structure=LIMIT)

        assert limit.play("2 to 20", f"3 to {all_in}", "0 call", "1 fold").raises(2) == again

    def test_e2_half_or_more_counts_towards_the_cap(self):
        """E2 [D]: an all-in raise of half a bet is one of the three raises and reopens the betting."""
        limit = hand(1000, 1000, 1000, 26, blinds=(5, 10), structure=LIMIT).play(
            "2 to 20", "3 to 26", "0 to 36", "1 call"
        )

        assert limit.raises(2) == (None, None)

    def test_e2_short_all_ins_add_up(self):
        """E2 [D]: all-ins to 23 and 26 over a bet of 20 make half a bet together: the next raise is to 36."""
        limit = hand(1000, 1000, 1000, 23, 26, blinds=(5, 10), structure=LIMIT).play("2 to 20", "3 to 23")

        assert limit.play("4 to 26").raises(0) == (36, 36)

    def test_e2_short_all_in_does_not_use_up_the_cap(self):
        """E2: completing a short all-in is the raise; three of them still fit."""
        limit = hand(1000, 1000, 1000, 22, blinds=(5, 10), structure=LIMIT).play("2 to 20", "3 to 22")

        assert limit.play("0 to 30", "1 to 40").raises(2) == (None, None)
