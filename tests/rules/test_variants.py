"""Variants and betting structures as data: their names, what is written down of them, and Omaha's showdowns."""

import json
import typing
from itertools import combinations

import pytest

from pokerroom.rules.betting import STRUCTURES, FixedLimit, NoLimit, PotLimit, structure_named
from pokerroom.rules.cards import DECK, parse_cards
from pokerroom.rules.errors import InvariantBroken, UnknownName
from pokerroom.rules.events import HandShown, PotWon, Street
from pokerroom.rules.hand import start, state_from_data, state_to_data
from pokerroom.rules.ranking import HandCategory, category, hand_rank, two_from_hand
from pokerroom.rules.variants import HOLDEM, OMAHA, VARIANTS, Variant, variant_named
from pokerroom_protocol import messages as wire
from tests.compiled import COMPILED
from tests.rules.playing import hand
from tests.rules.referee import Lcg


def omaha(*stacks, **options):
    return hand(*stacks, variant=OMAHA, structure=PotLimit(), **options)


def variant(**changes):
    kept = {name: getattr(OMAHA, name) for name in ("hole_cards", "streets", "deck", "evaluator")}
    return Variant(
        **{**kept, "name": "x", "combination": OMAHA.combination, "structures": OMAHA.structures, **changes}
    )


class TestNames:
    def test_each_is_found_by_its_name(self):
        """What is written down as a name is read back as the same game, with the same parameters."""
        for name, known in VARIANTS.items():
            assert variant_named(name) is known
            assert known.name == name
            assert known.structures <= STRUCTURES.keys()
        for structure in (NoLimit(), PotLimit(), FixedLimit(small_bet=2, big_bet=4, cap_heads_up=False)):
            assert structure_named(structure.name, structure.parameters) == structure

    def test_the_wire_knows_the_same_names(self):
        """Clients are told of each game and each structure under its name."""
        assert set(typing.get_args(wire.GameName)) == set(VARIANTS)
        assert set(typing.get_args(typing.get_args(wire.Structure)[0])) == set(STRUCTURES)

    def test_unknown_names_are_errors(self):
        """An unknown name is never another game, and the message says which are known."""
        with pytest.raises(UnknownName, match=f"'razz'.*{', '.join(VARIANTS)}"):
            variant_named("razz")
        with pytest.raises(UnknownName, match=f"'spread'.*{', '.join(STRUCTURES)}"):
            structure_named("spread", {})
        with pytest.raises(TypeError):
            structure_named("no_limit", {"small_bet": 3})

    @pytest.mark.skipif(
        COMPILED,
        reason="Python classes cannot inherit from compiled ones",
    )
    def test_a_structure_without_a_name_of_its_own(self):
        """A class that would be written down as another structure cannot be constructed."""

        class Spread(NoLimit):
            pass

        class Disguised(NoLimit):
            name = "no_limit"

        for kind in (Spread, Disguised):
            with pytest.raises(TypeError, match=r"name of its own|from compiled"):
                kind()

    def test_a_variant_without_a_name(self):
        """Neither can a variant without a name, nor one that no two players can be dealt."""
        with pytest.raises(ValueError, match="name"):
            variant(name="")
        with pytest.raises(ValueError, match="deck"):
            variant(deck=DECK[:15])

    def test_repr(self):
        """A variant prints as its name."""
        assert repr(OMAHA) == "<Variant omaha>"


class TestWrittenDown:
    @pytest.mark.parametrize("structure", [NoLimit(), PotLimit(), FixedLimit(small_bet=50, big_bet=100)])
    def test_hold_em_with_each_structure(self, structure):
        """A hand goes through plain data and stays the same game."""
        state = hand(1000, 1000, structure=structure).state
        data = json.loads(json.dumps(state_to_data(state)))

        assert state_from_data(data) == state
        assert data["setup"]["variant"] == "holdem"

    def test_omaha(self):
        """So does a hand of Omaha, with all its cards."""
        state = omaha(1000, 1000, holes=("AsAdKsKd", "2c3c4c5d"), board="7h8h9hTcJc").state
        data = json.loads(json.dumps(state_to_data(state)))

        assert data["setup"]["variant"] == "omaha"
        read = state_from_data(data)
        assert read == state
        assert read.setup.variant is OMAHA

    @pytest.mark.parametrize("change", [{"variant": "razz"}, {"structure": {"kind": "spread"}}])
    def test_an_unknown_game_is_refused(self, change):
        """Data of a game that is not played here are an error."""
        data = state_to_data(hand(1000, 1000).state)
        data["setup"] |= change

        with pytest.raises(UnknownName):
            state_from_data(data)

    def test_data_of_a_room_that_knew_one_game(self):
        """Data without a variant are of hold'em: the room knew no other game when it wrote them."""
        state = hand(1000, 1000).state
        data = state_to_data(state)
        del data["setup"]["variant"]

        assert state_from_data(data) == state

    def test_a_variant_that_would_be_read_as_another_is_not_written(self):
        """A variant with a name of another, or one that is not listed, cannot be journalled."""
        for name, error in (("holdem", InvariantBroken), ("x", UnknownName)):
            other = variant(name=name, hole_cards=2)
            state = hand(1000, 1000, variant=other, structure=PotLimit()).state
            with pytest.raises(error):
                state_to_data(state)


class TestSetup:
    def test_a_structure_that_the_game_does_not_allow(self):
        """Omaha is played pot-limit here: a hand of another structure cannot begin."""
        setup = omaha(1000, 1000, holes=("AsAdKsKd", "2c3c4c5d"), board="7h8h9hTcJc").state.setup
        with pytest.raises(InvariantBroken, match="omaha is not played no_limit"):
            hand(1000, 1000, variant=OMAHA, holes=("AsAdKsKd", "2c3c4c5d"))
        assert start(setup)[0].street is Street.preflop

    @pytest.mark.parametrize(
        "holes", [("AsAd", "2c3c"), ("AsAdKsKd", "2c3c4c"), ("AsAdKsKdQd", "2c3c4c5c6c")]
    )
    def test_another_number_of_cards(self, holes):
        """A player of Omaha has four cards."""
        with pytest.raises(InvariantBroken, match="4 cards"):
            omaha(1000, 1000, holes=holes)


class TestShowdowns:
    """J2: the worked showdowns of Omaha. A is player 0, the first left of the button."""

    @pytest.mark.parametrize(
        ("holes", "board", "winner", "kind"),
        [
            # O1: one heart in the hand makes no flush
            (("AhKsQcJd", "9h8hTc2d"), "2h5h7hKh3c", 1, HandCategory.flush),
            # O2: the quads of the board do not play; a pair in the hand makes a full house
            (("AsKd4c3d", "9h9cQsQd"), "8s8h8d8c2h", 1, HandCategory.full_house),
            # O3: of three kings in the hand two play, with the one on the board
            (("KsKhKd2c", "QsQh9c8c"), "Kc7d7sQd3h", 0, HandCategory.full_house),
        ],
        ids=["O1", "O2", "O3"],
    )
    def test_j2_worked_cases(self, holes, board, winner, kind):
        """J2: exactly two cards of the hand and three of the board (O1, O2, O3)."""
        played = omaha(50, 50, blinds=(25, 10), holes=holes, board=board)
        played.play("1 to 50", "0 call")

        assert played.told(PotWon) == [PotWon(pot=0, amount=100, shares=((winner, 100),))]
        played.state.setup.players[winner]
        assert category(OMAHA.rank(parse_cards(holes[winner]), parse_cards(board))) is kind
        assert [len(shown.cards) for shown in played.told(HandShown)] == [4, 4]

    def test_g2_all_in_on_the_river(self):
        """G2, J2: hands that are turned up with the board complete are told with their ranks."""
        played = omaha(150, 150, blinds=(25, 10), holes=("AhKsQcJd", "9h8hTc2d"), board="2h5h7hKh3c")
        played.play("1 call", "0 check", *("0 check", "1 check") * 2, "0 to 50", "1 to 125", "0 call")

        board = parse_cards("2h5h7hKh3c")
        assert [(shown.player, shown.rank) for shown in played.told(HandShown)] == [
            (player, OMAHA.rank(parse_cards(holes), board))
            for player, holes in ((1, "9h8hTc2d"), (0, "AhKsQcJd"))
        ]

    def test_d4_the_pot(self):
        """D4: the first raiser at 50/100 may make 350, with the small blind to complete 300."""
        played = omaha(*[5000] * 3, holes=("AsAdKsKd", "2c3c4c5d", "6s6d7s7d"), board="7h8h9hTcJc")

        assert played.raises(2) == (200, 350)

    def test_j2_all_sixty_combinations(self):
        """J2: over 3,000 random hands the rank is that of the best of the 60 combinations."""
        lcg = Lcg(1)
        for _ in range(3000):
            deck = list(DECK)
            for at in range(9):
                other = at + lcg.below(52 - at)
                deck[at], deck[other] = deck[other], deck[at]
            holes, board = tuple(deck[:4]), tuple(deck[4:9])
            best = max(
                hand_rank([*two, *three])
                for two in combinations(holes, 2)
                for three in combinations(board, 3)
            )
            assert two_from_hand(hand_rank, holes, board) == best
            assert HOLDEM.rank(holes[:2], board) == hand_rank([*holes[:2], *board])
