"""F, G, H: pots, odd chips, showdown, and all-in by the clock."""

import pytest

from pokerroom.rules.cards import parse_cards
from pokerroom.rules.events import (
    ActionKind,
    HandFinished,
    HandMucked,
    HandShown,
    PlayerActed,
    PotWon,
    StreetOpened,
    UncalledBetReturned,
)
from pokerroom.rules.hand import PlayerStatus
from pokerroom.rules.pots import layers
from pokerroom.rules.ranking import HandCategory, category
from tests.rules.playing import BOARD, PAIRS, hand

BOARD_PLAYS = "AsKdQhJcTd"
CHECKED_DOWN = ("0 check", "1 check", "2 check")
SMALL = ("2s2d", "3s3d", "4s4d", "5s5d", "6s6d")


class TestPots:
    def test_f1_uncalled_bet(self):
        """F1: a bet no player called goes back before the pot is awarded."""
        two = hand(1000, 1000, blinds=(10, 5)).play("1 call", "0 check", "0 to 300", "1 fold")

        assert two.events[-3:] == [
            UncalledBetReturned(player=0, amount=300, stack=990),
            PotWon(pot=0, amount=20, shares=((0, 20),)),
            HandFinished(stacks=(1010, 990)),
        ]

    def test_f1_walk(self):
        """F1: the big blind's unmatched half goes back to them."""
        walk = hand(1000, 1000, 1000).play("2 fold", "0 fold")

        assert walk.told(UncalledBetReturned) == [UncalledBetReturned(player=1, amount=50, stack=950)]
        assert walk.state.stacks == [950, 1050, 1000]

    def test_f1_walk_without_a_small_blind(self):
        """F1: a lone blind is only returned; there is no pot to award."""
        walk = hand(1000, 1000, 1000, blinds=(100,)).play("1 fold", "2 fold")

        assert walk.told(PotWon) == []
        assert walk.state.stacks == [1000, 1000, 1000]

    def test_f1_folded_chips_are_not_returned(self):
        """F1, F2: a player who folds has nothing returned, also where a short big blind wins with less in than they."""
        short = hand(1000, 20, 1000, blinds=(15, 30, 30), last_blind=1).play("2 fold", "0 fold")

        assert short.told(UncalledBetReturned) == []
        assert short.state.stacks == [985, 65, 970]

    def test_f1_all_in_covered(self):
        """F1: the larger stack risks only what the smaller can match."""
        two = hand(400, 1000, blinds=(10, 5)).play("1 to 1000", "0 call")

        assert two.told(UncalledBetReturned) == [UncalledBetReturned(player=1, amount=600, stack=600)]
        assert two.state.stacks == [800, 600]

    def test_f1_a_player_who_gets_chips_back_is_not_all_in(self):
        """F1: a player who gets the uncalled part back is all-in no more; a player who was called is."""
        played = hand(1000, 400, blinds=(10, 5)).play("1 to 400", "0 call")
        covering = hand(400, 1000, blinds=(10, 5)).play("1 to 1000", "0 call")

        assert played.state.statuses == [PlayerStatus.active, PlayerStatus.all_in]
        assert covering.state.statuses == [PlayerStatus.all_in, PlayerStatus.active]

    def test_f1_unmatched_ante(self):
        """F1: heads-up, the part of an ante the other could not match goes back with the blind."""
        two = hand(1000, 4, blinds=(100, 50), antes=(10, 10))

        assert two.told(UncalledBetReturned) == [UncalledBetReturned(player=0, amount=106, stack=996)]
        assert two.state.stacks == [1004, 0]

    def test_f2_layers(self):
        """F2: 100, 250 and 600 all-in make a main and a side pot; the side pot is awarded first."""
        three = hand(600, 250, 100, blinds=(5, 10), holes=("QsQd", "KsKd", "AsAd")).play(
            "2 to 100", "0 to 600", "1 call"
        )

        assert three.told(UncalledBetReturned) == [UncalledBetReturned(player=0, amount=350, stack=350)]
        assert three.told(PotWon) == [
            PotWon(pot=1, amount=300, shares=((1, 300),)),
            PotWon(pot=0, amount=300, shares=((2, 300),)),
        ]

    def test_f2_folded_chips_stay_in(self):
        """F2: a folded player's chips are won by the others, layer by layer."""
        three = hand(400, 400, 30, blinds=(5, 10), holes=("KsKd", "QsQd", "AsAd")).play(
            "2 to 30", "0 to 100", "1 call", "0 to 100", "1 fold"
        )

        assert three.state.stacks == [440, 300, 90]

    def test_f2_pots_for_display(self):
        """F2: the pots in the middle are told with who contests them; bets in front are not in them."""
        four = hand(1000, 1000, 1000, 300).play("2 to 300", "3 call", "0 call", "1 fold")
        assert four.state.pots() == [(1000, (0, 2, 3))]

        four.play("0 to 200", "2 call", "0 to 100")
        assert four.state.bets == [100, 0, 0, 0]
        assert four.state.pots() == [(1000, (0, 2, 3)), (400, (0, 2))]

    def test_f2_chips_above_all_who_contest(self):
        """F2: what only folded players have in above the rest belongs to the last pot."""
        assert layers([30, 20, 15], 0, [1, 2]) == [(45, (1, 2)), (20, (1,))]
        assert layers([30, 20, 20], 0, [1, 2]) == [(70, (1, 2))]

    def test_f2_dead_chips_alone(self):
        """F2: a player with only dead chips in contests the dead chips."""
        assert layers([10, 0, 10], 5, [0, 1, 2]) == [(5, (0, 1, 2)), (20, (0, 2))]
        assert layers([0, 0], 0, [0, 1]) == []

    def test_f2_no_pot_of_nothing(self):
        """F2: a player with nothing in makes no pot; those who have contest theirs."""
        assert layers([0, 50, 50], 0, [0, 1, 2]) == [(100, (1, 2))]

    def test_f3_odd_chip(self):
        """F3: the odd chip goes to the first tied winner left of the button."""
        three = hand(1000, 1000, 1000, blinds=(25, 50), holes=("AsKs", "AdKd", "QhJc"), board="Ac7h8d2s3c")
        three.play("2 to 501", "0 call", "1 call", *CHECKED_DOWN * 3)

        assert three.state.stacks == [1251, 1250, 499]

    def test_f3_two_odd_chips(self):
        """F3: of 302 split three ways the first two get one odd chip each."""
        four = hand(200, 200, 200, 200, blinds=(1, 2), holes=SMALL, board=BOARD_PLAYS).play(
            "2 call", "3 to 100", "0 call", "1 call", "2 fold", *("0 check", "1 check", "3 check") * 3
        )

        assert four.told(PotWon) == [PotWon(pot=0, amount=302, shares=((0, 101), (1, 101), (3, 100)))]

    @pytest.mark.parametrize(
        ("stack", "shares"),
        [(1850, (1900, 1800)), (1875, (1950, 1800)), (80, (80, 80)), (1800, (1800, 1800))],
    )
    def test_f3_in_the_smallest_chip_of_the_table(self, stack, shares):
        """F3: 37.00 in chips of 1.00 is 19 and 18; what is less than a chip goes to the first."""
        two = hand(stack, stack, blinds=(20, 10), unit=100, holes=SMALL[:2], board=BOARD_PLAYS)
        two.play(f"1 to {stack}", "0 call")

        assert two.told(PotWon) == [PotWon(pot=0, amount=2 * stack, shares=tuple(enumerate(shares)))]

    def test_f3_each_pot_on_its_own(self):
        """F2, F3: each pot is split by itself, with its own odd chip."""
        four = hand(200, 200, 33, 200, blinds=(1, 2), holes=SMALL, board=BOARD_PLAYS).play(
            "2 to 33", "3 to 70", "0 fold", "1 call", *("1 check", "3 check") * 3
        )

        assert four.told(PotWon) == [
            PotWon(pot=1, amount=74, shares=((1, 37), (3, 37))),
            PotWon(pot=0, amount=100, shares=((1, 34), (2, 33), (3, 33))),
        ]

    def test_f3_odd_chip_of_a_side_pot(self):
        """F3: it goes to the first tied winner left of the button, as that of the main pot."""
        four = hand(200, 200, 33, 200, blinds=(1, 2), holes=SMALL, board=BOARD_PLAYS).play(
            *("2 to 33", "3 call", "0 call", "1 call"),
            *("0 to 3", "1 to 9", "3 call", "0 fold"),
            *("1 check", "3 check") * 2,
        )

        assert four.told(PotWon) == [
            PotWon(pot=1, amount=21, shares=((1, 11), (3, 10))),
            PotWon(pot=0, amount=132, shares=((1, 44), (2, 44), (3, 44))),
        ]


class TestShowdown:
    def shown(self, played):
        """The players that showed and those that mucked, in order."""
        return [
            (event.player, isinstance(event, HandShown))
            for event in played.events
            if isinstance(event, HandShown | HandMucked)
        ]

    def river(self, **options):
        return hand(1000, 1000, 1000, **options).play("2 call", "0 call", "1 check", *CHECKED_DOWN * 2)

    def test_g1_nothing_to_show(self):
        """G1: a player who wins because all others folded shows nothing."""
        played = hand(1000, 1000, 1000).play("2 to 300", "0 fold", "1 fold")

        assert self.shown(played) == []
        assert played.told(StreetOpened) == []

    def test_g2_all_in_turns_all_up_before_the_board(self):
        """G2: with betting closed by an all-in, live hands are shown before the remaining streets."""
        played = hand(1000, 1000, 300).play("2 to 300", "0 fold", "1 call")

        assert played.events[-7:] == [
            HandShown(player=2, cards=parse_cards(PAIRS[2]), rank=None),
            HandShown(player=1, cards=parse_cards(PAIRS[1]), rank=None),
            *played.told(StreetOpened),
            PotWon(pot=0, amount=650, shares=((1, 650),)),
            HandFinished(stacks=(950, 1350, 0)),
        ]

    def test_g2_also_losers_on_the_river(self):
        """G2: with one player all-in, the others who bet on show too; the rank is told."""
        played = hand(1000, 1000, 300).play("2 to 300", "0 call", "1 call", *("0 check", "1 check") * 3)

        assert self.shown(played) == [(0, True), (1, True), (2, True)]
        assert [category(event.rank) for event in played.told(HandShown)] == [HandCategory.pair] * 3

    def test_g2_switched_off(self):
        """G2 [D]: a table may play all-ins like any showdown: in order at the end, losers muck."""
        played = hand(1000, 1000, 300, show_all_in=False).play("2 to 300", "0 fold", "1 call")

        assert self.shown(played) == [(1, True), (2, False)]
        assert isinstance(played.events[-5], StreetOpened)

    def test_g2_no_player_all_in(self):
        """G2: without an all-in a beaten hand stays hidden."""
        assert self.shown(self.river().play(*CHECKED_DOWN)) == [(0, True), (1, False), (2, False)]

    def test_g3_checked_river(self):
        """G3: with the river checked the first left of the button shows first, then clockwise."""
        played = self.river(holes=("QsQd", "AsAd", "KsKd")).play(*CHECKED_DOWN)

        assert self.shown(played) == [(0, True), (1, True), (2, False)]

    def test_g3_last_aggressor_first(self):
        """G3: the last to bet or raise on the river shows first."""
        played = self.river().play("0 check", "1 to 100", "2 to 300", "0 call", "1 call")

        assert self.shown(played) == [(2, True), (0, True), (1, False)]

    def test_g3_only_the_river_counts(self):
        """G3: an aggressor of an earlier street has no part in the order."""
        played = hand(1000, 1000, 1000).play("2 to 300", "0 call", "1 call", *CHECKED_DOWN * 3)

        assert self.shown(played)[0] == (0, True)

    def test_g3_showing_losers(self):
        """G3: a player who does not muck losing hands shows them."""
        played = self.river(muck_losing=False).play(*CHECKED_DOWN)

        assert self.shown(played) == [(0, True), (1, True), (2, True)]
        assert played.told(HandShown)[1].cards == parse_cards(PAIRS[1])

    def test_g3_a_side_pot_winner_shows(self):
        """G3: a hand beaten for the main pot but good for the side pot is shown."""
        played = hand(1000, 1000, 300, holes=("QsQd", "KsKd", "AsAd"), show_all_in=False).play(
            "2 to 300", "0 call", "1 call", *("0 check", "1 check") * 2, "0 to 100", "1 call"
        )

        assert self.shown(played) == [(0, True), (1, True), (2, True)]
        assert played.state.stacks == [600, 800, 900]

    def test_g3_a_tie_is_shown(self):
        """G3: a player who ties with what is shown is not beaten."""
        played = self.river(holes=SMALL, board=BOARD_PLAYS).play(*CHECKED_DOWN)

        assert self.shown(played) == [(0, True), (1, True), (2, True)]
        assert played.state.stacks == [1000, 1000, 1000]

    @pytest.mark.parametrize("muck_losing", [True, False])
    @pytest.mark.parametrize("show_all_in", [True, False])
    def test_g3_mucking_never_changes_who_wins(self, muck_losing, show_all_in):
        """G3: the pots go to the best hands, whatever is shown."""
        played = hand(600, 250, 100, blinds=(5, 10), muck_losing=muck_losing, show_all_in=show_all_in)

        assert played.play("2 to 100", "0 to 600", "1 call").state.stacks == [950, 0, 0]

    def test_g4_events_show_what_was_exposed_and_nothing_else(self):
        """G4: of hole cards the events hold those that were shown; a fold and a muck give none away."""
        played = self.river(holes=("JsJd", "AsAd", "KsKd")).play("0 to 100", "1 call", "2 fold")
        mucked = self.river(holes=("AsAd", "KsKd", "QsQd")).play(*CHECKED_DOWN)

        for finished, exposed in ((played, {0, 1}), (mucked, {0})):
            cards = [card for event in finished.told(HandShown) for card in event.cards]
            players = finished.state.setup.players
            assert set(cards) == {card for player in exposed for card in players[player].holes}
            others = [card for event in finished.told(StreetOpened) for card in event.cards]
            assert tuple(others) == finished.state.board


class TestClock:
    def test_h2_all_in_for_what_is_in(self):
        """H2: the timed-out player keeps their stack and stays in for what they have committed."""
        played = hand(1000, 1000, 1000).play("2 to 300", "0 call", "1 clock")

        assert played.told(PlayerActed)[-1] == PlayerActed(
            player=1, action=ActionKind.clock_all_in, added=0, bet=100, stack=900, all_in=True
        )
        assert played.state.to_act == 0
        assert played.state.pots() == [(300, (0, 1, 2)), (400, (0, 2))]

    def test_h2_nothing_in_the_pot(self):
        """H2: with nothing in, the caller folds them; nothing changes meanwhile."""
        assert hand(1000, 1000, 1000).refused("2 clock") == "fold_instead"

    @pytest.mark.parametrize(
        "options", [{"blinds": (100, 50)}, {"blinds": (), "antes": (10, 10), "big_blind": 100}]
    )
    def test_h2_blinds_and_antes_count(self, options):
        """H2 [D]: a blind or an ante is in the pot; heads-up the rest of the bet goes back and the board runs."""
        played = hand(1000, 1000, **options)
        in_pot = min(played.state.committed)
        played.play(f"{played.state.to_act} clock")

        assert played.state.stacks == [1000 + in_pot, 1000 - in_pot]
        assert [type(event) for event in played.events[-7:-2]] == [HandShown, HandShown, *[StreetOpened] * 3]

    def test_h2_not_facing_a_bet(self):
        """H2: it is so whether they face a bet or not."""
        played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 clock")

        assert played.state.to_act == 0
        assert played.state.pots() == [(300, (0, 1, 2))]

    def test_h3_wins_only_their_layers(self):
        """H3: they win the layers up to what they have in; the others play for the side pot."""
        played = hand(1000, 1000, 1000, holes=("QsQd", "AsAd", "KsKd")).play(
            "2 to 300", "0 call", "1 clock", "0 to 200", "2 call", *("0 check", "2 check") * 2
        )

        assert played.told(PotWon) == [
            PotWon(pot=1, amount=800, shares=((2, 800),)),
            PotWon(pot=0, amount=300, shares=((1, 300),)),
        ]
        assert played.state.stacks == [500, 1200, 1300]

    def test_h3_acts_no_more(self):
        """H3: they are passed over on every later street, and no player can be raised by them."""
        played = hand(1000, 1000, 1000).play("2 to 300", "0 clock", "1 call", "1 check", "2 to 100")

        assert played.state.to_act == 1
        assert played.refused("0 call") == "not_your_turn"

    def test_h3_the_bettor_is_left_alone_with_them(self):
        """H3, F1: their last opponent gets back what no player matched, and the board runs out."""
        played = hand(1000, 1000, 1000).play("2 to 300", "0 clock", "1 fold")

        assert played.state.finished
        assert played.told(UncalledBetReturned) == [UncalledBetReturned(player=2, amount=200, stack=900)]
        assert played.state.stacks == [1100, 900, 1000]

    def test_h3_only_the_clock_is_left(self):
        """H3: once all but one are out of time there is nothing left to decide: the board runs out."""
        played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 check", "0 clock", "1 clock")

        assert played.state.stacks == [1200, 900, 900]
        assert played.state.board == parse_cards(BOARD)
