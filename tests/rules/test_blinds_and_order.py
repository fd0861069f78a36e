"""A, B4-B6, B9, C: posting, who acts when, and what is refused."""

import pytest

from pokerroom.rules.cards import DECK, parse_cards
from pokerroom.rules.errors import IllegalAction, InvariantBroken
from pokerroom.rules.events import (
    ActionKind,
    HandFinished,
    PlayerActed,
    PlayerPosted,
    PostKind,
    PotWon,
    Street,
    StreetOpened,
)
from pokerroom.rules.hand import HandSetup, PlayerSetup, apply, legal_actions, start
from pokerroom.rules.variants import HOLDEM
from tests.rules.playing import BOARD, action_of, hand


def streets(played):
    return [(event.street, event.cards) for event in played.told(StreetOpened)]


class TestPosting:
    def test_b4_heads_up(self):
        """B4: the button posts the small blind, acts first pre-flop and last afterwards."""
        two = hand(1000, 1000, blinds=(100, 50))

        assert two.legal(1).call_amount == 50
        two.play("1 call", "0 check")
        assert two.state.street is Street.flop
        assert two.play("0 check").legal(1).check

    def test_b5_short_big_blind(self):
        """B5: a big blind of 20 of 30 is all-in; the bet to call stays 30, the minimum raise 60."""
        short = hand(1640, 20, 1630, 1920, blinds=(15, 30))

        assert short.told(PlayerPosted)[1] == PlayerPosted(
            player=1, kind=PostKind.big_blind, amount=20, stack=0, all_in=True
        )
        assert short.legal(2).call_amount == 30
        assert short.raises(2) == (60, 1630)

    def test_b5_the_unmatched_part_of_a_short_blind_goes_back(self):
        """B5, F1: a player who alone called the full blind gets back what the short blind did not match."""
        short = hand(1640, 20, 1630, blinds=(15, 30)).play("2 call", "0 fold")

        assert sum(short.state.stacks) == 1640 + 20 + 1630
        assert short.state.stacks == [1625, 55, 1610]

    def test_b5_covered_without_a_decision(self):
        """B5, C2: a small blind that covers a shorter big blind has nothing to decide; 15 of 25 go back."""
        two = hand(10, 1000, blinds=(50, 25))

        assert two.state.finished
        assert two.state.stacks == [20, 990]

    def test_b6_option(self):
        """B6: posting is not acting: the big blind may raise a limped pot."""
        limped = hand(1000, 1000, 1000).play("2 call", "0 call")

        assert limped.legal(1).check
        assert limped.raises(1) == (200, 1000)

    def test_b7_several_live_posts(self):
        """B7: more than one may post; each post is live, and its owner has the option."""
        posted = hand(1000, 1000, 1000, 1000, blinds=(50, 100, 100, 100), last_blind=1)

        assert posted.legal(2).check
        assert posted.raises(2) == (200, 1000)
        posted.play("2 check", "3 to 300", "0 fold", "1 fold")
        assert posted.legal(2).call_amount == 200

    def test_b8_dead_part(self):
        """B8: a dead small blind lies in the pot and matches nothing."""
        posted = hand(1000, 1000, 1000, 1000, blinds=(50, 100, 0, 100), dead=(0, 0, 0, 50), last_blind=1)

        assert posted.state.bets == [50, 100, 0, 100]
        assert posted.state.pots() == [(50, (0, 1, 2, 3))]
        posted.play("2 fold", "3 check", "0 fold", "1 fold")
        assert posted.state.stacks == [950, 900, 1000, 1150]

    def test_b9_ante(self):
        """B9: antes go to the middle before the blinds."""
        anted = hand(1000, 1000, 1000, antes=(10, 10, 10))

        assert [event.kind for event in anted.told(PlayerPosted)] == [
            *[PostKind.ante] * 3,
            PostKind.small_blind,
            PostKind.big_blind,
        ]
        assert anted.state.bets == [50, 100, 0]
        assert anted.state.pots() == [(30, (0, 1, 2))]

    def test_b9_short_ante(self):
        """B9, F2: a player with 5 of an ante of 10 contests 5 of each."""
        short = hand(1000, 1000, 5, antes=(10, 10, 10), holes=("QsQd", "KsKd", "AsAd")).play(
            "0 call", "1 check", "0 check", "1 check", "0 check", "1 check", "0 check", "1 check"
        )

        assert short.state.stacks == [890, 1100, 15]

    def test_b9_big_blind_ante(self):
        """B9: an ante one player pays for the table is dead money all contest."""
        anted = hand(6, 4, 1, blinds=(1, 2), antes=(0, 2), holes=("KcKd", "QcQd", "AcAd")).play(
            "2 call", "0 call"
        )

        assert anted.told(PlayerPosted)[0].kind is PostKind.big_blind_ante
        assert anted.state.stacks == [6, 0, 5]

    @pytest.mark.parametrize(
        ("stack", "blind", "ante"),
        [(100, 100, 0), (250, 250, 0), (400, 400, 0), (450, 400, 50), (900, 400, 400)],
    )
    def test_b9_a_short_big_blind_pays_the_blind_before_the_ante(self, stack, blind, ante):
        """B9: the blind first, then what is left of the big-blind ante, which lies dead in the main pot."""
        anted = hand(5000, stack, 5000, blinds=(200, 400), antes=(0, 400, 0), big_blind=400)

        posted = {event.kind: event.amount for event in anted.told(PlayerPosted) if event.player == 1}
        assert posted.get(PostKind.big_blind_ante, 0) == ante
        assert posted[PostKind.big_blind] == blind
        assert anted.state.dead == [0, ante, 0]
        assert anted.legal(2).call_amount == 400

    def test_b9_the_ante_of_every_player_comes_before_the_blind(self):
        """B9 [D]: with 10 of every player and 100 for the table, a big blind of 105 pays 10, 0 and 95."""
        anted = hand(1000, 105, 1000, antes=(10, 110, 10))

        assert [event.amount for event in anted.told(PlayerPosted) if event.player == 1] == [10, 95]

    def test_b9_both_antes(self):
        """B9: what the big blind owes beyond everyone's ante is the big-blind ante."""
        anted = hand(1000, 1000, 1000, antes=(10, 110, 10))

        assert [(event.player, event.kind, event.amount) for event in anted.told(PlayerPosted)] == [
            (0, PostKind.ante, 10),
            (1, PostKind.ante, 10),
            (1, PostKind.big_blind_ante, 100),
            (2, PostKind.ante, 10),
            (0, PostKind.small_blind, 50),
            (1, PostKind.big_blind, 100),
        ]

    @pytest.mark.parametrize(
        ("antes", "aces_first", "aces_last"),
        [
            ((10, 10, 0), [114, 88, 98], [88, 88, 124]),
            ((0, 10, 10), [124, 88, 88], [98, 88, 114]),
            ((1, 2, 2), [108, 96, 96], [97, 96, 107]),
            ((0, 2, 0), [106, 96, 98], [98, 96, 106]),
            ((5, 3, 1), [108, 95, 97], [93, 95, 112]),
        ],
    )
    def test_b9_antes_that_differ(self, antes, aces_first, aces_last):
        """B9, F2: what is owed beyond the smallest ante is dead; a player who owes less may win it all."""
        checked_down = ("2 call", "0 call", "1 check", *["0 check", "1 check", "2 check"] * 3)
        for holes, stacks in (
            (("AsAd", "KsKd", "QsQd"), aces_first),
            (("QsQd", "KsKd", "AsAd"), aces_last),
        ):
            played = hand(100, 100, 100, blinds=(1, 2), antes=antes, holes=holes).play(*checked_down)
            assert played.state.stacks == stacks
            assert len(played.told(PotWon)) == 1

    def test_b9_short_of_an_ante_that_differs(self):
        """B9, F2: a short player contests their part of the smallest ante; all contest the rest."""
        checked_down = ("0 call", "1 check", *["0 check", "1 check"] * 3)
        short = hand(
            100, 100, 3, blinds=(1, 2), antes=(5, 9, 5), holes=("QsQd", "KsKd", "AsAd")
        ).play(*checked_down)  # fmt: skip

        assert [event.amount for event in short.told(PotWon)] == [
            8,
            13,
        ]  # 3 of each and 4 dead in the main pot
        assert short.state.stacks == [93, 97, 13]

    def test_b6_short_straddle(self):
        """B5, B6 [D]: a straddle of 3 of 20 leaves 20 to be called and 40 the first raise."""
        short = hand(1000, 1000, 3, 1000, blinds=(5, 10, 20), big_blind=10)

        assert short.told(PlayerPosted)[2] == PlayerPosted(
            player=2, kind=PostKind.straddle, amount=3, stack=0, all_in=True
        )
        assert short.legal(3).call_amount == 20
        assert short.raises(3) == (40, 1000)

    def test_all_in_by_posting(self):
        """C2: where no player can act the hand runs to its end at once."""
        posted = hand(3, 4, 1, blinds=(1, 2), antes=(2, 2, 2), holes=("KsKd", "QsQd", "AsAd"))

        assert posted.state.stacks == [4, 1, 3]
        assert posted.events[-1] == HandFinished(stacks=(4, 1, 3))


class TestOrder:
    def test_c1(self):
        """C1: pre-flop left of the big blind, later left of the button; folded players are passed over."""
        played = hand(1000, 1000, 1000, 1000)
        turns = []
        for move in ("call", "call", "fold", "check", "check", "to 100", "call", "fold", "check", "check"):
            player = played.state.to_act
            turns.append(player)
            played.play(f"{player} {move}")

        assert turns == [2, 3, 0, 1, 1, 2, 3, 1, 2, 3]
        assert played.state.street is Street.river

    def test_c2_streets(self):
        """C2: a street ends when all have acted and matched; each deals its new cards."""
        played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 check")

        assert streets(played) == [(Street.flop, parse_cards(BOARD[:6]))]
        played.play("0 check", "1 check", "2 check", "0 to 100", "1 fold", "2 call")
        assert streets(played)[1:] == [
            (Street.turn, parse_cards(BOARD[6:8])),
            (Street.river, parse_cards(BOARD[8:])),
        ]
        assert played.state.board == parse_cards(BOARD)

    def test_c2_pots_of_each_street(self):
        """Every street says what is in the middle as it begins, also when the board runs out at once."""
        played = hand(1000, 300, 1000).play("2 to 1000", "0 call", "1 call")

        assert [event.pots for event in played.told(StreetOpened)] == [((900, (0, 1, 2)), (1400, (0, 2)))] * 3

    def test_c2_run_out(self):
        """C2: with one player able to bet and nothing to call, the board runs out."""
        played = hand(1000, 1000, 300).play("2 to 300", "0 fold", "1 call")

        assert played.state.finished
        assert len(played.told(StreetOpened)) == 3

    def test_c2_one_player_facing_a_bet_still_acts(self):
        """C2: the only one who can bet acts while there is something to call."""
        played = hand(1000, 1000, 300).play("2 to 300", "0 fold")

        assert played.legal(1).call_amount == 200

    @pytest.mark.parametrize(
        ("moves", "refused", "code"),
        [
            ((), "0 call", "not_your_turn"),
            ((), "7 fold", "not_your_turn"),
            ((), "2 check", "cannot_check"),
            (("2 call", "0 call"), "1 call", "nothing_to_call"),
            ((), "2 to 199", "raise_too_small"),
            ((), "2 to -5", "raise_too_small"),
            ((), "2 to 1001", "raise_too_large"),
            (("2 to 1000", "0 fold"), "1 to 1000", "raise_not_allowed"),
            (("2 fold",), "2 fold", "not_your_turn"),
            (("2 fold", "0 fold"), "1 check", "hand_over"),
        ],
    )
    def test_c3_refused(self, moves, refused, code):
        """C3: what is out of turn or of a wrong size is refused with its code and changes nothing."""
        assert hand(1000, 1000, 1000).play(*moves).refused(refused) == code

    def test_c3_nothing_is_legal_when_the_hand_is_over(self):
        """C3: asking what is legal after the end is refused like acting."""
        over = hand(1000, 1000, 1000).play("2 fold", "0 fold")

        with pytest.raises(IllegalAction, match="hand_over"):
            legal_actions(over.state)

    def test_c3_events_of_actions(self):
        """C3: an action is told with the chips added, the bet it makes and the stack left."""
        played = hand(1000, 1000, 400).play("2 to 300", "0 fold", "1 call", "1 to 100", "2 call")

        assert played.told(PlayerActed) == [
            PlayerActed(player=2, action=ActionKind.raise_, added=300, bet=300, stack=100, all_in=False),
            PlayerActed(player=0, action=ActionKind.fold, added=0, bet=50, stack=950, all_in=False),
            PlayerActed(player=1, action=ActionKind.call, added=200, bet=300, stack=700, all_in=False),
            PlayerActed(player=1, action=ActionKind.bet, added=100, bet=100, stack=600, all_in=False),
            PlayerActed(player=2, action=ActionKind.call, added=100, bet=100, stack=0, all_in=True),
        ]

    def test_c3_folding_is_always_legal(self):
        """C3: a player may fold even where checking is free."""
        played = hand(1000, 1000, 1000).play("2 call", "0 call", "1 fold")

        assert played.state.to_act == 0


class TestSetup:
    def setup(self, **changes):
        players = tuple(
            PlayerSetup(stack=100, holes=holes, blind=blind, blind_kind=kind)
            for holes, blind, kind in (((0, 1), 2, PostKind.big_blind), ((2, 3), 1, PostKind.small_blind))
        )
        kept = {
            "variant": HOLDEM,
            "structure": hand(9, 9).state.setup.structure,
            "players": players,
            "last_blind": 0,
        }
        return HandSetup(**{**kept, "big_blind": 2, "board": DECK[10:15], **changes})

    @pytest.mark.parametrize(
        "changes",
        [
            {"players": ()},
            {"board": DECK[10:14]},
            {"board": DECK[3:8]},
            {"last_blind": 2},
            {"big_blind": 0},
            {"players": (PlayerSetup(stack=0, holes=(0, 1)), PlayerSetup(stack=5, holes=(2, 3)))},
            {"players": (PlayerSetup(stack=9, holes=(0, 1), blind=2), PlayerSetup(stack=5, holes=(2, 3)))},
            {"players": (PlayerSetup(stack=9, holes=(0, 1)), PlayerSetup(stack=5, holes=(1, 3)))},
        ],
    )
    def test_a2_hands_that_cannot_be(self, changes):
        """A2: no card twice, five board cards, players with chips: anything else is our bug."""
        with pytest.raises(InvariantBroken):
            start(self.setup(**changes))

    def test_a2_chips_from_nowhere_stop_the_hand(self):
        """A2: chips that do not add up are our bug and stop the table."""
        state, _ = start(self.setup())
        state.stacks[0] += 1

        with pytest.raises(InvariantBroken, match="A2"):
            apply(state, 1, action_of("call"))

    def test_a2_no_stack_below_nothing(self):
        """A2: a negative stack is our bug, even where the chips add up."""
        state, _ = start(self.setup())
        state.stacks = [state.stacks[0] + state.stacks[1] + 1, -1]

        with pytest.raises(InvariantBroken, match="A2"):
            state.check_chips()

    def test_no_hidden_card_in_a_repr(self):
        """K1: state and setup can be printed without giving a hidden card away."""
        played = hand(1000, 1000, 1000, holes=("AsAd", "KsKd", "QsQd")).play("2 call", "0 call", "1 check")
        setup = played.state.setup

        assert "2c7d9h" in repr(played.state)
        for text in (repr(played.state), repr(setup), repr(setup.players[0])):
            for card in ("As", "Ad", "Ks", "Kd", "Qs", "Qd", "3s", "4h"):
                assert card not in text
            for number in (*setup.players[0].holes, *setup.board[3:]):
                assert f" {number}," not in text
                assert "holes" not in text
                assert "board=" not in text
