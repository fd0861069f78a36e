"""What becomes of written hands: what agrees, what differs, what is refused, each with its code."""

from decimal import Decimal
from typing import ClassVar

import pytest

from pokerroom.history.replay import replay
from tests.history.writing import BOARD, document, holes, played

DEALT = holes("AsAd", "KsKd", "QsQd")


def test_a_hand_that_agrees():
    """A hand played to its end with the file's result is ok, and says both."""
    replayed = replay(document())

    assert replayed.ok
    assert replayed.finishing_stacks == replayed.expected == (900, 1100, 1000)


def test_a_hand_without_a_result():
    """A hand with no finishing_stacks is ok once it is played, and tells ours."""
    replayed = replay(document(finishing_stacks=None))

    assert replayed.ok
    assert replayed.expected is None
    assert replayed.finishing_stacks == (900, 1100, 1000)


def test_a_hand_that_differs():
    """Another result than the file's is a mismatch."""
    replayed = replay(document(finishing_stacks=[900, 1000, 1100]))

    assert replayed.error == "stacks_differ"
    assert replayed.mismatched


def test_a_partial_hand():
    """A file may stop early; with a result given it has to reach it."""
    assert played(*DEALT, "p3 cc").ok
    assert played(*DEALT, "p3 cc").finishing_stacks is None

    unfinished = played(*DEALT, "p3 cc", finishing_stacks=[950, 900, 900])
    assert unfinished.error == "hand_unfinished"
    assert unfinished.mismatched


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        (["p3 cbr 199"], "raise_too_small"),
        (["p3 cbr 1001"], "raise_too_large"),
        (["p1 cc"], "not_your_turn"),
        (["p3 f", "p1 f", "p2 cc"], "hand_over"),
        (["p3 f", "p1 f", "p3 f"], "hand_over"),
        (["p3 cbr 1000", "p1 cc", "p2 cc", "p1 cbr 100"], "hand_over"),
        (["p3 cbr 1000", "p1 f", "p2 cbr 1500"], "raise_not_allowed"),
        (["p3 cc", "d db 2c7d9h"], "board_too_early"),
        (["p3 f", "p1 f", "d db 2c7d9h"], "hand_over"),
        (["p3 cc", "p1 cc", "p2 cc", "d db 2c7d9h3s"], "board_too_early"),
        (["p3 cc", "p1 cc", "p2 cc", "p1 cbr 100"], "board_missing"),
        (["p3 cc", "p1 cc", "p2 cc", "d db 2c", "p1 cbr 100"], "board_missing"),
        (["p3 cc", "p1 cc", "p2 cc", "d db 2c7d9h", "p1 cc", "p2 cc", "p3 cc", "p1 f"], "board_missing"),
        (["p3 bets 5"], "bad_action"),
        (["p4 f"], "bad_action"),
        (["p0 f"], "bad_action"),
        (["px f"], "bad_action"),
        (["p3 cbr"], "bad_action"),
        (["p3 cbr -5"], "bad_action"),
        (["p3 cbr 1e3"], "bad_action"),
        (["d dh p1 AsA"], "bad_cards"),
        (["d dh p1 AsAx"], "bad_cards"),
        (["d dh p1 2c", "p1 sm 3c4c"], "bad_cards"),
        (["d dh p1 KsKd", "d dh p2 KsKh"], "card_twice"),
        (["d db 2c2c3c"], "card_twice"),
        (["d db 2c3c4c5c6c7c"], "bad_cards"),
    ],
)
def test_refused_with_its_code(actions, code):
    """What the rules refuse, and what is no action of a hand, has a stable code and a sentence."""
    replayed = played(*actions, finishing_stacks=[1000, 1000, 1000])

    assert replayed.error == code
    assert replayed.detail
    assert replayed.finishing_stacks is None
    assert not replayed.mismatched


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"variant": "NS"}, "unknown_variant"),
        ({"variant": "PO", "_bet_limit": "NL"}, "unknown_variant"),
        ({"variant": ["NT"]}, "unknown_variant"),
        ({"_bet_limit": "XL"}, "unknown_variant"),
        ({"_bet_limit": []}, "unknown_variant"),
        ({"variant": None}, "missing_field"),
        ({"min_bet": None}, "missing_field"),
        ({"antes": None}, "missing_field"),
        ({"actions": None}, "missing_field"),
        ({"variant": "FT"}, "missing_field"),
        ({"antes": 0}, "bad_amount"),
        ({"min_bet": 0}, "bad_amount"),
        ({"min_bet": True}, "bad_amount"),
        ({"min_bet": "100"}, "bad_amount"),
        ({"antes": [0, 0, -1]}, "bad_amount"),
        ({"starting_stacks": [0, 1000, 1000]}, "bad_amount"),
        ({"starting_stacks": [Decimal("NaN"), 1000, 1000]}, "bad_amount"),
        ({"starting_stacks": [Decimal("1e999999"), 1000, 1000]}, "bad_amount"),
        ({"starting_stacks": [Decimal("1e-999999"), 1000, 1000]}, "bad_amount"),
        ({"starting_stacks": [Decimal("inf"), 1000, 1000]}, "unknown_amount"),
        ({"antes": [0, 0]}, "bad_players"),
        ({"finishing_stacks": [1000]}, "bad_players"),
        ({"starting_stacks": [1000], "antes": [0], "blinds_or_straddles": [0]}, "bad_players"),
        ({"variant": "FT", "small_bet": 100, "big_bet": 200, "_raises_max": "3"}, "bad_amount"),
    ],
)
def test_no_hand(changes, code):
    """A document that describes no hand we play is refused with a code that says why."""
    replayed = replay(document(**changes))

    assert replayed.error == code
    assert replayed.detail


def test_b4_heads_up_written_the_phh_way():
    """B4: PHH gives the heads-up button's blind and ante first; p1 is the big blind and acts last."""
    two = {"antes": [0, 20], "starting_stacks": [1000, 1000], "min_bet": 100}
    lines = [*holes("AsAd", "KsKd"), "p2 cc", "p1 cc", BOARD[0], "p1 cc", "p2 cbr 100", "p1 f"]

    replayed = played(*lines, blinds_or_straddles=[50, 100], **two)

    assert replayed.finishing_stacks == (880, 1120)


@pytest.mark.parametrize(
    ("blinds", "first", "stacks"),
    [([200, 100], "p1", (900, 1100)), ([100, 50], "p1", (950, 1050)), ([100, 0], "p1", (1000, 1000))],
)
def test_b4_heads_up_the_larger_first(blinds, first, stacks):
    """B4: also with the larger number first, the first is the button's straddle or large blind. p1 acts."""
    two = {"antes": [0, 0], "starting_stacks": [1000, 1000], "min_bet": 100}
    lines = holes("AsAd", "KsKd")

    assert played(*lines, f"{first} f", blinds_or_straddles=blinds, **two).finishing_stacks == stacks
    assert played(*lines, "p2 f", blinds_or_straddles=blinds, **two).error == "not_your_turn"


class TestAntes:
    """B9: antes that differ, with and without `ante_trimming_status`."""

    LINES = (
        *("p3 cc", "p1 cc", "p2 cc", BOARD[0], "p1 cc", "p2 cc", "p3 cc"),
        *(BOARD[1], "p1 cc", "p2 cc", "p3 cc", BOARD[2], "p1 cc", "p2 cc", "p3 cc"),
    )
    GAME: ClassVar = {"blinds_or_straddles": [1, 2, 0], "min_bet": 2, "starting_stacks": [100, 100, 100]}

    def stacks(self, *antes, deal=("AsAd", "KsKd", "QsQd"), **changes):
        return played(*holes(*deal), *self.LINES, antes=list(antes), **self.GAME, **changes)

    def test_b9_dead(self):
        """B9: beyond the smallest ante they lie dead in the pot, as PokerKit has it; false is the default."""
        deal = ("QsQd", "KsKd", "AsAd")
        for trimming in (None, False):
            for antes, ours in (
                ((10, 10, 0), (88, 88, 124)),
                ((1, 2, 2), (97, 96, 107)),
                ((0, 2, 0), (98, 96, 106)),
            ):
                assert self.stacks(*antes, deal=deal, ante_trimming_status=trimming).finishing_stacks == ours

    def test_b9_trimmed(self):
        """B9: with trimming, what one owes beyond all others goes back."""
        assert self.stacks(0, 2, 0, ante_trimming_status=True).finishing_stacks == (104, 98, 98)
        assert self.stacks(5, 9, 5, ante_trimming_status=True).finishing_stacks == (114, 93, 93)
        assert self.stacks(5, 5, 5, ante_trimming_status=True).finishing_stacks == (114, 93, 93)

    @pytest.mark.parametrize("antes", [(10, 10, 0), (1, 2, 2), (0, 1, 2)])
    def test_b9_trimmed_and_still_uneven(self, antes):
        """B9: antes that would be bets with pots of their own are refused."""
        assert self.stacks(*antes, ante_trimming_status=True).error == "uneven_antes"

    def test_b9_trimming_is_true_or_false(self):
        """A trimming that is neither is refused."""
        assert self.stacks(1, 1, 1, ante_trimming_status="yes").error == "bad_amount"

    @pytest.mark.parametrize("trimming", [True, False])
    def test_f2_short_of_an_equal_ante(self, trimming):
        """F2: a player short of the common ante contests their part, whatever the file says of trimming."""
        deal = holes("QsQd", "KsKd", "AsAd")
        lines = [
            "p1 cc",
            "p2 cc",
            BOARD[0],
            "p1 cc",
            "p2 cc",
            BOARD[1],
            "p1 cc",
            "p2 cc",
            BOARD[2],
            "p1 cc",
            "p2 cc",
        ]
        game = self.GAME | {"starting_stacks": [100, 100, 5]}

        replayed = played(*deal, *lines, antes=[10, 10, 10], ante_trimming_status=trimming, **game)

        assert replayed.finishing_stacks == (88, 102, 15)


def test_fractions_are_played_in_a_smaller_unit():
    """A1: amounts with decimals are played exactly in hundredths or less, and told in the file's unit."""
    replayed = played(
        *DEALT,
        "p3 cbr 1.25",
        "p1 f",
        "p2 f",
        blinds_or_straddles=[Decimal("0.25"), Decimal("0.50"), 0],
        min_bet=Decimal("0.50"),
        starting_stacks=[Decimal("10.00"), 10, 10],
        finishing_stacks=[Decimal("9.75"), Decimal("9.5"), Decimal("10.75")],
    )

    assert replayed.ok
    assert replayed.finishing_stacks == (Decimal("9.75"), Decimal("9.5"), Decimal("10.75"))


def test_f3_odd_units_of_a_file_with_decimals():
    """F3: the odd unit is a hundredth where the file counts in decimals, and a whole one where it does not."""
    lines = [*holes("2s2d", "3s3d", "4s4d"), "p3 cc", "p1 f", "d db AsKdQhJcTd"]
    whole = played(*lines, blinds_or_straddles=[1, 2, 0], min_bet=2, starting_stacks=[9, 2, 2])
    fine = played(*lines, blinds_or_straddles=[1, 2, 0], min_bet=2, starting_stacks=[Decimal("9.5"), 2, 2])
    assert whole.finishing_stacks == (8, 3, 2)
    assert fine.finishing_stacks == (Decimal("8.5"), Decimal("2.5"), Decimal("2.5"))


def test_c1_straddle():
    """B6, C1: with a straddle the next seat opens, and the straddler has the option."""
    four = {"antes": [0] * 4, "blinds_or_straddles": [50, 100, 200, 0], "starting_stacks": [1000] * 4}

    assert played("p4 cc", "p1 cc", "p2 cc", "p3 cbr 400", **four).ok
    assert played("p3 cc", **four).error == "not_your_turn"
    assert played("p4 cbr 399", **four).error == "raise_too_small"


def test_b7_posts_do_not_move_the_start():
    """B7: a newcomer's live post leaves the big blind where it is; PokerKit's negative form means the same."""
    four = {"antes": [0] * 4, "starting_stacks": [1000] * 4}

    for post in (100, -100):
        lines = ("p3 f", "p4 cc", "p1 cc", "p2 cc")
        assert played(*lines, blinds_or_straddles=[50, 100, 0, post], **four).ok
        assert played("p4 cbr 300", blinds_or_straddles=[50, 100, 0, post], **four).error == "not_your_turn"


def test_b3_dead_small_blind():
    """B3: with no small blind the first player left of the button is the big blind."""
    replayed = played("p2 f", "p3 f", blinds_or_straddles=[100, 0, 0])

    assert replayed.finishing_stacks == (1000, 1000, 1000)


def test_c1_antes_only():
    """C1: without blinds the first left of the button opens."""
    replayed = played("p1 cbr 200", "p2 f", "p3 f", antes=[10, 10, 10], blinds_or_straddles=[0, 0, 0])

    assert replayed.finishing_stacks == (1020, 990, 990)


def test_d4_pot_limit():
    """D4: NT with _bet_limit PL is pot-limit: at 50/100 the first raiser may make 350."""
    assert played("p3 cbr 350", _bet_limit="PL").ok
    assert played("p3 cbr 351", _bet_limit="PL").error == "raise_too_large"
    assert played("p3 cbr 351", _bet_limit="NL").ok


def test_d5_fixed_limit_and_its_cap():
    """D5: one bet and three raises, unless the file's own fields say otherwise."""
    fixed = {"variant": "FT", "min_bet": None, "small_bet": 100, "big_bet": 200}
    raises = ("p3 cbr 200", "p1 cbr 300", "p2 cbr 400", "p3 cbr 500")

    assert played(*raises[:3], **fixed).ok
    assert played(*raises, **fixed).error == "raise_not_allowed"
    assert played(*raises, _raises_max=4, **fixed).ok

    two = {"antes": [0, 0], "blinds_or_straddles": [50, 100], "starting_stacks": [1000, 1000], **fixed}
    heads_up = ("p2 cbr 200", "p1 cbr 300", "p2 cbr 400", "p1 cbr 500")
    assert played(*heads_up, **two).error == "raise_not_allowed"
    assert played(*heads_up, _cap_heads_up=False, **two).ok


def test_c2_the_check_no_player_needs():
    """C2: other engines ask who covers every player for a last check; it is accepted and changes nothing."""
    lines = [*holes("AsAd", "KsKd", "QsQd"), "p3 cc", "p1 f", "p2 cc"]
    short = {"starting_stacks": [1000, 1000, 100]}

    replayed = played(*lines, "p2 cc", *BOARD, "p2 cc", **short)

    assert replayed.ok
    assert replayed.finishing_stacks == (950, 1150, 0)


def test_comments_and_empty_lines():
    """Comments, empty lines and shows anywhere are no actions."""
    lines = ["", "# hello", *DEALT, "p1 sm", "p3 f # a sigh", "p1 f", "p2 sm KsKd", "p2 sm -"]

    assert played(*lines).finishing_stacks == (950, 1050, 1000)


class TestUnknownCards:
    """Cards the file does not have."""

    LINES = (
        "p3 cc",
        "p1 f",
        "p2 cc",
        *BOARD[:1],
        "p2 cc",
        "p3 cc",
        *BOARD[1:2],
        "p2 cc",
        "p3 cc",
        *BOARD[2:],
    )
    LAST = ("p2 cc", "p3 cc")

    def test_a_player_who_mucks_unseen_loses(self):
        """G3: a player who reaches the showdown unseen has mucked, whatever cards are left, if the result has it so."""
        lines = ("d dh p2 2s3d", "d dh p3 ????", *self.LINES, *self.LAST)

        assert played(*lines, finishing_stacks=[950, 1150, 900]).ok
        assert played(*lines, finishing_stacks=[950, 900, 1150]).error == "stacks_differ"
        for shown in ([], ["p2 sm 2s3d"], ["p3 sm -"]):
            assert played(*lines, *shown).error == "missing_cards"

    def test_a_player_who_mucks_by_the_file_loses(self):
        """G3: without a result, who has mucked by the file's word has lost; a fold needs no word."""
        lines = ("d dh p2 2s3d", "d dh p3 ????", *self.LINES, *self.LAST)

        assert played(*lines, "p2 sm -", "p3 sm").finishing_stacks == (950, 1150, 900)
        assert played(*lines, "p3 sm", "p2 sm").finishing_stacks == (950, 1150, 900)

    def test_shown_later(self):
        """Cards may come with the show."""
        replayed = played("d dh p3 ????", *self.LINES, *self.LAST, "p3 sm AsAd", "p2 sm KsKd")

        assert replayed.finishing_stacks == (950, 900, 1150)

    def test_half_known(self):
        """Of a half-known hand the known card is kept: with it they may win, and then the other one is missing."""
        for half, error in (("2s??", "missing_cards"), ("6s??", None)):
            lines = (f"d dh p2 {half}", "d dh p3 AsKd", *self.LINES, *self.LAST)
            assert played(*lines, finishing_stacks=[950, 900, 1150]).error == error

    def test_no_player_seen(self):
        """Where no contestant's cards are known there is no result: none to check, and none to tell."""
        for stacks in ([950, 900, 1150], [950, 1150, 900], None):
            replayed = played(*self.LINES, *self.LAST, finishing_stacks=stacks)
            assert (replayed.error, replayed.finishing_stacks) == ("missing_cards", None)

    def test_board_never_dealt(self):
        """A result that hangs on a board the file does not have is neither checked nor told."""
        lines = [*holes("AsAd", "KsKd", "QsQd"), "p3 cbr 1000", "p1 cc", "p2 f"]

        for board in ([], BOARD[:2], [*BOARD[:2], "d db ??"]):
            for stacks in ([0, 900, 2100], None):
                replayed = played(*lines, *board, finishing_stacks=stacks)
                assert (replayed.error, replayed.finishing_stacks) == ("missing_cards", None)

    def test_a_board_that_is_not_known(self):
        """A board written as unknown is dealt: the betting goes on, and who bets the others out wins."""
        lines = [
            *holes("AsAd", "KsKd", "QsQd"),
            "p3 cc",
            "p1 cc",
            "p2 cc",
            "d db ??????",
            "p1 cbr 100",
            "p2 f",
            "p3 f",
        ]

        assert played(*lines).finishing_stacks == (1200, 900, 900)

    def test_a_street_card_by_card(self):
        """The cards of a street may come one after the other."""
        lines = [
            *holes("AsAd", "KsKd", "QsQd"),
            "p3 cc",
            "p1 cc",
            "p2 cc",
            "d db 2c",
            "d db 7d",
            "d db 9h",
            "p1 cc",
        ]

        assert played(*lines).ok
